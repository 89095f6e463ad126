//! A manifest in TOML.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::node::{Field, LineIndex, Node, Value};
use super::problem::{Problem, ProblemKind};

/// Returns the file's table; the parser itself refuses what stands too deep.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let lines = LineIndex::new(text);
    match DeTable::parse(text) {
        Ok(document) => Ok(Node { line: 1, value: table(document.get_ref(), &lines) }),
        Err(error) => {
            let line = lines.line(error.span().map_or(0, |span| span.start));
            Err(Problem { line, kind: ProblemKind::Syntax("TOML", error.message().to_owned()) })
        }
    }
}

fn table(table: &DeTable<'_>, lines: &LineIndex) -> Value {
    let mut fields: Vec<(usize, Field)> = Vec::new();
    for (key, value) in table {
        let start = key.span().start;
        let name = key.get_ref().to_string();
        fields.push((start, Field { name, line: lines.line(start), value: node(value, lines) }));
    }
    fields.sort_by_key(|(start, _)| *start);
    Value::Table(fields.into_iter().map(|(_, field)| field).collect())
}

fn node(spanned: &Spanned<DeValue<'_>>, lines: &LineIndex) -> Node {
    let line = lines.line(spanned.span().start);
    let number = |text: &str| text.replace('_', "").parse().map_or(Value::Nothing, Value::Number);
    let value = match spanned.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => number(integer.as_str()),
        DeValue::Float(float) => number(float.as_str()),
        DeValue::Boolean(_) => Value::Switch,
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|it| node(it, lines)).collect()),
        DeValue::Table(inner) => table(inner, lines),
    };
    Node { line, value }
}
