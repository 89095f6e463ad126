//! Starts and ends exchanges, and writes their traces.

use super::exchange::OpenExchange;
use super::online::Online;
use super::run::Run;
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::{ErrorCode, Mode, TraceId, Version};
use papayu_patch::protocol::schema;
use papayu_system::trace::{self, TraceRecord};

impl Run<'_> {
    /// Starts an exchange, after the end of the one under way.
    pub(super) fn open_exchange(&mut self, mode: Mode, version: Version) {
        self.close_exchange(None);
        let id = TraceId::new(self.inputs.world.system.clock.fresh_id());
        let mut exchange = OpenExchange::new(id, mode, version, self.inputs.now_ms());
        // An exchange may end after the attempt: when the run goes on to the next provider.
        exchange.is_free = self.attempts.is_free();
        let model = self.attempts.model(self.inputs);
        exchange.asked = if let Some(name) = self.attempts.free_name() {
            (name.to_owned(), "none".to_owned())
        } else {
            model
                .map(|model| (model.name().to_owned(), model.model().to_owned()))
                .unwrap_or_default()
        };
        self.exchanges.current = Some(exchange);
    }

    /// Ends the exchange under way and writes its trace; `code` is the error that ended it.
    pub(super) fn close_exchange(&mut self, code: Option<ErrorCode>) {
        let Some(exchange) = self.exchanges.current.take() else { return };
        write_trace(self, &exchange, code);
        if exchange.mode.brings_change() {
            self.exchanges.last_apply = Some(exchange);
        }
    }
}

/// Emits the event and, if traces are enabled, writes the file.
fn write_trace(run: &mut Run<'_>, exchange: &OpenExchange, code: Option<ErrorCode>) {
    let failed = code.is_some() || exchange.error.is_some() || exchange.validated.is_none();
    let event = match (exchange.is_free, failed) {
        (true, true) => EventName::QuickfixFailed,
        (true, false) => EventName::QuickfixOk,
        (false, true) => EventName::LlmPlanFailed,
        (false, false) => EventName::LlmPlanOk,
    };
    let mut ended = RunEvent::new(event)
        .with("mode", exchange.mode.name())
        .with("trace_id", exchange.id.as_str());
    if let Some((code, _)) = &exchange.error {
        ended = ended.with("code", code.as_str());
    }
    run.inputs.emit_event(ended);
    let Some(dir) = run.inputs.config.trace.dir.clone() else { return };
    let record = record(run, exchange, event);
    let masker = run.inputs.world.masker;
    let mask = |text: &str| masker.mask(text).into_owned();
    match trace::write(run.inputs.world.system.disk, &dir, &record, &mask) {
        Ok(path) => run.exchanges.trace_paths.push(path.to_string_lossy().into_owned()),
        // A trace that cannot be written must not undo a repair that is done.
        Err(error) => run
            .inputs
            .world
            .events
            .emit(RunEvent::new(EventName::TraceFailed).with("error", error.to_string())),
    }
}

/// Returns the trace of an exchange as far as it is known when `event` ends it.
fn record(run: &Run<'_>, exchange: &OpenExchange, event: EventName) -> TraceRecord {
    let mut record = TraceRecord::new(
        exchange.id.clone(),
        run.inputs.id.clone(),
        exchange.mode,
        run.inputs.config.version,
    );
    event.as_str().clone_into(&mut record.event);
    record.timestamp = run.inputs.world.system.clock.timestamp();
    (record.provider, record.model) = exchange.asked.clone();
    protocol(&mut record, exchange);
    if let Some((code, reason)) = &exchange.error {
        record.error_code = Some(code.as_str().to_owned());
        record.error = Some(reason.clone());
    }
    record.config_snapshot = run.inputs.config.snapshot.clone();
    if let Some(snapshot) = record.config_snapshot.as_object_mut() {
        let hash = schema::compiled_schema(exchange.answered).schema_hash();
        snapshot.insert("schema_hash".to_owned(), hash.into());
    }
    record.changes = run.inputs.record_changes();
    record.strict_json = exchange.strict_json;
    record.input_chars = exchange.input_chars as u64;
    record.token_budget = u64::from(exchange.token_budget);
    record.context_stats = serde_json::to_value(run.gathered.stats).unwrap_or_default();
    record.cache_stats = serde_json::to_value(run.gathered.cache.stats()).unwrap_or_default();
    record.token_usage = exchange.usage;
    record.providers = exchange.shares.several();
    record.merge_conflicts.clone_from(&exchange.shares.conflicts);
    let total = run.inputs.now_ms().saturating_sub(exchange.started_ms);
    record.timings_ms = [("total".to_owned(), total), ("llm".to_owned(), exchange.llm_ms)].into();
    if exchange.tools_ms > 0 {
        record.timings_ms.insert("tools".to_owned(), exchange.tools_ms);
    }
    record.json_repaired_locally = exchange.repairs.json;
    record.tool_call_repaired = exchange.repairs.tool_calls;
    record.assumed.clone_from(&exchange.assumed);
    record.validated_json.clone_from(&exchange.validated);
    record.actions_count = exchange.actions_count();
    record.notes_injected = run.dialogue.conversation.has_notes && !exchange.is_free;
    record.activity = exchange.activity;
    record.memory_accepted =
        exchange.memory.memory.entries().map(|(key, _)| key.dotted()).collect();
    record.memory_dropped.clone_from(&exchange.memory.dropped);
    record.patch_strategy = exchange.strategies.clone();
    record.self_check.clone_from(&exchange.self_check);
    record.judge.clone_from(&exchange.judge);
    record.verify = exchange.verified.then(|| run.checks.record());
    record.raw_content.clone_from(&exchange.raw);
    online(&mut record, &run.dialogue.conversation.online);
    record
}

/// Adds the online research of the run up to this exchange.
fn online(record: &mut TraceRecord, online: &Online) {
    let reason = online.reason();
    record.online_fallback_attempted = reason.is_some();
    record.online_fallback_executed = online.is_done();
    record.online_fallback_reason = reason.map(str::to_owned);
    if let Some((query, sources)) = &online.sent {
        record.online_query = Some(query.clone());
        record.online_sources.clone_from(sources);
    }
}

/// Adds the versions, the repair and the fallback of the exchange (protocol section 5).
fn protocol(record: &mut TraceRecord, exchange: &OpenExchange) {
    let used = exchange.answered;
    record.protocol_version_used = used.number();
    record.protocol_attempts = exchange.versions.iter().map(ToString::to_string).collect();
    record.protocol_repair_attempt = u8::from(exchange.repair.is_some());
    record.protocol_repair_reason = exchange.repair.map(|code| code.as_str().to_owned());
    record.protocol_fallback_attempted = exchange.fallback.is_some();
    record.protocol_fallback_reason = exchange.fallback.map(|code| code.as_str().to_owned());
    record.protocol_fallback_stage =
        exchange.fallback.map(|code| code.row().stage.name().to_owned());
    record.repair_injected_sha256 = !exchange.injected_paths.is_empty();
    record.repair_injected_paths.clone_from(&exchange.injected_paths);
    record.schema_version = used.number();
    record.schema_hash = schema::compiled_schema(used).schema_hash();
}
