//! Searches changed files for what the patterns of the table describe.

use std::collections::HashMap;

use super::entries::is_entry;
use super::suspicious_place::SuspiciousPlace;
use crate::rules::{PatternRule, TextForm, pattern_groups};
use crate::weakening::has_tests;
use papayu_lang::{
    ChangedText, Comment, Family, PathClass, Token, TokenKind, concerns_tests, cut_tokens,
};

/// Characters of a match that a message shows.
const MAX_SHOWN: usize = 60;

/// Most silencing words that are read in one comment, which bounds the work on a hostile one.
const MAX_WORDS: usize = 100;

/// Most characters that are read after such a word; they contain the codes that it silences.
const MAX_CHARS: usize = 200;

/// A match of a rule.
struct Match {
    /// The position of the group in the table.
    group: usize,
    /// The matched text, which is compared.
    text: String,
    /// From 1.
    line: usize,
}

/// Returns the matches in the files after the change that were not there before.
///
/// Matches are compared by their group and text over all files, so code that moves from one file to
/// another is not new.
pub(super) fn find_added(changes: &[ChangedText<'_>], is_diagnostic: bool) -> Vec<SuspiciousPlace> {
    let searched: Vec<Searched<'_>> = changes.iter().filter_map(Searched::of).collect();
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    let mut counts: HashMap<usize, i64> = HashMap::new();
    for file in &searched {
        for hit in find_matches(file, file.change.before, is_diagnostic) {
            *counts.entry(hit.group).or_default() += 1;
            *known.entry((hit.group, hit.text)).or_default() += 1;
        }
    }
    let mut found = Vec::new();
    for file in &searched {
        let change = file.change;
        for Match { group, text, line } in find_matches(file, change.after, is_diagnostic) {
            *counts.entry(group).or_default() -= 1;
            let left = known.get_mut(&(group, text.clone()));
            let Some(group) = pattern_groups().get(group) else { continue };
            if let Some(left) = left.filter(|left| **left > 0) {
                // This match pairs with one from before the change.
                *left -= usize::from(!group.known_once);
                continue;
            }
            if group.removes || group.outside_entries && is_entry(change, line) {
                continue;
            }
            let shown: String = text.chars().take(MAX_SHOWN).collect();
            found.push(SuspiciousPlace {
                path: change.path.to_owned(),
                line,
                message: format!("{}: `{shown}`", group.message),
                grade: group.grade(file.is_test, is_diagnostic),
            });
        }
    }
    // A removed text has no line after the change.
    for (at, group) in pattern_groups().iter().enumerate().filter(|(_, group)| group.removes) {
        let is_less = counts.get(&at).is_some_and(|left| *left > 0);
        found.extend(searched.first().filter(|_| is_less).map(|file| SuspiciousPlace {
            path: file.change.path.to_owned(),
            line: 1,
            message: group.message.clone(),
            grade: group.grade(file.is_test, is_diagnostic),
        }));
    }
    found
}

/// A changed file with the places of rules that it has.
struct Searched<'a> {
    change: &'a ChangedText<'a>,
    /// Code of the product.
    is_source: bool,
    /// A file of tests, or of what they read.
    is_test: bool,
    /// A file of tests, or one with tests in it.
    has_tests: bool,
}

impl<'a> Searched<'a> {
    /// Returns a file; `None` for settings: `proof_basis` compares their keys.
    fn of(change: &'a ChangedText<'a>) -> Option<Self> {
        let text = if change.before.is_empty() { change.after } else { change.before };
        let class = PathClass::of_file(change.path, text);
        if matches!(class, PathClass::Configuration | PathClass::Build | PathClass::Manifest) {
            return None;
        }
        let is_test = matches!(class, PathClass::Test | PathClass::TestSupport);
        let sides = [change.before, change.after];
        let has_tests = is_test
            || concerns_tests(change.path)
            || sides.iter().any(|text| has_tests(change.path, text));
        Some(Self { change, is_source: change.is_source(), is_test, has_tests })
    }
}

/// Returns the places where the rules match one side of a file.
fn find_matches(file: &Searched<'_>, text: &str, is_diagnostic: bool) -> Vec<Match> {
    let path = file.change.path;
    let family = Family::of_path(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let tokens = cut_tokens(path, text);
    let (code, bare) =
        (JoinedTokens::of(&tokens.code, false), JoinedTokens::of(&tokens.code, true));
    let mut found = Vec::new();
    for (at, group) in pattern_groups().iter().enumerate() {
        if group.only_diagnostic && !is_diagnostic {
            continue;
        }
        for rule in group.rules.iter().filter(|rule| rule.reads(family)) {
            let place = group.place_of(rule);
            let is_there = match place {
                "source" => file.is_source,
                "any" | "top" => true,
                "tests" => file.has_tests,
                wanted => name == wanted,
            };
            let hits = match group.form {
                _ if !is_there => continue,
                TextForm::Comment => find_in_comments(&tokens.comments, rule),
                TextForm::Code => code.find(rule),
                TextForm::Bare => bare.find(rule),
            };
            let hits =
                hits.into_iter().filter(|(line, _)| place != "top" || is_top(&tokens.code, *line));
            found.extend(hits.map(|(line, text)| Match { group: at, text, line }));
        }
    }
    found
}

/// Returns `true` if a line begins in the first column, as code at the top level of a file does.
fn is_top(tokens: &[Token], line: usize) -> bool {
    let first = tokens.partition_point(|token| token.line < line);
    tokens.get(first).is_some_and(|token| token.column == 0)
}

/// The tokens of a text with one blank between them, so that a pattern does not depend on the layout: `os.kill(0)` is
/// `os . kill ( 0 )`. Comments are left out.
struct JoinedTokens<'t> {
    text: String,
    /// The position at which each token begins.
    starts: Vec<usize>,
    tokens: &'t [Token],
}

impl<'t> JoinedTokens<'t> {
    /// Joins tokens; in a bare text a string is `"S"`, so that its content cannot match, and `x["skip"]` is `x . skip`.
    fn of(tokens: &'t [Token], is_bare: bool) -> Self {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(tokens.len());
        for (at, token) in tokens.iter().enumerate() {
            starts.push(text.len());
            let is_bracket = is_bare && token.kind == TokenKind::Mark;
            match token.kind {
                TokenKind::Text if is_bare && is_member(tokens, at) => {
                    text.push_str(". ");
                    text.push_str(&token.text);
                }
                TokenKind::Text if is_bare => text.push_str("\"S\""),
                TokenKind::Text => {
                    text.push('"');
                    text.push_str(&token.text);
                    text.push('"');
                }
                _ if is_bracket && token.text == "[" && is_member(tokens, at + 1) => continue,
                _ if is_bracket && token.text == "]" && at > 0 && is_member(tokens, at - 1) => {
                    continue;
                }
                _ => text.push_str(&token.text),
            }
            text.push(' ');
        }
        Self { text, starts, tokens }
    }

    /// Returns the lines and texts of the matches of a rule.
    fn find(&self, rule: &PatternRule) -> Vec<(usize, String)> {
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(hit) = self.text.get(from..).and_then(|rest| rule.pattern.find(rest)) {
            let (start, end) = (from + hit.start(), from + hit.end());
            // A match may begin inside of a token; the line is that of the token with its start.
            let at = self.starts.partition_point(|begin| *begin <= start).saturating_sub(1);
            let token = self.tokens.get(at);
            // A quote at the end of a string begins no other one: the code between two strings is none.
            let is_string = token.is_some_and(|it| it.kind == TokenKind::Text)
                && self.starts.get(at) == Some(&start);
            if hit.as_str().starts_with('"') && !is_string {
                from = start + 1;
                continue;
            }
            let line = token.map_or(1, |token| token.line);
            found.push((line, hit.as_str().trim().to_owned()));
            from = end.max(start + 1);
        }
        found
    }
}

/// Returns `true` if a string names a member, as in `x["skip"]`.
fn is_member(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.kind == TokenKind::Text) else {
        return false;
    };
    let is_mark = |at: Option<usize>, text: &str| {
        let token = at.and_then(|at| tokens.get(at));
        token.is_some_and(|it| it.kind == TokenKind::Mark && it.text == text)
    };
    let is_name =
        !token.text.is_empty() && token.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let owner = at.checked_sub(2).and_then(|at| tokens.get(at));
    is_name
        && is_mark(at.checked_sub(1), "[")
        && is_mark(Some(at + 1), "]")
        && owner.is_some_and(|owner| owner.kind == TokenKind::Word)
}

/// Returns `true` if a comment mentions a word in quotes, with or without the mark before it: `"# noqa"`.
fn is_quoted(comment: &str, at: usize) -> bool {
    let before = comment.get(..at).unwrap_or_default();
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '/'));
    before.ends_with(['"', '\'', '`'])
}

/// Returns the lines and words of the comments that a rule matches.
///
/// The codes after the word belong to the text, so that `noqa: F401` that becomes `noqa` counts as new.
fn find_in_comments(comments: &[Comment], rule: &PatternRule) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for comment in comments {
        let (mut seen, mut above) = (0, 0);
        for word in rule.pattern.find_iter(&comment.text).take(MAX_WORDS) {
            let rest = comment.text.get(word.start()..).unwrap_or_default();
            let end = rest.char_indices().nth(MAX_CHARS).map_or(rest.len(), |(at, _)| at);
            if is_quoted(&comment.text, word.start()) {
                continue;
            }
            // The codes end with the line; prose after them is a reason, and may change.
            let codes = rest.get(..end).and_then(|rest| rest.lines().next()).unwrap_or_default();
            let codes = codes.split(" -- ").next().unwrap_or(codes).trim_end_matches("*/").trim();
            let between = comment.text.get(seen..word.start()).unwrap_or_default();
            above += between.matches('\n').count();
            seen = word.start();
            let key = codes.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            found.push((comment.line + above, key));
        }
    }
    found
}
