//! The spans of a run: one for the run, one for each stage of it, one for each request to a
//! provider.
//!
//! Field names with dots are those of OpenTelemetry's semantic conventions for generative AI;
//! `otel.*` fields are the ones that `tracing-opentelemetry` understands.

use tracing::Span;
use tracing::field::Empty;

use super::events::TARGET;
use papayu_base::domain::{Outcome, RunId, Usage};

/// Returns the span of a run; [`record_outcome`] completes it.
// Fields must be declared with the span: `Empty` ones are recorded later.
pub fn run_span(id: &RunId) -> Span {
    tracing::info_span!(
        target: TARGET,
        "run",
        run_id = id.as_str(),
        outcome = Empty,
        exit_code = Empty,
        failure_class = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        cost_usd = Empty,
    )
}

/// Records how the run ended, its tokens, and its cost in US dollars where every price is known.
pub fn record_outcome(span: &Span, outcome: &Outcome) {
    span.record("outcome", outcome.outcome.name());
    span.record("exit_code", outcome.exit_code);
    span.record("failure_class", outcome.failure_class.as_deref());
    // Unknown values leave their fields empty.
    record_usage(span, outcome.tokens, outcome.cost_usd);
}

/// Returns the span of a stage of a run, named after it.
pub fn stage_span(name: &'static str) -> Span {
    tracing::info_span!(target: TARGET, "stage", otel.name = name)
}

/// Returns the span of a request to a provider and its retries; `purpose` is why it is sent.
pub fn request_span(provider: &str, model: &str, purpose: &str) -> Span {
    tracing::info_span!(
        target: TARGET,
        "request",
        otel.name = format!("chat {model}"),
        otel.kind = "client",
        otel.status_code = Empty,
        otel.status_message = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = model,
        purpose,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        cost_usd = Empty,
    )
}

/// Records the tokens of a request or a run, and their cost in US dollars where it is known.
pub fn record_usage(span: &Span, usage: Usage, cost_usd: Option<f64>) {
    span.record("gen_ai.usage.input_tokens", usage.input);
    span.record("gen_ai.usage.output_tokens", usage.output);
    span.record("cost_usd", cost_usd);
}

/// Marks a span as failed.
pub fn record_error(span: &Span, message: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("otel.status_message", message);
}
