//! A manifest in JSON; raw values lead back to the line they stand on.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::node::{Field, LineIndex, MAX_DEPTH, Node, Value};
use super::problem::{Problem, ProblemKind};

/// Returns the file's value.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let syntax = |error: &serde_json::Error| {
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default().to_owned();
        Problem { line: error.line().max(1), kind: ProblemKind::Syntax("JSON", said) }
    };
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    let lines = LineIndex::new(text);
    Reader { start: text.as_ptr() as usize, lines }.node(raw, 0)
}

struct Reader {
    /// Where the text stands in memory: raw values are parts of it.
    start: usize,
    lines: LineIndex,
}

impl Reader {
    fn node(&self, raw: &RawValue, depth: usize) -> Result<Node, Problem> {
        let text = raw.get();
        let line = self.lines.line((text.as_ptr() as usize).saturating_sub(self.start));
        if depth > MAX_DEPTH {
            return Err(Problem { line, kind: ProblemKind::TooDeep });
        }
        let wrong = |error: serde_json::Error| {
            let kind = ProblemKind::Syntax("JSON", error.to_string());
            Problem { line, kind }
        };
        let value = match text.bytes().next() {
            Some(b'{') => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let fields = reader.deserialize_map(Fields).map_err(wrong)?;
                let field = |(name, raw): (String, &RawValue)| {
                    let value = self.node(raw, depth + 1)?;
                    Ok(Field { name, line: value.line, value })
                };
                Value::Table(fields.into_iter().map(field).collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let items = reader.deserialize_seq(Items).map_err(wrong)?;
                let items = items.into_iter().map(|raw| self.node(raw, depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(serde_json::from_str(text).map_err(wrong)?),
            Some(b't' | b'f') => Value::Switch,
            Some(b'n') | None => Value::Nothing,
            Some(_) => Value::Number(serde_json::from_str(text).map_err(wrong)?),
        };
        Ok(Node { line, value })
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(all)
    }
}
