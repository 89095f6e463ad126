//! Functions that check or compare less than before.

use std::collections::HashSet;

use tree_sitter::Node;

use super::functions::{ChangedFunctions, Function, callee_of, descendants, is_call};
use super::suspicious_place::SuspiciousPlace;
use papayu_lang::{ChangedText, Family, Language, Token, TokenKind, cut_tokens, parse_tree};

/// Functions by which values are equal or come before others, in all languages.
const EQUALITIES: [&str; 27] = [
    "__eq__", "__ne__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "equals", "hashCode",
    "compareTo", "compare", "eq", "ne", "cmp", "partial_cmp", "hash", "Equal", "Less", "Compare",
    "Equals", "GetHashCode", "equal", "isEqual", "deepEqual", "==", "eql?", "<=>",
];

/// Names that compare or convert: one in place of another drops no field.
const OPERATIONS: [&str; 8] =
    ["equals", "equalsIgnoreCase", "isinstance", "instanceof", "is", "and", "return", "Objects"];

/// Operations after which different values may be equal.
const ROUNDING: [&str; 7] = ["/", "%", "round", "floor", "trunc", "int", "abs"];

/// Most characters of a lost error that a message shows.
const MAX_SHOWN: usize = 60;

/// Names that all values must meet, or the whole of a value.
const STRICT: [&str; 8] =
    ["all", "every", "fullmatch", "EqualFold", "equals", "equalsIgnoreCase", "Equal", "allMatch"];

/// Names that one value must meet, or a part of it.
const LOOSE: [&str; 8] =
    ["any", "some", "search", "Contains", "contains", "includes", "anyMatch", "startsWith"];

/// Methods that take another value in the place of an error.
const SWALLOWING: [&str; 4] = ["unwrap_or", "unwrap_or_default", "unwrap_or_else", "ok"];

/// Returns the functions of a change that report fewer errors than before, or compare less.
pub(super) fn find_lost_checks(
    sources: &[&ChangedText<'_>],
    functions: &[ChangedFunctions<'_>],
) -> Vec<SuspiciousPlace> {
    let before = sources.iter().flat_map(|it| find_errors(it.path, it.before)).count();
    let after = sources.iter().flat_map(|it| find_errors(it.path, it.after)).count();
    let tokens = sources.iter().flat_map(|it| cut_tokens(it.path, it.after).code);
    let words: HashSet<String> = tokens.map(|token| token.text).collect();
    let mut found = Vec::new();
    for change in functions {
        let equalities = equalities_of(&change.before);
        for function in &change.after {
            // Several functions may have one name, and then none of them is compared.
            let mut same = change.before.iter().filter(|it| it.name == function.name);
            let (Some(was), None) = (same.next(), same.next()) else { continue };
            if was.body == function.body {
                continue;
            }
            let pair = FunctionPair {
                path: change.path,
                name: function.last_name(),
                before: was.body,
                after: function.body,
            };
            let is_equality = equalities.contains(pair.name);
            let messages = [
                is_equality.then(|| pair.find_equality()).flatten(),
                (before > after).then(|| pair.find_error()).flatten(),
                pair.find_strictness(),
                pair.find_swallowed(),
                pair.find_check(&words),
            ];
            found.extend(messages.into_iter().flatten().map(|message| {
                SuspiciousPlace::new("lost_check", change.path, function.line, message)
            }));
        }
    }
    found.extend(sources.iter().filter_map(|it| find_own_equality(it)));
    found
}

/// Returns the names of the functions that compare, and of those of the same file that they call.
fn equalities_of<'f>(functions: &'f [Function<'_>]) -> HashSet<&'f str> {
    let mut names = HashSet::new();
    for function in functions.iter().filter(|it| EQUALITIES.contains(&it.last_name())) {
        let is_used = |name: &&str| function.body.contains(&format!("{name}("));
        names.insert(function.last_name());
        names.extend(functions.iter().map(Function::last_name).filter(is_used));
    }
    names
}

/// A function with another body than before.
struct FunctionPair<'a> {
    path: &'a str,
    name: &'a str,
    before: &'a str,
    after: &'a str,
}

impl FunctionPair<'_> {
    /// Returns the words of both sides that are neither numbers nor texts.
    fn words(&self) -> [Vec<String>; 2] {
        [self.before, self.after].map(|text| {
            let tokens = cut_tokens(self.path, text).code.into_iter();
            let is_word = |it: &Token| matches!(it.kind, TokenKind::Word | TokenKind::Mark);
            tokens.filter(is_word).map(|it| it.text).collect()
        })
    }

    /// Returns the message for a comparison that lost a value or compares rounded ones.
    fn find_equality(&self) -> Option<String> {
        let [old, new] = self.words();
        let is_lost = |word: &&String| {
            word.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && !new.contains(word)
                && !OPERATIONS.contains(&word.as_str())
        };
        let name = self.name;
        if let Some(lost) = old.iter().find(is_lost) {
            return Some(format!("changes what is equal: `{name}` compares without `{lost}`"));
        }
        let is_coarser = ROUNDING.iter().map(|it| count(&new, it)).sum::<usize>()
            > ROUNDING.iter().map(|it| count(&old, it)).sum();
        is_coarser.then(|| format!("changes what is equal: `{name}` compares rounded values"))
    }

    /// Returns the message for an error that the function does not report any more.
    fn find_error(&self) -> Option<String> {
        let old = find_errors(self.path, self.before);
        let new = find_errors(self.path, self.after);
        let lost = old.iter().find(|it| !new.contains(it)).or(old.first())?;
        let shown: String = lost.chars().take(MAX_SHOWN).collect();
        (old.len() > new.len())
            .then(|| format!("reports fewer errors in `{}`: `{shown}`", self.name))
    }

    /// Returns the message for a condition that fewer values must meet, or of which a part is enough.
    fn find_strictness(&self) -> Option<String> {
        let [old, new] = self.words();
        let strict = STRICT.iter().find(|it| count(&new, it) < count(&old, it))?;
        let loose = LOOSE.iter().find(|it| count(&new, it) > count(&old, it))?;
        Some(format!("accepts more: `{loose}` in place of `{strict}`, in `{}`", self.name))
    }

    /// Returns the message for an error of Rust that is no longer handed on, and has a value in its place.
    fn find_swallowed(&self) -> Option<String> {
        if Family::of_path(self.path) != Family::Rust {
            return None;
        }
        let [old, new] = self.words();
        let value = SWALLOWING.iter().find(|it| count(&new, it) > count(&old, it))?;
        let message = format!("drops an error: `{value}` in place of `?`, in `{}`", self.name);
        (count(&new, "?") < count(&old, "?")).then_some(message)
    }

    /// Returns the message for a call that decided about an error and that no changed file has any more.
    fn find_check(&self, words: &HashSet<String>) -> Option<String> {
        let lost =
            find_checks(self.path, self.before).into_iter().find(|it| !words.contains(it))?;
        Some(format!("checks no longer with `{lost}`, in `{}`", self.name))
    }
}

fn count(words: &[String], wanted: &str) -> usize {
    words.iter().filter(|it| *it == wanted).count()
}

/// Returns the place where an equality that the compiler derived is written by hand.
fn find_own_equality(change: &ChangedText<'_>) -> Option<SuspiciousPlace> {
    if Family::of_path(change.path) != Family::Rust {
        return None;
    }
    let derived = |text: &str| {
        text.lines().filter(|it| it.contains("derive(") && it.contains("PartialEq")).count()
    };
    let own = |text: &str| text.matches("PartialEq for").count();
    let is_own =
        derived(change.before) > derived(change.after) && own(change.after) > own(change.before);
    let line = change.after.lines().position(|it| it.contains("PartialEq for"))? + 1;
    let message = "changes what is equal: the comparison is no longer the one of all fields";
    is_own.then(|| SuspiciousPlace::new("lost_check", change.path, line, message))
}

/// Returns the statements of a text that raise or return an error.
fn find_errors(path: &str, text: &str) -> Vec<String> {
    let tree = Language::of_path(path).and_then(|language| parse_tree(language, text));
    let Some(tree) = tree else { return Vec::new() };
    let all = descendants(tree.root_node()).into_iter().filter(|it| is_error(*it, text));
    all.filter_map(|it| text.get(it.byte_range())).map(str::to_owned).collect()
}

/// Returns `true` for a statement that raises or returns an error.
fn is_error(node: Node<'_>, text: &str) -> bool {
    let words = text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "raise_statement" | "throw_statement" | "throw_expression" => true,
        // Go
        "return_statement" => {
            let has_error = words.contains("errors.New(") || words.contains("Errorf(");
            has_error || words.trim_end_matches(';').ends_with(", err")
        }
        // Rust
        "call_expression" => callee_of(node, text) == "Err",
        "macro_invocation" => ["bail", "ensure", "panic"].contains(&callee_of(node, text)),
        _ => false,
    }
}

/// Returns the names of the functions that decide whether an error is raised.
fn find_checks(path: &str, text: &str) -> Vec<String> {
    let tree = Language::of_path(path).and_then(|language| parse_tree(language, text));
    let Some(tree) = tree else { return Vec::new() };
    let mut found = Vec::new();
    for node in descendants(tree.root_node()) {
        let body = node.child_by_field_name("consequence");
        let (Some(condition), Some(body)) = (node.child_by_field_name("condition"), body) else {
            continue;
        };
        let raises = body.named_child_count() == 1
            && body.named_child(0).is_some_and(|it| is_error(it, text));
        if raises {
            let calls = descendants(condition).into_iter().filter(|it| is_call(*it));
            found.extend(calls.map(|it| callee_of(it, text).to_owned()));
        }
    }
    found.retain(|it| it.len() > 3);
    found
}
