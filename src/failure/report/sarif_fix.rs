//! Reads the `fixes` of a SARIF result: regions in lines, characters or bytes, and what is inserted there.

use serde::Deserialize;

use crate::domain::{ColumnUnit, Location, Region, ReportedChange, ReportedFix};

/// Most replacements of one fix.
const MAX_CHANGES: usize = 200;
/// Longest text of one replacement, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// A fix object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProposedFix {
    description: Option<Words>,
    #[serde(default)]
    artifact_changes: Vec<ArtifactChange>,
}

#[derive(Deserialize)]
struct Words {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: Artifact,
    #[serde(default)]
    replacements: Vec<Replacement>,
}

#[derive(Deserialize)]
struct Artifact {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: DeletedRegion,
    inserted_content: Option<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
    /// Bytes in base64: no text.
    binary: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeletedRegion {
    start_line: Option<usize>,
    start_column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    char_offset: Option<usize>,
    char_length: Option<usize>,
    byte_offset: Option<usize>,
    byte_length: Option<usize>,
    snippet: Option<Content>,
}

/// Returns what to do about a result's first place; `None` where the report proposes nothing.
pub(super) fn fix(
    mut fixes: Vec<ProposedFix>,
    at: &Location,
    unit: ColumnUnit,
) -> Option<ReportedFix> {
    let last = fixes.pop()?;
    let at = Location { path: path(&at.path), ..at.clone() };
    let words = |fix: &ProposedFix| {
        let text = fix.description.as_ref().and_then(|words| words.text.as_deref());
        text.and_then(|text| text.lines().next()).unwrap_or_default().to_owned()
    };
    if !fixes.is_empty() {
        let all: Vec<String> = fixes.iter().chain([&last]).map(words).collect();
        return Some(ReportedFix { at, description: all.join(" or "), changes: Vec::new() });
    }
    let description = words(&last);
    let changes = last.artifact_changes.into_iter().flat_map(|file| {
        let uri = file.artifact_location.uri;
        file.replacements.into_iter().map(move |made| change(uri.as_deref()?, made, unit))
    });
    // One that is half read is not read.
    let changes: Option<Vec<_>> = changes.take(MAX_CHANGES + 1).collect();
    let changes = changes.filter(|changes| changes.len() <= MAX_CHANGES)?;
    Some(ReportedFix { at, description, changes })
}

fn change(uri: &str, made: Replacement, unit: ColumnUnit) -> Option<ReportedChange> {
    let text = match made.inserted_content {
        None => String::new(),
        Some(Content { binary: Some(_), .. }) => return None,
        Some(content) => content.text.unwrap_or_default(),
    };
    let snippet = made.deleted_region.snippet.as_ref().and_then(|content| content.text.clone());
    let region = region(&made.deleted_region, unit)?;
    (text.len() <= MAX_TEXT_BYTES).then(|| ReportedChange {
        path: path(uri),
        region,
        snippet,
        text,
    })
}

fn region(said: &DeletedRegion, unit: ColumnUnit) -> Option<Region> {
    if let Some(line) = said.start_line {
        return Some(Region::Lines {
            start: (line, said.start_column.unwrap_or(1)),
            end_line: said.end_line.unwrap_or(line),
            end_column: said.end_column,
            unit,
        });
    }
    if let Some(offset) = said.char_offset {
        return Some(Region::Chars { offset, length: said.char_length.unwrap_or(0), unit });
    }
    let offset = said.byte_offset?;
    Some(Region::Bytes { offset, length: said.byte_length.unwrap_or(0) })
}

/// Returns the path that a URI means: without its scheme, its characters as they are.
fn path(uri: &str) -> String {
    let url = url::Url::parse(uri).ok().filter(|url| url.scheme() == "file");
    let encoded = url.as_ref().map_or(uri, url::Url::path);
    decoded(encoded).unwrap_or_else(|| encoded.to_owned())
}

/// Resolves `%20` and the like; `None` where that leaves no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = || {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        match (first, (*first == b'%').then(code).flatten()) {
            (_, Some(code)) => {
                bytes.push(code);
                rest = tail.get(2..).unwrap_or_default();
            }
            (byte, None) => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
