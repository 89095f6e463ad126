//! Reads the JSON of ESLint, ruff, jest and vitest, and SARIF.

use serde::Deserialize;

use crate::domain::{Failure, FailureKind, Location};
use crate::failure::draft::Draft;
use crate::failure::findings::MAX_FAILURES;
use crate::failure::toolchain::{Frame, stack_frame};
use crate::text::clean_line;

/// ESLint's severity of an error.
const ESLINT_ERROR: u8 = 2;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<EslintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

#[derive(Deserialize)]
struct RuffFinding {
    code: Option<String>,
    filename: String,
    location: RuffLocation,
    message: String,
}

#[derive(Deserialize)]
struct RuffLocation {
    row: u32,
    column: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Jest {
    test_results: Vec<JestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestFile {
    name: String,
    #[serde(default)]
    message: String,
    status: String,
    #[serde(default)]
    assertion_results: Vec<JestTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestTest {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    failure_messages: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Sarif {
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
struct SarifRun {
    #[serde(default)]
    results: Vec<SarifResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
}

#[derive(Deserialize)]
struct SarifMessage {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: Option<SarifPlace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifPlace {
    artifact_location: Option<SarifFile>,
    region: Option<SarifRegion>,
}

#[derive(Deserialize)]
struct SarifFile {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: Option<u32>,
    start_column: Option<u32>,
}

/// Returns the failures of a report of any of these; `None` for other JSON.
pub(super) fn read(text: &str) -> Option<Vec<Failure>> {
    let failures: Vec<Failure> = if text.starts_with('[') {
        if let Ok(files) = serde_json::from_str::<Vec<EslintFile>>(text) {
            files.into_iter().flat_map(eslint).take(MAX_FAILURES).collect()
        } else {
            let findings = serde_json::from_str::<Vec<RuffFinding>>(text).ok()?;
            findings.into_iter().map(ruff).take(MAX_FAILURES).collect()
        }
    } else if let Ok(report) = serde_json::from_str::<Jest>(text) {
        report.test_results.iter().flat_map(jest).take(MAX_FAILURES).collect()
    } else {
        let report = serde_json::from_str::<Sarif>(text).ok()?;
        let results = report.runs.into_iter().flat_map(|run| run.results);
        results.filter_map(sarif).take(MAX_FAILURES).collect()
    };
    Some(failures)
}

fn eslint(file: EslintFile) -> impl Iterator<Item = Failure> {
    let errors = file.messages.into_iter().filter(|message| message.severity == ESLINT_ERROR);
    errors.map(move |said| {
        let kind = if said.rule_id.is_some() { FailureKind::Lint } else { FailureKind::Compile };
        let mut draft = Draft::new("node", kind, &said.message);
        if let Some(rule) = &said.rule_id {
            draft = draft.with_code(rule);
        }
        let path = file.file_path.clone();
        draft.place(Location { path, line: said.line, column: said.column });
        draft.done()
    })
}

fn ruff(found: RuffFinding) -> Failure {
    let is_syntax = matches!(found.code.as_deref(), None | Some("invalid-syntax" | "E999"));
    let kind = if is_syntax { FailureKind::Compile } else { FailureKind::Lint };
    let mut draft = Draft::new("python", kind, &found.message);
    if let Some(code) = &found.code {
        draft = draft.with_code(code);
    }
    draft.place(Location {
        path: found.filename,
        line: Some(found.location.row),
        column: Some(found.location.column),
    });
    draft.done()
}

fn jest(file: &JestFile) -> Vec<Failure> {
    let failed: Vec<_> =
        file.assertion_results.iter().filter(|test| test.status == "failed").collect();
    if failed.is_empty() && file.status == "failed" {
        return vec![told(Draft::new("node", FailureKind::Crash, ""), &file.message, &file.name)];
    }
    let told_of = |test: &JestTest| {
        let titles = test.ancestor_titles.iter().chain([&test.title]);
        let titles: Vec<&str> =
            titles.map(String::as_str).filter(|title| !title.is_empty()).collect();
        let name = format!("{} > {}", file.name, titles.join(" > "));
        let draft = Draft::new("node", FailureKind::Test, "").of_test(&name);
        let words = test.failure_messages.iter().flatten().next().map_or("", String::as_str);
        told(draft, words, &file.name)
    };
    failed.into_iter().map(told_of).collect()
}

/// Reads a message and the stack under it.
fn told(mut draft: Draft, words: &str, file: &str) -> Failure {
    let mut in_frames = false;
    for line in words.lines() {
        let line = clean_line(line);
        if let Some(frame) = stack_frame(line.trim()) {
            in_frames = true;
            if let Frame::At(at) = frame {
                draft.place(at);
            }
        } else if !in_frames {
            draft.say(&line);
        }
    }
    if draft.failure.locations.is_empty() {
        draft.place(Location { path: file.to_owned(), line: None, column: None });
    }
    if draft.failure.message.contains("Cannot find module") {
        draft.failure.kind = FailureKind::Import;
    }
    draft.done()
}

fn sarif(result: SarifResult) -> Option<Failure> {
    // Without a level it is a warning.
    if result.level.as_deref() != Some("error") {
        return None;
    }
    let message = result.message.text.unwrap_or_default();
    let mut draft = Draft::new("sarif", FailureKind::Lint, &message);
    if let Some(rule) = &result.rule_id {
        draft = draft.with_code(rule);
    }
    for place in result.locations.into_iter().filter_map(|at| at.physical_location) {
        let Some(path) = place.artifact_location.and_then(|file| file.uri) else { continue };
        let (line, column) =
            place.region.map_or((None, None), |region| (region.start_line, region.start_column));
        draft.place(Location { path, line, column });
    }
    Some(draft.done())
}
