//! A value of a manifest with its line, whatever the file's form.

/// How deep values may stand in each other; a manifest needs four.
pub(super) const MAX_DEPTH: usize = 16;

/// A value and the line it stands on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nothing,
    Switch,
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Field>),
}

/// A key, its line and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) value: Node,
}

impl Node {
    /// Returns what people call such a value.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Nothing => "nothing",
            Value::Switch => "a switch",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Returns the 1-based line of a byte.
pub(super) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    pub(super) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}
