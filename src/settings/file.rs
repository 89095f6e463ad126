//! Reads a `papayu.toml`: sections and keys of the table, each with its line, and nothing else.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{SettingsProblem, SettingsProblemKind};
use super::keys::KEYS;
use super::layers::{LayerEntry, Layers};
use super::origin::{FileOwner, ValueOrigin};
use super::raw::RawValue;
use papayu_base::text::spelling::find_nearest;

/// Returns the values that the file sets, and its problems: syntax, unknown names, and secrets
/// in a file of the repository.
pub(super) fn read_file(path: &Path, text: &str, owner: FileOwner) -> Layers {
    let place = |offset: usize| ValueOrigin::File {
        path: path.to_owned(),
        line: line_of(text, offset),
        owner,
    };
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let place = place(error.span().map_or(0, |span| span.start));
            let kind = SettingsProblemKind::Syntax(error.message().to_owned());
            return Layers { entries: Vec::new(), problems: vec![SettingsProblem { place, kind }] };
        }
    };
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    for (offset, name, value) in leaf_values(document.get_ref()) {
        let origin = place(offset);
        match read_entry(&name, value, owner) {
            Ok((key, raw)) => entries.push(LayerEntry { key, raw, origin }),
            Err(kind) => problems.push(SettingsProblem { place: origin, kind }),
        }
    }
    Layers { entries, problems }
}

/// Returns the row of the table for a dotted name, with its raw value. Secrets in a file of the
/// repository are refused, since everyone who can read the repository could read them.
fn read_entry(
    name: &str,
    value: &DeValue<'_>,
    owner: FileOwner,
) -> Result<(&'static str, RawValue), SettingsProblemKind> {
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        let nearest = find_nearest(name, KEYS.iter().map(|key| key.name));
        return Err(SettingsProblemKind::Unknown { name: name.to_owned(), nearest });
    };
    let raw = RawValue::from_toml(value);
    if key.secret && owner == FileOwner::Repository && !raw.is_empty() {
        let env = key.env.first().copied().unwrap_or_default();
        return Err(SettingsProblemKind::CommittedSecret { key: key.name, env });
    }
    Ok((key.name, raw))
}

/// Returns every value below a section, with its dotted name and the byte it begins at,
/// in the order of the file.
fn leaf_values<'t>(document: &'t DeTable<'_>) -> Vec<(usize, String, &'t DeValue<'t>)> {
    let known = |section: &str| {
        KEYS.iter().any(|key| key.name.split_once('.').is_some_and(|(name, _)| name == section))
    };
    let mut found = Vec::new();
    for (section, value) in document {
        let name: &str = section.get_ref();
        match value.get_ref() {
            // A mistyped section is reported by its keys; their suggestions name the right one.
            DeValue::Table(table) if known(name) || !table.is_empty() => {
                let inner = table.iter().map(|(key, value)| {
                    (key.span().start, format!("{name}.{}", key.get_ref()), Spanned::get_ref(value))
                });
                found.extend(inner);
            }
            other => found.push((section.span().start, name.to_owned(), other)),
        }
    }
    // The parser returns keys sorted by name.
    found.sort_by_key(|(offset, ..)| *offset);
    found
}

/// Returns the line of a byte, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
