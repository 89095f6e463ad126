//! A manifest in YAML: events with their lines; no anchors, no aliases, one document.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::node::{Field, MAX_DEPTH, Node, Value};
use super::problem::{Problem, ProblemKind};

/// A list or table that is still being read.
struct Open {
    line: usize,
    is_table: bool,
    items: Vec<Node>,
    fields: Vec<Field>,
    /// The key whose value comes next.
    key: Option<(String, usize)>,
}

/// Returns the file's value; an empty file is nothing.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let mut open: Vec<Open> = Vec::new();
    let mut whole: Option<Node> = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Problem {
            line: error.marker().line().max(1),
            kind: ProblemKind::Syntax("YAML", error.info().to_owned()),
        })?;
        let line = line_of(&span);
        let done = match event {
            Event::Scalar(text, style, anchor, _) => {
                refuse_anchor(anchor, line)?;
                Some(Node { line, value: scalar(&text, style) })
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _)
                if anchor > 0 || open.len() >= MAX_DEPTH =>
            {
                refuse_anchor(anchor, line)?;
                return Err(Problem { line, kind: ProblemKind::TooDeep });
            }
            Event::SequenceStart(..) => {
                open.push(Open::new(line, false));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::new(line, true));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(Open::close),
            Event::Alias(_) => return Err(Problem { line, kind: ProblemKind::Anchor }),
            Event::DocumentStart(_) if whole.is_some() => {
                return Err(Problem { line, kind: ProblemKind::SecondDocument });
            }
            _ => None,
        };
        if let Some(node) = done {
            match open.last_mut() {
                Some(parent) => parent.take(node)?,
                None => whole = Some(node),
            }
        }
    }
    Ok(whole.unwrap_or(Node { line: 1, value: Value::Nothing }))
}

impl Open {
    fn new(line: usize, is_table: bool) -> Self {
        Self { line, is_table, items: Vec::new(), fields: Vec::new(), key: None }
    }

    fn take(&mut self, node: Node) -> Result<(), Problem> {
        if !self.is_table {
            self.items.push(node);
            return Ok(());
        }
        if let Some((name, line)) = self.key.take() {
            self.fields.push(Field { name, line, value: node });
            return Ok(());
        }
        let kind = node.kind();
        match node.value {
            Value::Text(name) => self.key = Some((name, node.line)),
            Value::Number(number) => self.key = Some((number.to_string(), node.line)),
            _ => {
                let said = format!("a key is {kind}, not text");
                let kind = ProblemKind::Syntax("YAML", said);
                return Err(Problem { line: node.line, kind });
            }
        }
        Ok(())
    }

    fn close(self) -> Node {
        let value = if self.is_table { Value::Table(self.fields) } else { Value::List(self.items) };
        Node { line: self.line, value }
    }
}

fn refuse_anchor(anchor: usize, line: usize) -> Result<(), Problem> {
    if anchor > 0 { Err(Problem { line, kind: ProblemKind::Anchor }) } else { Ok(()) }
}

fn line_of(span: &Span) -> usize {
    span.start.line().max(1)
}

/// Reads a plain scalar by YAML 1.2's core schema: `no` and `on` are text.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Nothing,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Value::Switch,
        _ => {
            let begins = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            match text.parse() {
                Ok(number) if begins => Value::Number(number),
                _ => Value::Text(text.to_owned()),
            }
        }
    }
}
