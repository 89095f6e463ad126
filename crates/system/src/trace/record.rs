//! Every field of a trace file, with the contract's names (protocol section 8).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use papayu_base::domain::outcome::VerifyRecord;
use papayu_base::domain::{
    ChangeRecord, EventName, Judgement, MergeConflict, Mode, ProviderRecord, ReplyActivity, RunId,
    SelfCheckRecord, TraceId, Usage, Version,
};

/// One exchange with a provider, ended well or badly. Fields that do not apply are left out of the
/// file; unknown ones are let pass when it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the contract's fields are what they are")]
pub struct TraceRecord {
    /// Version of this form: 1.
    #[serde(default)]
    pub trace_version: u32,
    /// The exchange; also the file's name.
    pub trace_id: TraceId,
    /// The run it belongs to.
    pub run_id: RunId,
    /// Wall time of the writing, RFC 3339 in UTC.
    #[serde(default)]
    pub timestamp: String,
    /// `LLM_PLAN_OK` or `LLM_PLAN_FAILED`; of a step without a model `QUICKFIX_OK` or `QUICKFIX_FAILED`.
    pub event: String,
    /// `plan` or `apply`.
    pub mode: Mode,
    /// `openai`, `anthropic`, `ollama`, `replay`, `quickfix`.
    #[serde(default)]
    pub provider: String,
    /// The model's name.
    #[serde(default)]
    pub model: String,

    /// The protocol that was configured.
    #[serde(default)]
    pub protocol_default: u8,
    /// The protocol of the last reply.
    #[serde(default)]
    pub protocol_version_used: u8,
    /// Protocols asked, in order: `["v2"]`, `["v2","v1"]`, `["v3","v2","v1"]`.
    #[serde(default)]
    pub protocol_attempts: Vec<String>,
    /// 1 when a repair request was sent, else 0.
    #[serde(default)]
    pub protocol_repair_attempt: u8,
    /// The code that the repair request was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_repair_reason: Option<String>,
    /// True when the exchange fell back to an older protocol.
    #[serde(default)]
    pub protocol_fallback_attempted: bool,
    /// The code that made it step down, the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_fallback_reason: Option<String>,
    /// The stage that reported that code: `schema`, `validate`, `preview`, `apply`, `verify`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_fallback_stage: Option<String>,
    /// True when the repair request contained the right hashes.
    #[serde(default)]
    pub repair_injected_sha256: bool,
    /// The files of those hashes.
    #[serde(default)]
    pub repair_injected_paths: Vec<String>,

    /// The code that ended the exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The error that ended it, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `x_schema_version` of the schema that the last reply was checked against.
    #[serde(default)]
    pub schema_version: u8,
    /// sha256 of that schema's bytes.
    #[serde(default)]
    pub schema_hash: String,
    /// Every setting, without secrets.
    #[serde(default)]
    pub config_snapshot: Value,

    /// The changes since the command last passed, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangeRecord>,

    /// True when `response_format` was sent.
    #[serde(default)]
    pub strict_json: bool,
    /// Characters sent in the last request.
    #[serde(default)]
    pub input_chars: u64,
    /// Longest reply asked for, in tokens.
    #[serde(default)]
    pub token_budget: u64,
    /// The content of the context, and the parts that were cut.
    #[serde(default)]
    pub context_stats: Value,
    /// Answers to context requests that were there already.
    #[serde(default)]
    pub cache_stats: Value,
    /// Tokens of the whole exchange.
    #[serde(default)]
    pub token_usage: Usage,
    /// The part of each provider, where several were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderRecord>,
    /// The actions that were left out because two providers change the same place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merge_conflicts: Vec<MergeConflict>,
    /// Wall times in milliseconds, by name.
    #[serde(default)]
    pub timings_ms: BTreeMap<String, u64>,

    /// True when harmless damage in the reply's JSON was repaired here.
    #[serde(default)]
    pub json_repaired_locally: bool,
    /// True when tool calls of the reply were read as actions and context requests.
    #[serde(default)]
    pub tool_call_repaired: bool,
    /// Assumptions about the reply, a sentence each: the run knows what is missing, such as the digest of a file that
    /// it showed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The reply as validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validated_json: Option<Value>,
    /// The self-check of its summary, with `--self-check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_check: Option<SelfCheckRecord>,
    /// The second opinion on its change, where the command passed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judgement>,
    /// The number of actions that it asked for.
    #[serde(default)]
    pub actions_count: u64,
    /// The rung used for each hunk, by file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patch_strategy: BTreeMap<String, Vec<String>>,
    /// The runs of the command before and after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyRecord>,

    /// The answered requests and the edits of its replies.
    #[serde(default)]
    pub activity: ReplyActivity,
    /// Keys of the reply's `memory_patch` that the end of the run saves, unless the run is refused or stopped;
    /// `memory_saved` of the outcome has those that were saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_accepted: Vec<String>,
    /// Keys of it that are dropped, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub memory_dropped: BTreeMap<String, String>,

    /// True when online research was offered.
    #[serde(default)]
    pub online_fallback_attempted: bool,
    /// True when it was done.
    #[serde(default)]
    pub online_fallback_executed: bool,
    /// The code that made it be offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online_fallback_reason: Option<String>,
    /// The query that left the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online_query: Option<String>,
    /// The addresses of the sources that were shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub online_sources: Vec<String>,
    /// True when notes were part of the context.
    #[serde(default)]
    pub notes_injected: bool,
    /// The model's own words; only when they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_content: Option<String>,
}

impl TraceRecord {
    /// Starts the record of an exchange: failed, nothing known yet.
    pub fn new(trace_id: TraceId, run_id: RunId, mode: Mode, version: Version) -> Self {
        Self {
            trace_version: 1,
            trace_id,
            run_id,
            timestamp: String::new(),
            event: EventName::LlmPlanFailed.as_str().to_owned(),
            mode,
            provider: String::new(),
            model: String::new(),
            protocol_default: version.number(),
            protocol_version_used: version.number(),
            protocol_attempts: vec![version.to_string()],
            protocol_repair_attempt: 0,
            protocol_repair_reason: None,
            protocol_fallback_attempted: false,
            protocol_fallback_reason: None,
            protocol_fallback_stage: None,
            repair_injected_sha256: false,
            repair_injected_paths: Vec::new(),
            error_code: None,
            error: None,
            schema_version: version.number(),
            schema_hash: String::new(),
            config_snapshot: Value::Null,
            changes: None,
            strict_json: false,
            input_chars: 0,
            token_budget: 0,
            context_stats: Value::Null,
            cache_stats: Value::Null,
            token_usage: Usage::default(),
            providers: Vec::new(),
            merge_conflicts: Vec::new(),
            timings_ms: BTreeMap::new(),
            json_repaired_locally: false,
            tool_call_repaired: false,
            assumed: Vec::new(),
            validated_json: None,
            self_check: None,
            judge: None,
            actions_count: 0,
            patch_strategy: BTreeMap::new(),
            verify: None,
            activity: ReplyActivity::default(),
            memory_accepted: Vec::new(),
            memory_dropped: BTreeMap::new(),
            online_fallback_attempted: false,
            online_fallback_executed: false,
            online_fallback_reason: None,
            online_query: None,
            online_sources: Vec::new(),
            notes_injected: false,
            raw_content: None,
        }
    }
}

/// Returns the JSON Schema in `schemas/trace.schema.json`.
pub fn trace_schema() -> Value {
    schemars::schema_for!(TraceRecord).to_value()
}
