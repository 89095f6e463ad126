//! Reads INI as Python's `configparser` does, which the tools that use the format are written with.

use super::node::{ConfigValue, Field, Node, ParsedConfig};

/// Returns a table of sections, each a table of texts; keys before the first section are in the outer table.
///
/// A key is in lower case, for `configparser` ignores case. A value goes on in lines that are indented more
/// than its key, and keeps its line breaks. There are no syntax errors: other lines are skipped.
pub(super) fn parse_ini(text: &str) -> ParsedConfig {
    let mut top = Vec::new();
    let mut section: Option<Field> = None;
    let mut key_indent: Option<usize> = None;
    // Lines are numbered from 1, as in messages of tools.
    for (line, number) in text.lines().zip(1..) {
        let bare = line.trim();
        // An empty line does not end a value in `configparser`, so the indentation stays known.
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        // Bytes are enough: the indentation is compared only with itself.
        let indent = line.len() - line.trim_start().len();
        let fields = match &mut section {
            Some(Field { value: Node { value: ConfigValue::Table(fields), .. }, .. }) => fields,
            _ => &mut top,
        };
        if key_indent.is_some_and(|key| indent > key) {
            // A section's header is never a continuation, because keys are not indented in
            // these files.
            continue_value(fields, bare);
        } else if let Some(name) = section_name(bare) {
            // The open section is complete with the next header.
            top.extend(section.take());
            let value = Node { line: number, value: ConfigValue::Table(Vec::new()) };
            section = Some(Field { name: name.to_owned(), line: number, value });
            key_indent = None;
        } else {
            // A key without a value is a switch that is on.
            // The first of both separators counts: `a:b=c` is the key `a`.
            let (name, value) = bare.split_once(['=', ':']).unwrap_or((bare, ""));
            let value = Node { line: number, value: ConfigValue::Text(value.trim().to_owned()) };
            let name = name.trim().trim_matches(['"', '\'']).to_lowercase();
            fields.push(Field { name, line: number, value });
            key_indent = Some(indent);
        }
    }
    // The last section has no header after it.
    top.extend(section);
    ParsedConfig::from_root(Node { line: 1, value: ConfigValue::Table(top) })
}

/// Returns the name between `[` and the last `]` of a line; `None` for a line that does not
/// begin with a bracket.
/// `configparser` ignores what follows the last bracket.
fn section_name(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.rsplit_once(']').map(|(name, _)| name)
}

/// Appends an indented line to the last value, as `configparser` of Python does.
fn continue_value(fields: &mut [Field], line: &str) {
    // Without a key before it, the line belongs to nothing and is skipped.
    if let Some(Field { value: Node { value: ConfigValue::Text(text), .. }, .. }) =
        fields.last_mut()
    {
        text.push('\n');
        text.push_str(line);
    }
}
