//! Reads the JSON messages of cargo and rustc, one per line.
//!
//! ```text
//! {"reason":"compiler-message","message":{"level":"error","code":{"code":"E0425"},...}}
//! {"$message_type":"diagnostic","level":"error","code":null,...}
//! ```

use serde::Deserialize;

use crate::failure::draft::FailureDraft;
use papayu_base::domain::{Failure, FailureKind, Location};

use super::rust::{is_consequence, is_import_code};

/// The content of a JSON line.
#[derive(Debug, PartialEq)]
pub(in crate::failure) enum CargoMessage {
    /// A report of progress or a warning: nothing to show.
    Quiet,
    /// An error, and the text that a person would have seen.
    Error {
        /// The failure.
        failure: Box<Failure>,
        /// rustc's own rendering.
        rendered: String,
    },
}

/// A line of cargo; only compiler messages have `message`.
#[derive(Deserialize)]
struct CargoLine {
    message: Option<CargoDiagnostic>,
}

/// A diagnostic of rustc.
#[derive(Deserialize)]
struct CargoDiagnostic {
    message: String,
    code: Option<CargoCode>,
    level: String,
    spans: Vec<CargoSpan>,
    children: Vec<Child>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct CargoCode {
    code: String,
}

/// A note or help under a diagnostic.
#[derive(Deserialize)]
struct Child {
    spans: Vec<CargoSpan>,
}

/// A range of the source.
#[derive(Deserialize)]
struct CargoSpan {
    file_name: String,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
}

/// Reads a line of cargo's `--message-format json` or of rustc's `--error-format json`; `None` for
/// any other line.
pub(in crate::failure) fn read_message(line: &str) -> Option<CargoMessage> {
    let line = line.trim();
    let diagnostic = if line.starts_with(r#"{"reason":""#) {
        // A line cut off in the middle is still no text for people.
        serde_json::from_str::<CargoLine>(line).ok().and_then(|line| line.message)
    } else if line.starts_with(r#"{"$message_type":""#) {
        serde_json::from_str(line).ok()
    } else {
        return None;
    };
    let Some(diagnostic) = diagnostic else { return Some(CargoMessage::Quiet) };
    if !diagnostic.level.starts_with("error") || is_consequence(&diagnostic.message) {
        return Some(CargoMessage::Quiet);
    }
    // The rendered form is what a person would have seen without JSON.
    let rendered = diagnostic.rendered.clone().unwrap_or_else(|| diagnostic.message.clone());
    Some(CargoMessage::Error { failure: Box::new(to_failure(diagnostic)), rendered })
}

/// Returns the failure of a diagnostic, its primary spans first.
fn to_failure(diagnostic: CargoDiagnostic) -> Failure {
    let code = diagnostic.code.map(|code| code.code);
    let kind = match &code {
        Some(code) if is_import_code(code) => FailureKind::Import,
        Some(code) if !code.starts_with('E') => FailureKind::Lint,
        _ => FailureKind::Compile,
    };
    let mut draft = FailureDraft::new("rust", kind, &diagnostic.message).with_code(code.as_deref());
    let (primary, secondary): (Vec<_>, Vec<_>) =
        diagnostic.spans.into_iter().partition(|span| span.is_primary);
    let children = diagnostic.children.into_iter().flat_map(|child| child.spans);
    for span in primary.into_iter().chain(secondary).chain(children) {
        draft.add_location(Location {
            path: span.file_name,
            line: Some(span.line_start),
            column: Some(span.column_start),
        });
    }
    draft.finish()
}
