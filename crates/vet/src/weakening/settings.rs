//! Reads the settings of test and lint tools as dotted keys with their values, whatever form the file has.

use papayu_base::config_text::{self, ConfigFormat, ConfigValue, Node};
use papayu_lang::Family;
use papayu_lang::{Token, TokenKind};

/// One key with what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigEntry {
    /// The keys from the outermost table inwards, `.` between them.
    pub(super) key: String,
    /// The value, or the items of a list.
    pub(super) values: Vec<String>,
    /// From 1.
    pub(super) line: usize,
}

/// The settings of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigSettings {
    pub(super) entries: Vec<ConfigEntry>,
    /// The line of the first syntax error, from 1.
    pub(super) broken_at: Option<usize>,
}

/// Returns the settings of a file. A program, such as `vitest.config.ts`, is read for its
/// object literals.
pub(super) fn read_settings(path: &str, text: &str, tokens: &[Token]) -> ConfigSettings {
    if Family::of_path(path) == Family::Script {
        return ConfigSettings { entries: Literals::default().read(tokens), broken_at: None };
    }
    let Some(format) = ConfigFormat::of_file(path, text) else { return ConfigSettings::default() };
    let mut parsed = config_text::parse(format, text);
    if parsed.is_broken() && format == ConfigFormat::Yaml && text.contains('\t') {
        // The parser refuses a tab between a key and its value, which the readers of most tools accept.
        let spaced = config_text::parse(format, &text.replace('\t', " "));
        parsed = if spaced.is_broken() { parsed } else { spaced };
    }
    let mut reader = Flattener { splits: format == ConfigFormat::Ini, ..Flattener::default() };
    for document in &parsed.documents {
        reader.add_node(document, document.line);
    }
    let fault = parsed.faults.first().filter(|_| parsed.is_broken());
    ConfigSettings { entries: reader.entries, broken_at: fault.map(|fault| fault.line) }
}

/// Turns a tree into entries.
#[derive(Default)]
struct Flattener<'n> {
    path: Vec<&'n str>,
    entries: Vec<ConfigEntry>,
    /// `true` if a text is a list separated by commas and blanks, as in INI files.
    splits: bool,
}

impl<'n> Flattener<'n> {
    /// Adds the values below a node with their dotted keys. Values of a list share the key of the
    /// list.
    fn add_node(&mut self, node: &'n Node, line: usize) {
        match &node.value {
            ConfigValue::Table(fields) => {
                for field in fields {
                    // A merge key of YAML adds its table to the one it is in.
                    let is_merge = field.name == "<<";
                    if !is_merge {
                        self.path.push(&field.name);
                    }
                    self.add_node(&field.value, field.line);
                    if !is_merge {
                        self.path.pop();
                    }
                }
            }
            ConfigValue::List(items) if items.first().is_some_and(is_nested) => {
                for item in items {
                    self.add_node(item, item.line);
                }
            }
            // A key without a value has its default, as one that is not there.
            ConfigValue::Nothing => {}
            _ => {
                let mut values = Vec::new();
                self.add_values(node, &mut values);
                self.entries.push(ConfigEntry { key: self.path.join("."), values, line });
            }
        }
    }

    /// Adds every text of a value, keys included: `["warn", {"max": 3}]` has three.
    fn add_values(&self, node: &Node, values: &mut Vec<String>) {
        match &node.value {
            ConfigValue::Nothing => {}
            ConfigValue::Switch(is_on) => values.push(is_on.to_string()),
            ConfigValue::Number(number) => values.push(number.to_string()),
            ConfigValue::Text(text) if self.splits => values.extend(split_list(text)),
            ConfigValue::Text(text) => values.push(text.clone()),
            ConfigValue::List(items) => items.iter().for_each(|item| self.add_values(item, values)),
            ConfigValue::Table(fields) => {
                for field in fields {
                    values.push(field.name.clone());
                    self.add_values(&field.value, values);
                }
            }
        }
    }
}

/// Returns `true` for a table or a list.
fn is_nested(node: &Node) -> bool {
    matches!(node.value, ConfigValue::Table(_) | ConfigValue::List(_))
}

/// Returns the parts of a list in a text, without quotes and brackets: `[E501, W605]` has two.
fn split_list(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .map(|part| part.trim_matches(['[', ']', '"', '\'']))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
}

/// Most parts of a key of a program. A deeper key loses its outermost parts.
const MAX_DEPTH: usize = 16;

/// Reads the object literals of a program.
#[derive(Default)]
struct Literals {
    /// The names of the open braces; `None` for one without a name.
    open: Vec<Option<String>>,
    entries: Vec<ConfigEntry>,
}

impl Literals {
    /// Reads the settings of a configuration that is code, from its tokens: `vitest.config.ts`.
    fn read(mut self, tokens: &[Token]) -> Vec<ConfigEntry> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at = match token.text.as_str() {
                "{" if token.kind == TokenKind::Mark => {
                    self.open.push(None);
                    at + 1
                }
                "}" if token.kind == TokenKind::Mark => {
                    self.open.pop();
                    at + 1
                }
                _ if token.kind != TokenKind::Mark => self.take_pair(tokens, at),
                _ => at + 1,
            };
        }
        self.entries
    }

    /// Reads `key: value` or `key = value` at a token; returns the position behind it.
    fn take_pair(&mut self, tokens: &[Token], at: usize) -> usize {
        let next = at + 1;
        // `key = value` and `key: value`; `a == b`, `a => b` and `a::b` are none.
        let sets = (is_mark(tokens, next, "=")
            && !is_mark(tokens, next + 1, "=")
            && !is_mark(tokens, next + 1, ">"))
            || (is_mark(tokens, next, ":") && !is_mark(tokens, next + 1, ":"));
        let Some(token) = tokens.get(at).filter(|_| sets) else { return next };
        let value = next + 1;
        if is_mark(tokens, value, "{") {
            self.open.push(Some(token.text.clone()));
            return value + 1;
        }
        let key = self.key(&token.text);
        let (values, end) = if is_mark(tokens, value, "[") {
            read_items(tokens, value)
        } else {
            read_scalar(tokens, value)
        };
        self.entries.push(ConfigEntry { key, values, line: token.line });
        end
    }

    /// Returns the dotted key of a name inside the tables that are open, the innermost levels if
    /// they nest too deeply.
    fn key(&self, name: &str) -> String {
        let open = self.open.iter().rev().flatten().take(MAX_DEPTH - 1);
        let mut parts: Vec<&str> = std::iter::once(name).chain(open.map(String::as_str)).collect();
        parts.reverse();
        parts.join(".")
    }
}

/// Returns `true` if the token at `at` is this punctuation mark.
pub(super) fn is_mark(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark && token.text == text)
}

/// Returns the texts of a list and the position after its end. Texts of nested lists are
/// included.
fn read_items(tokens: &[Token], open: usize) -> (Vec<String>, usize) {
    let (mut values, mut depth, mut at) = (Vec::new(), 0_u32, open);
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "[" if token.kind == TokenKind::Mark => depth += 1,
            "]" if token.kind == TokenKind::Mark => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (values, at + 1);
                }
            }
            // A list of objects is read object by object.
            "{" if token.kind == TokenKind::Mark && values.is_empty() => return (values, at),
            _ if token.kind != TokenKind::Mark => values.push(token.text.clone()),
            _ => {}
        }
        at += 1;
    }
    (values, at)
}

/// Returns a single value and the position after it; a sign before a number belongs to it.
fn read_scalar(tokens: &[Token], at: usize) -> (Vec<String>, usize) {
    match tokens.get(at) {
        Some(sign) if sign.kind == TokenKind::Mark && sign.text == "-" => {
            let number = tokens.get(at + 1).map(|token| format!("-{}", token.text));
            (number.into_iter().collect(), at + 2)
        }
        Some(token) if token.kind != TokenKind::Mark => (vec![token.text.clone()], at + 1),
        _ => (Vec::new(), at),
    }
}
