//! Reads the JSON of ESLint, ruff and Biome.

use serde::Deserialize;

use crate::domain::{Failure, FailureKind, Location};
use crate::failure::draft::Draft;
use crate::failure::quoted;

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
struct Biome {
    diagnostics: Vec<BiomeFinding>,
}

#[derive(Deserialize)]
struct BiomeFinding {
    category: Option<String>,
    severity: String,
    /// The message as a text; later versions have only `message`, which was in pieces before.
    #[serde(default)]
    description: String,
    message: Option<serde_json::Value>,
    location: BiomeLocation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BiomeLocation {
    path: Option<BiomePath>,
    /// Offsets of bytes.
    span: Option<(usize, usize)>,
    source_code: Option<String>,
    start: Option<BiomeStart>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BiomePath {
    File { file: String },
    Plain(String),
}

#[derive(Deserialize)]
struct BiomeStart {
    line: u32,
    column: u32,
}

/// Returns the errors of a report of any of these; `None` for other JSON.
pub(super) fn read(text: &str) -> Option<Vec<Failure>> {
    if !text.starts_with('[') {
        let report = serde_json::from_str::<Biome>(text).ok()?;
        return Some(report.diagnostics.into_iter().filter_map(biome).collect());
    }
    if let Ok(files) = serde_json::from_str::<Vec<EslintFile>>(text) {
        return Some(files.into_iter().flat_map(eslint).collect());
    }
    let findings = serde_json::from_str::<Vec<RuffFinding>>(text).ok()?;
    Some(findings.into_iter().map(ruff).collect())
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

fn biome(found: BiomeFinding) -> Option<Failure> {
    if !matches!(found.severity.as_str(), "error" | "fatal") {
        return None;
    }
    let category = found.category.unwrap_or_default();
    let kind = if category == "parse" { FailureKind::Compile } else { FailureKind::Lint };
    let text = found.message.as_ref().and_then(serde_json::Value::as_str);
    let mut draft =
        Draft::new("node", kind, text.unwrap_or(&found.description)).with_code(&category);
    let BiomeLocation { path, span, source_code, start } = found.location;
    let from_span = || {
        let before = source_code.as_deref()?.get(..span?.0)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
    };
    let at = start.map(|start| (start.line, start.column)).or_else(from_span);
    if let Some(BiomePath::File { file: path } | BiomePath::Plain(path)) = path {
        draft.place(Location {
            path,
            line: at.map(|(line, _)| line),
            column: at.map(|(_, column)| column),
        });
    }
    let row = at.and_then(|(line, _)| usize::try_from(line).ok()).unwrap_or(1);
    let source =
        source_code.as_deref().and_then(|source| source.lines().nth(row.saturating_sub(1)));
    draft.quote(source.and_then(quoted::is_source).unwrap_or_default());
    Some(draft.done())
}
