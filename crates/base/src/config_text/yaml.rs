//! Reads YAML event by event, so that nothing is expanded or built before its depth is known.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::node::{ConfigValue, FaultKind, Field, MAX_DEPTH, Node, ParsedConfig};

/// Values that all aliases of a text may expand to.
/// A text of a kilobyte can expand to billions of values.
const MAX_EXPANDED: usize = 100_000;

/// Returns the documents of a text, up to its first syntax error.
pub(super) fn parse_yaml(text: &str) -> ParsedConfig {
    let mut builder = Builder::default();
    let last = text.lines().count().max(1);
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                // The parser counts lines from 1, but the stream's first event has line 0, and a value that is left out at the end of the
                // text the line after it.
                let line = span.start.line().clamp(1, last);
                if !builder.take_event(event, line) {
                    break;
                }
            }
            Err(error) => {
                let kind = FaultKind::Syntax(error.info().to_owned());
                builder.parsed.add_fault(error.marker().line().clamp(1, last), kind);
                break;
            }
        }
    }
    // Values that an error interrupts count as far as they were read.
    // Inner values first: each is added to the one that contains it.
    while let Some(open) = builder.open.pop() {
        builder.add_node(open.into_node());
    }
    builder.parsed
}

#[derive(Default)]
struct Builder {
    parsed: ParsedConfig,
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, Node>,
    expanded: usize,
}

/// A list or table that is still being read.
struct OpenCollection {
    line: usize,
    anchor: usize,
    is_table: bool,
    items: Vec<Node>,
    fields: Vec<Field>,
    /// The key of the next value.
    key: Option<(String, usize)>,
}

impl Builder {
    /// Adds the value of an event; returns `false` when reading must end.
    ///
    /// Reading ends at values that are nested too deeply and at aliases that expand to too
    /// much.
    fn take_event(&mut self, event: Event<'_>, line: usize) -> bool {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                // A scalar is the value of a key, a key, or an item, which `add_node` decides.
                let node = Node { line, value: read_scalar(&text, style) };
                self.keep_anchor(anchor, &node);
                self.add_node(node);
            }
            // The depth is the number of open lists and tables.
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() >= MAX_DEPTH => {
                self.parsed.add_fault(line, FaultKind::TooDeep);
                return false;
            }
            Event::SequenceStart(anchor, _) => {
                self.open.push(OpenCollection::new(line, anchor, false));
            }
            Event::MappingStart(anchor, _) => {
                self.open.push(OpenCollection::new(line, anchor, true));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let anchor = open.anchor;
                    let node = open.into_node();
                    self.keep_anchor(anchor, &node);
                    self.add_node(node);
                }
            }
            // An alias gets the line of its use, where the setting takes effect.
            Event::Alias(anchor) => return self.expand_alias(anchor, line),
            Event::DocumentStart(_) if !self.parsed.documents.is_empty() => {
                // The tools of most of these files read one document only.
                self.parsed.add_fault(line, FaultKind::SecondDocument);
            }
            _ => {}
        }
        true
    }

    // The parser numbers anchors from 1; 0 is a value without one.
    fn keep_anchor(&mut self, anchor: usize, node: &Node) {
        if anchor > 0 {
            self.parsed.add_fault(node.line, FaultKind::Anchor);
            self.anchors.insert(anchor, node.clone());
        }
    }

    /// Adds a copy of the anchored value; returns `false` when the copies are too many.
    fn expand_alias(&mut self, anchor: usize, line: usize) -> bool {
        // An alias inside of its own anchor has no value yet, which YAML does not allow either.
        let node = self.anchors.get(&anchor).cloned();
        let node = node.unwrap_or(Node { line, value: ConfigValue::Nothing });
        // Aliases of lists of aliases grow exponentially.
        self.expanded += node.count_values();
        if self.expanded > MAX_EXPANDED {
            self.parsed.add_fault(line, FaultKind::TooDeep);
            return false;
        }
        self.add_node(Node { line, ..node });
        true
    }

    // A value outside of every list and table is a document.
    fn add_node(&mut self, node: Node) {
        let Some(open) = self.open.last_mut() else {
            self.parsed.documents.push(node);
            return;
        };
        if !open.is_table {
            open.items.push(node);
            return;
        }
        // Events of a table alternate: a key, its value, the next key.
        if let Some((name, line)) = open.key.take() {
            open.fields.push(Field { name, line, value: node });
            return;
        }
        let kind = node.kind();
        // A scalar key is text for a reader of settings, `on: push` as well as `8080: tcp`.
        let name = match node.value {
            ConfigValue::Text(name) => name,
            ConfigValue::Number(number) => number.to_string(),
            ConfigValue::Switch(is_on) => is_on.to_string(),
            _ => {
                let message = format!("a key is {kind}, not text");
                self.parsed.add_fault(node.line, FaultKind::Syntax(message));
                String::new()
            }
        };
        open.key = Some((name, node.line));
    }
}

impl OpenCollection {
    fn new(line: usize, anchor: usize, is_table: bool) -> Self {
        Self { line, anchor, is_table, items: Vec::new(), fields: Vec::new(), key: None }
    }

    /// Returns the list or table with the line on which it begins.
    fn into_node(self) -> Node {
        let value = if self.is_table {
            ConfigValue::Table(self.fields)
        } else {
            ConfigValue::List(self.items)
        };
        Node { line: self.line, value }
    }
}

/// Reads a plain scalar by YAML 1.2's core schema: `no` and `on` are text.
fn read_scalar(text: &str, style: ScalarStyle) -> ConfigValue {
    // A quoted scalar is text, whatever it looks like.
    if style != ScalarStyle::Plain {
        return ConfigValue::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ConfigValue::Nothing,
        "true" | "True" | "TRUE" => ConfigValue::Switch(true),
        "false" | "False" | "FALSE" => ConfigValue::Switch(false),
        _ => {
            // Rust also parses `inf` and `nan`, which are text in YAML without a dot.
            let begins = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            match text.parse() {
                Ok(number) if begins => ConfigValue::Number(number),
                _ => ConfigValue::Text(text.to_owned()),
            }
        }
    }
}
