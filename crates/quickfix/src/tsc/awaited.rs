//! Promises that are used as if they had been awaited.

use super::super::diagnostic_context::RuleDecision;
use super::super::line_index::LineIndex;
use super::case::CompilerCase;

const UNCLEAR: &str = "where an `await` belongs is not clear";

/// Links of `a.b(c).d` that are followed back.
const MAX_LINKS: usize = 32;

/// A promise as a condition: the compiler points at its beginning.
pub(super) fn await_condition(case: &CompilerCase<'_>) -> RuleDecision {
    if !case.message.contains("'Promise<") || !in_async(&case.spot.source, case.at) {
        return RuleDecision::hint(UNCLEAR);
    }
    insert_parts(case, vec![(case.at, "await ")])
}

/// A property that only the promise's value has.
pub(super) fn await_member(case: &CompilerCase<'_>) -> RuleDecision {
    let source = &case.spot.source;
    let on_promise = case.message.contains("on type 'Promise<");
    let text = source.text.get(..case.at).unwrap_or_default();
    let Some(before) = text.strip_suffix('.').filter(|it| on_promise && !it.ends_with('?')) else {
        return RuleDecision::hint(UNCLEAR);
    };
    match chain_start(before).filter(|_| in_async(source, case.at)) {
        // A variable with a promise is awaited at its assignment, a call where it is made.
        // Parentheses, because `await a().b` waits for `a().b`.
        Some(start) if before.ends_with(')') => {
            insert_parts(case, vec![(start, "(await "), (before.len(), ")")])
        }
        _ => RuleDecision::hint(UNCLEAR),
    }
}

/// Returns insertions at several places of one file.
fn insert_parts(case: &CompilerCase<'_>, parts: Vec<(usize, &str)>) -> RuleDecision {
    let edits = parts.into_iter().map(|(at, text)| case.spot.edit(at..at, text));
    RuleDecision::Fix(edits.collect())
}

/// Returns where a chain of names and calls that ends here begins.
fn chain_start(text: &str) -> Option<usize> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    for _ in 0..MAX_LINKS {
        if rest.ends_with(')') {
            rest = rest.get(..find_opening(rest)?)?;
        }
        let name = rest.trim_end_matches(is_name);
        if name.len() == rest.len() {
            return None;
        }
        match name.strip_suffix('.') {
            Some(before) => rest = before,
            None => return Some(name.len()),
        }
    }
    None
}

/// Returns the parenthesis that the last one closes.
fn find_opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.checked_sub(1)?,
            '"' | '\'' | '`' | '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns whether the nearest function above is async; the user's command proves the rest.
fn in_async(source: &LineIndex, at: usize) -> bool {
    let last = source.line_number(at);
    let is_head =
        |text: &str| text.contains("function") || text.contains("=>") || text.ends_with(") {");
    let is_branch = |text: &str| {
        let first = text.trim_start().trim_start_matches(['}', ' ']);
        ["if ", "if(", "for ", "for(", "while ", "while(", "switch", "catch", "else"]
            .iter()
            .any(|word| first.starts_with(word))
    };
    let heads = (1..=last).rev().map(|line| source.line_text(line));
    let mut heads = heads.filter(|text| is_head(text.trim_end()) && !is_branch(text));
    heads.next().is_some_and(|text| text.contains("async "))
}
