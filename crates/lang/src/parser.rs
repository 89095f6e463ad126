//! Runs tree-sitter within bounds of size and work, so that no text can hang or fill a worker.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::Language;

/// Bytes above which a text is not parsed: the tree of a dense one takes 250 times as much.
const MAX_BYTES: usize = 2 << 20;
/// Reports of progress, one in about 100 steps of the parser, that any text may take.
const FREE_REPORTS: usize = 2_000;
/// Further reports that a text may take for every 64 of its bytes.
///
/// Ordinary sources take one or less, minified ones a little more; broken ones take many.
const REPORTS_PER_64_BYTES: usize = 3;
/// The most of these further reports besides one for every 64 bytes: each may cost 30 KB of memory.
const MOST_REPORTS: usize = 6_000;
/// Bytes from which on only one text is read at a time, so that the memory of several does not add up.
const LARGE_BYTES: usize = 128 << 10;
// Recovery of errors takes most of the time in broken texts.
/// Reports that one counts as while the parser is among errors.
const LOST: usize = 3;
/// Bytes that the parser takes of a text at a time.
const CHUNK: usize = 4 << 10;
/// Chunks that any text may take, and how often each chunk of a text may be taken.
///
/// Ordinary sources take each once or twice; a scanner that looks for the end of a literal at every word takes all of them each time.
const FREE_CHUNKS: usize = 1_000;
const TIMES_A_CHUNK: usize = 32;
/// Bytes of stack for one byte of text: the parser frees its memory by recursion, a level for every open
/// word, and every byte may be one.
const STACK_PER_BYTE: usize = 256;
/// Bytes of stack for everything else that the parser does.
const BASE_STACK: usize = 512 << 10;

/// The lock of the one large text that is read at a time.
// Process-wide: the workers of a batch share the memory of the machine.
static ALONE: Mutex<()> = Mutex::new(());

thread_local! {
    /// The parsers this thread has used, which keep their memory for the next text.
    static PARSERS: RefCell<Vec<(Language, Parser)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the tree of a text; `None` when it is too large, or makes the parser work too long.
///
/// A tree with errors is tried again with what its grammar cannot read written differently, and the better
/// one is returned; every byte keeps its place.
pub fn parse_tree(language: Language, text: &str) -> Option<Tree> {
    // Checked before the parser runs, because nothing can stop it then.
    if text.len() > MAX_BYTES || language.refuses(text) {
        return None;
    }
    // Grows the stack only for texts that need it.
    let stack = BASE_STACK + text.len() * STACK_PER_BYTE;
    // The lock guards no data that a panic in another thread could leave half written.
    let _alone =
        (text.len() > LARGE_BYTES).then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    // A stack that cannot be allocated is a panic: the text then counts as one that cannot be read.
    catch_unwind(|| stacker::maybe_grow(stack, stack, || parse_better(language, text))).ok()?
}

/// Parses a text, and if that fails in places a rewritten one, in which known gaps of the grammar
/// are closed. The tree with less damage is returned; both have the same byte positions.
fn parse_better(language: Language, text: &str) -> Option<Tree> {
    let tree = parse_once(language, text)?;
    // Most texts have no errors and are parsed once.
    if !tree.root_node().has_error() {
        return Some(tree);
    }
    let repaired = language.rewrite(text).and_then(|text| parse_once(language, &text));
    // Less damage and not none: a rewritten text may have errors of its own.
    let repaired = repaired.filter(|repaired| measure_damage(repaired) < measure_damage(&tree));
    Some(repaired.unwrap_or(tree))
}

/// Parses a text with the thread's parser for the language: creating one costs more than parsing a
/// small file.
fn parse_once(language: Language, text: &str) -> Option<Tree> {
    PARSERS.with_borrow_mut(|parsers| {
        // A list and not a map: a thread uses few languages.
        let known = parsers.iter().position(|(of, _)| *of == language);
        let at = if let Some(at) = known {
            at
        } else {
            let mut parser = Parser::new();
            parser.set_language(&language.tree_sitter()?).ok()?;
            parsers.push((language, parser));
            parsers.len() - 1
        };
        let (_, parser) = parsers.get_mut(at)?;
        let tree = parse_bounded(parser, text);
        // `None` means that a bound ended the parse.
        // A stopped parser would continue with the old text.
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

/// Parses within a bound of steps that grows with the text: some inputs make the recovery of errors
/// quadratic.
fn parse_bounded(parser: &mut Parser, text: &str) -> Option<Tree> {
    let bytes = text.as_bytes();
    let words = bytes.len() / 64;
    let mut left = FREE_REPORTS + (words * REPORTS_PER_64_BYTES).min(words + MOST_REPORTS);
    let chunks = Cell::new(FREE_CHUNKS + bytes.len() / CHUNK * TIMES_A_CHUNK);
    let mut progress = |state: &ParseState| {
        // Reports among errors count threefold.
        let cost = if state.has_error() { LOST } else { 1 };
        left = left.saturating_sub(cost);
        if left == 0 || chunks.get() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    // A callback and not the whole text, so that reads can be counted.
    let mut input = |from: usize, _| {
        chunks.set(chunks.get().saturating_sub(1));
        // The parser reports no progress while it scans a word, so a text that takes too many ends here.
        if chunks.get() == 0 {
            return &[][..];
        }
        // The rest may be shorter than a chunk.
        let rest = bytes.get(from..).unwrap_or_default();
        rest.get(..CHUNK).unwrap_or(rest)
    };
    let tree = parser.parse_with_options(&mut input, None, Some(options));
    // A text that ended early has a tree of its beginning only.
    tree.filter(|_| chunks.get() > 0)
}

/// Returns how many bytes a tree could not read; a missing word counts as one.
fn measure_damage(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut damage = 0;
    loop {
        let node = cursor.node();
        let bad = node.is_error() || node.is_missing();
        if bad {
            damage += node.byte_range().len().max(1);
        }
        // An error's inside is counted with it; a subtree without errors is skipped.
        if !bad && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return damage;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "lang-ruby")]
    fn a_text_that_is_scanned_to_its_end_again_and_again_is_not_read() {
        for literal in ["%w(", "%q(a "] {
            let text = literal.repeat(180_000 / literal.len());
            assert!(parse_tree(Language::Ruby, &text).is_none(), "{literal}");
        }
        // An ordinary text of the same length takes a part of that.
        let text = "x = %w(a b c)\n".repeat(180_000 / 14);
        assert!(parse_tree(Language::Ruby, &text).is_some());
    }
}
