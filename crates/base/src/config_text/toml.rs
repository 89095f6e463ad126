//! Reads TOML.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::node::{ConfigValue, FaultKind, Field, LineTable, Node, ParsedConfig};

/// Returns the table of a text, without what its errors make unreadable. The parser itself limits how deep
/// values are nested.
pub(super) fn parse_toml(text: &str) -> ParsedConfig {
    let lines = LineTable::new(text);
    // The parser goes on after an error, so that one wrong line does not hide the other keys.
    let (table, errors) = DeTable::parse_recoverable(text);
    let root = Node { line: 1, value: read_table(table.get_ref(), &lines) };
    let mut parsed = ParsedConfig::from_root(root);
    for error in errors {
        // An error without a place belongs to the first line.
        let line = lines.line(error.span().map_or(0, |span| span.start));
        parsed.add_fault(line, FaultKind::Syntax(error.message().to_owned()));
    }
    parsed
}

/// Reads a table, with its keys in the order of the file.
fn read_table(table: &DeTable<'_>, lines: &LineTable) -> ConfigValue {
    let mut fields: Vec<(usize, Field)> = Vec::new();
    for (key, value) in table {
        let start = key.span().start;
        // Quotes and escapes of a key are resolved.
        let name = key.get_ref().to_string();
        fields.push((
            start,
            Field { name, line: lines.line(start), value: read_value(value, lines) },
        ));
    }
    // The parser sorts keys by name; messages want the order of the file.
    fields.sort_by_key(|(start, _)| *start);
    ConfigValue::Table(fields.into_iter().map(|(_, field)| field).collect())
}

/// Reads a value with its line, from 1.
fn read_value(spanned: &Spanned<DeValue<'_>>, lines: &LineTable) -> Node {
    let line = lines.line(spanned.span().start);
    let value = match spanned.get_ref() {
        DeValue::String(text) => ConfigValue::Text(text.to_string()),
        DeValue::Integer(integer) => read_integer(integer),
        DeValue::Float(float) => read_number(float.as_str()),
        DeValue::Boolean(is_on) => ConfigValue::Switch(*is_on),
        DeValue::Datetime(time) => ConfigValue::Text(time.to_string()),
        DeValue::Array(items) => {
            ConfigValue::List(items.iter().map(|it| read_value(it, lines)).collect())
        }
        DeValue::Table(inner) => read_table(inner, lines),
    };
    Node { line, value }
}

/// Reads an integer of any base; one in another base than ten that needs more than 32 bits is nothing.
fn read_integer(integer: &DeInteger<'_>) -> ConfigValue {
    // TOML allows underscores between digits, and the prefixes `0x`, `0o` and `0b`.
    if integer.radix() == 10 {
        return read_number(integer.as_str());
    }
    // Settings in other bases are masks and modes, which fit into 32 bits.
    let digits = integer.as_str().replace('_', "");
    let number = u32::from_str_radix(&digits, integer.radix());
    number.map_or(ConfigValue::Nothing, |number| ConfigValue::Number(f64::from(number)))
}

fn read_number(text: &str) -> ConfigValue {
    // `inf` and `nan` are numbers in TOML and for Rust's parser as well.
    text.replace('_', "").parse().map_or(ConfigValue::Nothing, ConfigValue::Number)
}
