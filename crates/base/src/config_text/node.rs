//! The tree of values, and the faults that a text can have.

/// The deepest nesting of values that is read; no configuration file needs a quarter of it.
pub const MAX_DEPTH: usize = 64;

/// The values and faults of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedConfig {
    /// The documents in order; only YAML has more than one.
    pub documents: Vec<Node>,
    /// The errors of the text, in order.
    pub faults: Vec<Fault>,
}

/// An error of a text, or a feature that not every reader accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The text is not of the format, in the words of its parser.
    Syntax(String),
    /// Values are nested deeper than [`MAX_DEPTH`], or aliases expand to too much.
    TooDeep,
    /// A YAML anchor; its aliases were resolved.
    Anchor,
    /// A second YAML document begins.
    SecondDocument,
}

/// A value and its line, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line that the value begins on.
    pub line: usize,
    /// The value.
    pub value: ConfigValue,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigValue {
    /// `null`, or a key without a value.
    Nothing,
    /// A boolean.
    Switch(bool),
    /// Any number.
    /// Integers as well: settings are compared, not computed with.
    Number(f64),
    /// Text, its escapes resolved.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<Field>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key, its escapes resolved.
    pub name: String,
    /// The line of the key, from 1.
    pub line: usize,
    /// The value.
    pub value: Node,
}

impl ParsedConfig {
    /// Returns a document with nothing wrong.
    pub(super) fn from_root(root: Node) -> Self {
        Self { documents: vec![root], faults: Vec::new() }
    }

    /// Returns the first document; nothing for an empty text.
    /// An empty text is no fault: tools take an empty file as one without settings.
    pub fn root(&self) -> &Node {
        // A constant, because the caller gets a reference in both cases.
        const EMPTY: &Node = &Node { line: 1, value: ConfigValue::Nothing };
        self.documents.first().unwrap_or(EMPTY)
    }

    /// Returns whether the text is not of its format.
    pub fn is_broken(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault.kind, FaultKind::Syntax(_)))
    }

    /// Adds a fault at a line.
    /// Faults are added in the order of the text.
    pub(super) fn add_fault(&mut self, line: usize, kind: FaultKind) {
        self.faults.push(Fault { line, kind });
    }
}

impl Node {
    /// Returns the name of the kind of value in messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            ConfigValue::Nothing => "nothing",
            ConfigValue::Switch(_) => "a switch",
            ConfigValue::Number(_) => "a number",
            ConfigValue::Text(_) => "text",
            ConfigValue::List(_) => "a list",
            ConfigValue::Table(_) => "a table",
        }
    }

    /// Returns the value of a key; of one that is repeated, the last.
    /// The rule of most readers: a repeated key overrides the earlier one. Returns `None` for
    /// values that are no table.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let ConfigValue::Table(fields) = &self.value else { return None };
        fields.iter().rev().find(|field| field.name == name).map(|field| &field.value)
    }

    /// Returns the keys of a table with their values; other values have none.
    /// Repeated keys are among them.
    pub fn fields(&self) -> &[Field] {
        if let ConfigValue::Table(fields) = &self.value { fields } else { &[] }
    }

    /// Returns the values at a path of keys, of which `*` is any key.
    /// A key that is missing on the way leaves no value.
    pub fn find_all<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Vec<&Self> {
        let mut found = vec![self];
        for key in path {
            found = match key {
                "*" => found.iter().flat_map(|node| node.fields()).map(|it| &it.value).collect(),
                _ => found.iter().filter_map(|node| node.get(key)).collect(),
            };
        }
        found
    }

    /// Returns the text of a text; `None` for a value of another kind.
    pub fn as_str(&self) -> Option<&str> {
        if let ConfigValue::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Returns the texts of a list; other values have none.
    /// Numbers and tables in the list are left out.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let items = if let ConfigValue::List(items) = &self.value { items.as_slice() } else { &[] };
        items.iter().filter_map(Self::as_str)
    }

    /// Returns the number of values in it, itself included.
    /// Bounds the copies of YAML's aliases.
    pub(super) fn count_values(&self) -> usize {
        let inner = match &self.value {
            ConfigValue::List(items) => items.iter().map(Self::count_values).sum(),
            ConfigValue::Table(fields) => {
                fields.iter().map(|field| field.value.count_values()).sum()
            }
            _ => 0,
        };
        inner + 1
    }
}

impl From<&Node> for serde_json::Value {
    /// Returns the value without its lines; of a repeated key, the last.
    fn from(node: &Node) -> Self {
        match &node.value {
            // JSON has no infinity and no NaN: such a number becomes null.
            ConfigValue::Nothing => Self::Null,
            ConfigValue::Switch(is_on) => Self::Bool(*is_on),
            ConfigValue::Number(number) => Self::from(*number),
            ConfigValue::Text(text) => Self::String(text.clone()),
            ConfigValue::List(items) => items.iter().map(Self::from).collect(),
            ConfigValue::Table(fields) => {
                fields.iter().map(|field| (field.name.clone(), Self::from(&field.value))).collect()
            }
        }
    }
}

/// The line of each byte of a text.
/// Built once for a text, so that each look-up is a binary search.
pub(super) struct LineTable(Vec<usize>);

impl LineTable {
    pub(super) fn new(text: &str) -> Self {
        // The offsets of the line feeds, in ascending order.
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// Returns the line of a byte, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}
