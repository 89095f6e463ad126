//! Exports finished spans as OTLP over HTTP, in the JSON encoding that the specification defines.
//!
//! The encoding is small and `system::Http` is present, so that no exporter crate is needed
//! (docs/dependencies.md has the count).

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::events::TARGET;
use super::otlp_config::OtlpConfig;
use crate::{Clock, Http, HttpRequest, Method, PrivateHosts};

/// Spans kept for one export at most; a batch whose runs never end would otherwise fill the memory.
const MAX_SPANS: usize = 10_000;

/// The longest answer read from the receiver, in bytes.
const MAX_ANSWER: u64 = 64 * 1024;

/// A layer that sends the spans of this crate to an OTLP receiver each time a root span ends.
///
/// A receiver that does not answer costs one timeout: after a failed export nothing more is sent,
/// and [`error`](Self::error) returns the reason.
/// It is a layer of `tracing`, so that the code that makes spans does not know of the export.
#[derive(Clone)]
pub struct OtlpLayer {
    exporter: Arc<Exporter>,
}

struct Exporter {
    config: OtlpConfig,
    http: Box<dyn Http>,
    clock: Box<dyn Clock>,
    mask: Box<dyn Fn(&str) -> String + Send + Sync>,
    // Added to the monotonic clock for the time of a span.
    /// Nanoseconds from the Unix epoch to the zero of `clock`.
    epoch_ns: u128,
    state: Mutex<ExporterState>,
}

#[derive(Default)]
// Spans that have ended and wait for the end of their root.
struct ExporterState {
    finished: Vec<Value>,
    error: Option<String>,
}

/// A span that has not ended, kept in the registry.
struct OpenSpan {
    trace_id: String,
    span_id: String,
    parent_id: Option<String>,
    name: String,
    kind: u8,
    start_ns: u128,
    attributes: Vec<Value>,
    error: Option<String>,
    failed: bool,
}

impl OtlpLayer {
    /// Returns the layer; nothing is sent before a root span ends. Texts go through `mask` first.
    pub fn new(
        config: OtlpConfig,
        http: Box<dyn Http>,
        clock: Box<dyn Clock>,
        mask: Box<dyn Fn(&str) -> String + Send + Sync>,
    ) -> Self {
        // A wall clock before 1970 counts as 1970.
        // The wall clock is read once, so that a correction of it during the run moves no span.
        let now = clock.timestamp().parse::<Timestamp>().map(Timestamp::as_nanosecond);
        let now = now.ok().and_then(|ns| u128::try_from(ns).ok()).unwrap_or_default();
        let epoch_ns = now.saturating_sub(clock.elapsed().as_nanos());
        let state = Mutex::default();
        Self { exporter: Arc::new(Exporter { config, http, clock, mask, epoch_ns, state }) }
    }

    /// Returns why spans were lost, if any were.
    pub fn error(&self) -> Option<String> {
        self.exporter.state().error.clone()
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for OtlpLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(is_ours) else { return };
        let parent = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            let open = extensions.get::<OpenSpan>()?;
            Some((open.trace_id.clone(), open.span_id.clone()))
        });
        let mut open = self.exporter.open_span(parent, span.name());
        attributes.record(&mut open);
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(open);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        // The last handle of the span is dropped here.
        let Some(span) = context.span(&id).filter(is_ours) else { return };
        let is_root = span.parent().is_none();
        let open = span.extensions_mut().remove::<OpenSpan>();
        if let Some(open) = open {
            self.exporter.finish_span(open, is_root);
        }
    }
}

/// Returns `true` for a span of this program; libraries below it use `tracing` too.
fn is_ours<'l, S: Subscriber + LookupSpan<'l>>(span: &SpanRef<'l, S>) -> bool {
    span.metadata().target() == TARGET
}

impl Exporter {
    /// Returns the state. A thread that panicked while it was locked does not stop the export.
    fn state(&self) -> MutexGuard<'_, ExporterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns nanoseconds since 1970, from the monotonic clock: spans of one run never end before
    /// they begin.
    fn now_ns(&self) -> u128 {
        self.epoch_ns + self.clock.elapsed().as_nanos()
    }

    /// Starts a span in its parent's trace; a root one in the caller's trace or a new one.
    fn open_span(&self, parent: Option<(String, String)>, name: &str) -> OpenSpan {
        let remote = self.config.parent.as_ref();
        let parent =
            parent.or_else(|| remote.map(|it| (it.trace_id.clone(), it.span_id.clone()))).unzip();
        OpenSpan {
            trace_id: parent.0.unwrap_or_else(|| self.random_hex(32)),
            span_id: self.random_hex(16),
            parent_id: parent.1,
            name: name.to_owned(),
            // `SPAN_KIND_INTERNAL`.
            kind: 1,
            start_ns: self.now_ns(),
            attributes: Vec::new(),
            error: None,
            failed: false,
        }
    }

    /// Returns that many hex digits of a random UUID, 32 at most.
    fn random_hex(&self, digits: usize) -> String {
        self.clock.fresh_id().chars().filter(char::is_ascii_hexdigit).take(digits).collect()
    }

    /// Adds a finished span to those that wait for the export.
    fn finish_span(&self, open: OpenSpan, is_root: bool) {
        let span = open.into_json(self.now_ns(), &self.mask);
        let mut state = self.state();
        // After an error no span is kept, because none would be sent.
        if state.error.is_some() || state.finished.len() >= MAX_SPANS {
            return;
        }
        state.finished.push(span);
        // A root ends its trace, so that all its spans are complete.
        if is_root {
            let spans = std::mem::take(&mut state.finished);
            // Runs of a batch end on several threads; they need not wait for each other's export.
            drop(state);
            if let Err(error) = self.export(&spans) {
                self.state().error = Some(error);
            }
        }
    }

    /// Sends spans as OTLP over HTTP in JSON (`ExportTraceServiceRequest`; opentelemetry.io, OTLP
    /// specification).
    fn export(&self, spans: &[Value]) -> Result<(), String> {
        let resource = self.config.resource.iter().map(|(key, value)| text_attribute(key, value));
        let scope = json!({ "name": "papayu-batch", "version": env!("CARGO_PKG_VERSION") });
        let body = json!({ "resourceSpans": [{
            "resource": { "attributes": resource.collect::<Vec<_>>() },
            "scopeSpans": [{ "scope": scope, "spans": spans }],
        }] });
        let request = HttpRequest {
            method: Method::Post,
            url: self.config.url.clone(),
            headers: self.config.headers.clone(),
            body: Some(body.to_string().into_bytes()),
            timeout: self.config.timeout,
            max_bytes: MAX_ANSWER,
            private_hosts: PrivateHosts::Allowed,
        };
        let answer = self.http.send(&request).map_err(|error| error.to_string())?;
        if !(200..300).contains(&answer.status) {
            return Err(format!("the receiver answered {}", answer.status));
        }
        // A receiver may accept the request and still refuse some of its spans.
        // An answer that is no JSON counts as complete success.
        let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let partial = &answer["partialSuccess"];
        match partial["rejectedSpans"].as_str().unwrap_or("0") {
            "0" => Ok(()),
            count => {
                Err(format!("the receiver rejected {count} spans: {}", partial["errorMessage"]))
            }
        }
    }
}

impl OpenSpan {
    /// Returns the span as the specification encodes it: 64-bit numbers are strings.
    fn into_json(self, end_ns: u128, mask: &dyn Fn(&str) -> String) -> Value {
        let mut attributes = self.attributes;
        for attribute in &mut attributes {
            if let Some(Value::String(text)) = attribute.pointer_mut("/value/stringValue") {
                *text = mask(text);
            }
        }
        let mut span = json!({
            "traceId": self.trace_id,
            "spanId": self.span_id,
            "name": mask(&self.name),
            "kind": self.kind,
            "startTimeUnixNano": self.start_ns.to_string(),
            "endTimeUnixNano": end_ns.to_string(),
        });
        // Empty fields are left out, as the official encoders do.
        if !attributes.is_empty() {
            span["attributes"] = attributes.into();
        }
        if let Some(parent) = self.parent_id {
            span["parentSpanId"] = parent.into();
        }
        // 2 is `STATUS_CODE_ERROR`; an unset status means success.
        if self.failed {
            let message = mask(&self.error.unwrap_or_default());
            span["status"] = json!({ "code": 2, "message": message });
        }
        span
    }

    /// Adds an attribute; `kind` is the name of its value in OTLP: `stringValue`, `intValue`,
    /// `doubleValue`, `boolValue`.
    fn add_attribute(&mut self, field: &Field, kind: &str, value: &Value) {
        self.attributes.push(json!({ "key": field.name(), "value": { kind: value } }));
    }
}

impl Visit for OpenSpan {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "otel.name" => value.clone_into(&mut self.name),
            // `SPAN_KIND_CLIENT`; every other span of ours is internal.
            "otel.kind" => self.kind = if value == "client" { 3 } else { 1 },
            "otel.status_code" => self.failed = value == "ERROR",
            "otel.status_message" => self.error = Some(value.to_owned()),
            name => self.attributes.push(text_attribute(name, value)),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        // 64-bit integers are strings in the JSON encoding of protocol buffers.
        self.add_attribute(field, "intValue", &Value::from(value.to_string()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add_attribute(field, "intValue", &Value::from(value.to_string()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add_attribute(field, "doubleValue", &Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add_attribute(field, "boolValue", &Value::from(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = String::new();
        let _ = write!(text, "{value:?}");
        self.record_str(field, &text);
    }
}

/// Returns an attribute with a text.
fn text_attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests;
