//! Places of a change that a person should read before the fix counts.

use std::collections::{HashMap, HashSet};

use super::added_text::{SourceChange, find_added};
use super::evasions::{ALWAYS, OF_DIAGNOSTICS};
use super::functions::{Function, find_functions};
use super::literals::read_literals;
use crate::lang::{Family, TokenKind, cut_tokens};
use crate::text::Pattern;

/// A place that a person should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// A predicate of the change: "returns a constant from `total`".
    pub said: String,
}

/// Facts of the failure that the change is to fix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The literals of the failing tests: inputs and expected values.
    pub literals: HashSet<String>,
    /// A compiler, a type checker or a linter complained.
    pub is_diagnostic: bool,
}

/// Characters of a match that a message shows.
const MAX_SHOWN: usize = 60;

/// Returns every place that a person should read, by file and line.
pub fn find_flags(changes: &[SourceChange<'_>], evidence: &Evidence) -> Vec<Flag> {
    let sources: Vec<&SourceChange<'_>> = changes.iter().filter(|it| it.is_source()).collect();
    let mut hits = find_added(&sources, &ALWAYS);
    if evidence.is_diagnostic {
        hits.extend(find_added(&sources, &OF_DIAGNOSTICS));
    }
    let mut found: Vec<Flag> = hits
        .into_iter()
        .map(|hit| {
            let shown: String = hit.text.chars().take(MAX_SHOWN).collect();
            Flag { path: hit.path, line: hit.line, said: format!("{}: `{shown}`", hit.said) }
        })
        .collect();
    let old = OldCode::read(&sources);
    for change in &sources {
        judge_functions(change, &old, evidence, &mut found);
        found.extend(find_disabled(change));
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.said).cmp(&(&b.path, b.line, &b.said)));
    found.dedup();
    found
}

/// A literal after a comparison.
static RIGHT: Pattern = Pattern::new(
    r#"(?x)
    (?:===?|!==?|\bis\b|\bin\b|\beq\b|\bequals\(|\bcase\b|\bstartswith\(|\bstartsWith\(|\bincludes\(|-eq)\s*
        (?:[\[({&]|\w+\(|\w*!\[)*\s*(?<literal>"[^"\n]*"|'[^'\n]*'|-?[0-9][\w.]*)
"#,
);

/// A literal before a comparison, or as the key of a table.
static LEFT: Pattern = Pattern::new(
    r#"(?<literal>"[^"\n]*"|'[^'\n]*'|-?[0-9][\w.]*)[\])}]*\s*(?:===?|=>|:\s|\.equals\()"#,
);

/// The code before the change, of all files: code may move.
struct OldCode<'a> {
    bodies: HashSet<&'a str>,
    literals: HashSet<String>,
}

impl<'a> OldCode<'a> {
    fn read(sources: &[&SourceChange<'a>]) -> Self {
        let functions = sources.iter().flat_map(|it| find_functions(it.path, it.before));
        Self {
            bodies: functions.map(|function| function.body).collect(),
            literals: sources
                .iter()
                .flat_map(|it| read_literals(&leave_tests_out(it.path, it.before)))
                .collect(),
        }
    }
}

/// Returns the lines of a text before its module of tests, without the examples of its documentation.
fn leave_tests_out(path: &str, text: &str) -> String {
    let code = match Family::of_path(path) {
        Family::Rust => text.split("#[cfg(test)]").next().unwrap_or(text),
        _ => text,
    };
    let is_example =
        |line: &&str| ["///", "//!", ">>>"].iter().any(|mark| line.trim_start().starts_with(mark));
    code.lines().filter(|line| !is_example(line)).collect::<Vec<_>>().join("\n")
}

fn judge_functions(
    change: &SourceChange<'_>,
    old: &OldCode<'_>,
    evidence: &Evidence,
    found: &mut Vec<Flag>,
) {
    let before: HashMap<String, &str> = find_functions(change.path, change.before)
        .into_iter()
        .map(|function| (function.name, function.body))
        .collect();
    let mut is_known = false;
    for function in find_functions(change.path, change.after) {
        if old.bodies.contains(function.body) {
            continue;
        }
        let mut flag = |said: String| {
            found.push(Flag { path: change.path.to_owned(), line: function.line, said });
        };
        let name = function.name.rsplit('.').next().unwrap_or_default();
        if let Some(body) = before.get(&function.name)
            && is_constant(change.path, function.body)
            && !is_constant(change.path, body)
        {
            flag(format!("replaces the body of `{name}` by a constant"));
        }
        if let Some(literal) = find_special_case(&function, &old.literals, evidence) {
            is_known = true;
            flag(format!("compares with `{literal}` in `{name}`, a value of the failing test"));
        }
    }
    // Tables and scripts have no functions.
    let outside = Function { name: String::new(), line: 1, body: change.after };
    if !is_known && let Some(literal) = find_special_case(&outside, &old.literals, evidence) {
        found.push(Flag {
            path: change.path.to_owned(),
            line: 1,
            said: format!("compares with `{literal}`, a value of the failing test"),
        });
    }
}

/// Returns a literal of the failing test that the function compares with, and that the file did not have.
fn find_special_case(
    function: &Function<'_>,
    old: &HashSet<String>,
    evidence: &Evidence,
) -> Option<String> {
    let literals: Vec<String> = [&RIGHT, &LEFT]
        .into_iter()
        .flat_map(|pattern| pattern.captures_iter(function.body))
        .filter_map(|hit| hit.name("literal"))
        .flat_map(|it| read_literals(it.as_str()))
        .collect();
    literals.into_iter().find(|it| !old.contains(it) && evidence.literals.contains(it))
}

/// Returns whether a body does nothing but return a literal.
fn is_constant(path: &str, body: &str) -> bool {
    let tokens = cut_tokens(path, body).code;
    // A docstring comes first.
    let is_text = |at: usize| tokens.get(at).is_some_and(|it| it.kind == TokenKind::Text);
    let has_docstring = is_text(0) && tokens.len() > 1;
    let tokens = tokens.get(usize::from(has_docstring)..).unwrap_or_default();
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let words = words.strip_suffix(&[";"]).unwrap_or(&words);
    let value = words.strip_prefix(&["return"]).unwrap_or(words);
    let is_literal = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || ["true", "false", "null", "nil", "None", "True", "False", "undefined", "pass"]
                .contains(&word)
    };
    let is_bracket = |word: &str| matches!(word, "[" | "]" | "{" | "}" | "(" | ")" | "," | "-");
    let is_string =
        |word: &str| tokens.iter().any(|token| token.kind == TokenKind::Text && token.text == word);
    match value {
        ["Ok" | "Some", rest @ ..] | rest => {
            rest.iter().all(|word| is_literal(word) || is_bracket(word) || is_string(word))
        }
    }
}

/// Lines of code that became comments, and conditions of Go's build.
fn find_disabled(change: &SourceChange<'_>) -> Vec<Flag> {
    let mut found = Vec::new();
    let flag = |line: usize, said: &str| Flag {
        path: change.path.to_owned(),
        line,
        said: said.to_owned(),
    };
    let old: HashSet<&str> =
        change.before.lines().map(str::trim).filter(|it| it.len() > 5).collect();
    let now: HashSet<&str> = change.after.lines().map(str::trim).collect();
    for (line, text) in (1..).zip(change.after.lines().map(str::trim)) {
        let marked = ["//", "#", "--"].iter().find_map(|mark| text.strip_prefix(mark));
        let is_code = marked.is_some_and(|it| old.contains(it.trim()) && !now.contains(it.trim()));
        if is_code {
            found.push(flag(line, "comments code out"));
        }
        let is_tag = Family::of_path(change.path) == Family::Go && text.starts_with("//go:build");
        if is_tag && !change.before.lines().any(|old| old.trim() == text) {
            found.push(flag(line, "leaves the file out of some builds"));
        }
    }
    found
}

/// Returns whether every pattern compiles.
#[cfg(test)]
pub(super) fn is_valid() -> bool {
    RIGHT.is_valid() && LEFT.is_valid()
}
