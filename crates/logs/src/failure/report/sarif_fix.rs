//! Reads the `fixes` of a SARIF result: regions in lines, characters or bytes, and the text to insert there.

use serde_json::Value;

use super::{items_at, number_at, text_at};
use papayu_base::domain::{ColumnUnit, Location, Region, ReportedChange, ReportedFix};

/// The maximal number of replacements of one fix.
const MAX_CHANGES: usize = 200;
/// The longest text of one replacement, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Returns the fix of a result at its first location; `None` if the report proposes none that can be read.
pub(super) fn read_fix(fixes: &[Value], at: &Location, unit: ColumnUnit) -> Option<ReportedFix> {
    let at = Location { path: path_of_uri(&at.path), ..at.clone() };
    let descriptions: Vec<&str> = fixes.iter().map(first_line).collect();
    let description = descriptions.join(" or ");
    let [fix] = fixes else {
        // Several fixes are alternatives, between which only a person or a model can choose.
        return (!fixes.is_empty()).then(|| ReportedFix { at, description, changes: Vec::new() });
    };
    let mut changes = Vec::new();
    for file in items_at(fix, "/artifactChanges") {
        for replacement in items_at(file, "/replacements") {
            // A fix is applied as a whole, so one unreadable part discards it.
            let uri = text_at(file, "/artifactLocation/uri")?;
            changes.push(read_change(uri, replacement, unit)?);
        }
    }
    (changes.len() <= MAX_CHANGES).then_some(ReportedFix { at, description, changes })
}

/// Returns the first line of a fix's description.
fn first_line(fix: &Value) -> &str {
    let text = text_at(fix, "/description/text").unwrap_or_default();
    text.lines().next().unwrap_or_default()
}

/// Reads one replacement; `None` if its text is binary or too long.
fn read_change(uri: &str, replacement: &Value, unit: ColumnUnit) -> Option<ReportedChange> {
    if replacement.pointer("/insertedContent/binary").is_some_and(|binary| !binary.is_null()) {
        return None;
    }
    let text = text_at(replacement, "/insertedContent/text").unwrap_or_default().to_owned();
    let region = replacement.get("deletedRegion")?;
    let snippet = text_at(region, "/snippet/text").map(str::to_owned);
    let region = read_region(region, unit)?;
    let path = path_of_uri(uri);
    (text.len() <= MAX_TEXT_BYTES).then_some(ReportedChange { path, region, snippet, text })
}

/// Reads a region by lines, characters or bytes, in this order of preference.
fn read_region(region: &Value, unit: ColumnUnit) -> Option<Region> {
    let number = |pointer| number_at::<usize>(region, pointer);
    if let Some(line) = number("/startLine") {
        return Some(Region::Lines {
            start: (line, number("/startColumn").unwrap_or(1)),
            end_line: number("/endLine").unwrap_or(line),
            end_column: number("/endColumn"),
            unit,
        });
    }
    if let Some(offset) = number("/charOffset") {
        return Some(Region::Chars { offset, length: number("/charLength").unwrap_or(0), unit });
    }
    let offset = number("/byteOffset")?;
    Some(Region::Bytes { offset, length: number("/byteLength").unwrap_or(0) })
}

/// Returns the path that a URI means: without its scheme, its characters as they are.
pub(super) fn path_of_uri(uri: &str) -> String {
    // Relative URIs are not parsed: the crate would resolve `..` against a base.
    let url = url::Url::parse(uri).ok().filter(|url| url.scheme() == "file");
    let encoded = url.as_ref().map_or(uri, url::Url::path);
    decode_percent(encoded).unwrap_or_else(|| encoded.to_owned())
}

/// Resolves `%20` and the like; `None` where that leaves no UTF-8.
fn decode_percent(text: &str) -> Option<String> {
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
