//! Reads the settings of test and lint tools as dotted keys with their values, whatever form the file has.

use super::syntax::Language;
use super::token::{Kind, Token};

/// One key with what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// With the keys of what it stands in, `.` between them.
    pub(super) key: String,
    /// The value, or the items of a list.
    pub(super) values: Vec<String>,
    /// From 1.
    pub(super) line: usize,
}

/// Most parts of a key; deeper ones lose their outermost.
const MAX_DEPTH: usize = 16;

/// Returns the entries of a file.
pub(super) fn read(text: &str, tokens: &[Token], language: Language) -> Vec<Entry> {
    match language {
        Language::Ini | Language::Other => lines(text, false),
        Language::Yaml => lines(text, true),
        _ => Braces::default().read(tokens),
    }
}

/// Reads JSON, TOML and object literals of a program.
#[derive(Default)]
struct Braces {
    section: Vec<String>,
    open: Vec<Option<String>>,
    entries: Vec<Entry>,
}

impl Braces {
    fn read(mut self, tokens: &[Token]) -> Vec<Entry> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let starts_line =
                at == 0 || tokens.get(at - 1).is_some_and(|last| last.line < token.line);
            at = match token.text.as_str() {
                "[" if token.kind == Kind::Mark && starts_line && self.open.is_empty() => {
                    self.take_section(tokens, at)
                }
                "{" if token.kind == Kind::Mark => {
                    self.open.push(None);
                    at + 1
                }
                "}" if token.kind == Kind::Mark => {
                    self.open.pop();
                    at + 1
                }
                _ if token.kind != Kind::Mark => self.take_pair(tokens, at),
                _ => at + 1,
            };
        }
        self.entries
    }

    /// `[lints.clippy]` of TOML.
    fn take_section(&mut self, tokens: &[Token], at: usize) -> usize {
        let line = tokens.get(at).map_or(0, |token| token.line);
        let on_line = tokens.get(at..).unwrap_or_default().iter().take_while(|it| it.line == line);
        let mut count = 0;
        let mut section = Vec::new();
        for token in on_line {
            count += 1;
            if token.kind != Kind::Mark {
                section.push(token.text.clone());
            }
        }
        self.section = section;
        at + count.max(1)
    }

    fn take_pair(&mut self, tokens: &[Token], at: usize) -> usize {
        let (name, next) = dashed(tokens, at);
        let is = |at: usize, text: &str| {
            tokens.get(at).is_some_and(|it| it.kind == Kind::Mark && it.text == text)
        };
        // `key = value` and `key: value`; `a == b`, `a => b` and `a::b` are none.
        let sets = (is(next, "=") && !is(next + 1, "=") && !is(next + 1, ">"))
            || (is(next, ":") && !is(next + 1, ":"));
        let Some(token) = tokens.get(at).filter(|_| sets) else { return next.max(at + 1) };
        let key = self.key(&name);
        let value = next + 1;
        if is(value, "{") {
            self.open.push(Some(name));
            return value + 1;
        }
        let (values, end) =
            if is(value, "[") { items(tokens, value) } else { scalar(tokens, value) };
        self.entries.push(Entry { key, values, line: token.line });
        end
    }

    fn key(&self, name: &str) -> String {
        let deepest = self.open.get(self.open.len().saturating_sub(2 * MAX_DEPTH)..);
        let open = deepest.unwrap_or_default().iter().flatten();
        let section = self.section.iter().take(MAX_DEPTH);
        let all: Vec<&str> = section.chain(open).map(String::as_str).chain([name]).collect();
        all.get(all.len().saturating_sub(MAX_DEPTH)..).unwrap_or_default().join(".")
    }
}

/// `too-many-lines` and `a.b` are one key in TOML.
fn dashed(tokens: &[Token], at: usize) -> (String, usize) {
    let mut name = tokens.get(at).map(|token| token.text.clone()).unwrap_or_default();
    let mut next = at + 1;
    while let (Some(dash), Some(word)) = (tokens.get(next), tokens.get(next + 1)) {
        let joins = dash.kind == Kind::Mark && ["-", "."].contains(&dash.text.as_str());
        if !joins || word.kind == Kind::Mark || next > at + 24 {
            break;
        }
        name.push_str(&dash.text);
        name.push_str(&word.text);
        next += 2;
    }
    (name, next)
}

fn items(tokens: &[Token], open: usize) -> (Vec<String>, usize) {
    let (mut values, mut depth, mut at) = (Vec::new(), 0_u32, open);
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "[" if token.kind == Kind::Mark => depth += 1,
            "]" if token.kind == Kind::Mark => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (values, at + 1);
                }
            }
            // A list of objects is read object by object.
            "{" if token.kind == Kind::Mark && values.is_empty() => return (values, at),
            _ if token.kind != Kind::Mark => values.push(token.text.clone()),
            _ => {}
        }
        at += 1;
    }
    (values, at)
}

fn scalar(tokens: &[Token], at: usize) -> (Vec<String>, usize) {
    match tokens.get(at) {
        Some(sign) if sign.kind == Kind::Mark && sign.text == "-" => {
            let number = tokens.get(at + 1).map(|token| format!("-{}", token.text));
            (number.into_iter().collect(), at + 2)
        }
        Some(token) if token.kind != Kind::Mark => (vec![token.text.clone()], at + 1),
        _ => (Vec::new(), at),
    }
}

/// Reads INI, where sections are in brackets and values go on in indented lines, and YAML, where what
/// is indented belongs to the key above it.
fn lines(text: &str, is_yaml: bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') || bare.starts_with(';') {
            continue;
        }
        let bare = if is_yaml { bare.split(" #").next().unwrap_or(bare).trim() } else { bare };
        if !is_yaml && bare.starts_with('[') && bare.ends_with(']') {
            above = vec![(0, bare.trim_matches(['[', ']']).to_owned())];
            continue;
        }
        let item = bare.strip_prefix("- ").filter(|_| is_yaml);
        let pair = item.unwrap_or(bare);
        let pair = pair.split_once(": ").or_else(|| pair.strip_suffix(':').map(|key| (key, "")));
        let pair = if is_yaml { pair } else { bare.split_once(['=', ':']).filter(|_| indent == 0) };
        let Some((key, value)) = pair else {
            if let Some(entry) = entries.last_mut() {
                entry.values.extend(split(item.unwrap_or(bare)));
            }
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']);
        if is_yaml {
            let indent = if item.is_some() { indent + 2 } else { indent };
            while above.last().is_some_and(|(other, _)| *other >= indent) {
                above.pop();
            }
            above.truncate(MAX_DEPTH);
            above.push((indent, key.to_owned()));
        }
        let path: Vec<&str> = above.iter().map(|(_, key)| key.as_str()).collect();
        let key =
            if is_yaml { path.join(".") } else { [path.as_slice(), &[key]].concat().join(".") };
        entries.push(Entry { key, values: split(value), line: number + 1 });
    }
    entries
}

/// Returns the parts of a value, quotes and brackets off.
fn split(value: &str) -> Vec<String> {
    value
        .split(|c: char| c.is_whitespace() || c == ',')
        .map(|part| part.trim_matches(['[', ']', '"', '\'']))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
