//! Runs tree-sitter within bounds of size and work, so that no text can hang or fill a worker.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::catch_unwind;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::grammar::Grammar;

/// Bytes above which a text is not parsed: the tree of a dense one takes 250 times as much.
const MAX_BYTES: usize = 2 << 20;
/// Reports of progress (one in about 100 steps of the parser) that any text may take.
const FREE_REPORTS: usize = 2_000;
/// Further reports a text may take for every 64 of its bytes. Ordinary sources take one or less, minified
/// ones a little more; those in which the parser has lost its way take many, and longer ones.
const REPORTS_PER_64_BYTES: usize = 3;
/// Weight of a progress report while the parser recovers from errors.
const LOST: usize = 3;
/// Bytes of stack for one byte of text: the parser frees what it holds by recursion, a level for every word
/// that is still open, and every byte may be one.
const STACK_PER_BYTE: usize = 256;
/// Bytes of stack for everything else that the parser does.
const BASE_STACK: usize = 512 << 10;

thread_local! {
    /// The parsers this thread has used, which keep their memory for the next text.
    static PARSERS: RefCell<Vec<(*const Grammar, Parser)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the tree of a text, or `None` if it is too large or makes the parser work too long.
///
/// A tree with errors is parsed again after the language's own corrections of the text, and the
/// better tree is returned.
pub(super) fn tree(grammar: &Grammar, text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES || (grammar.too_deep)(text) {
        return None;
    }
    let stack = BASE_STACK + text.len() * STACK_PER_BYTE;
    // A stack that cannot be allocated is a panic: the text then counts as one that cannot be read.
    catch_unwind(|| stacker::maybe_grow(stack, stack, || better(grammar, text))).ok()?
}

fn better(grammar: &Grammar, text: &str) -> Option<Tree> {
    let tree = parsed(grammar, text)?;
    if !tree.root_node().has_error() {
        return Some(tree);
    }
    let mended = (grammar.mend)(text).and_then(|text| parsed(grammar, &text));
    let mended = mended.filter(|mended| damage(mended) < damage(&tree));
    Some(mended.unwrap_or(tree))
}

fn parsed(grammar: &Grammar, text: &str) -> Option<Tree> {
    PARSERS.with_borrow_mut(|parsers| {
        let known = parsers.iter().position(|(of, _)| std::ptr::eq(*of, grammar));
        let at = if let Some(at) = known {
            at
        } else {
            let mut parser = Parser::new();
            parser.set_language(grammar.language()).ok()?;
            parsers.push((std::ptr::from_ref(grammar), parser));
            parsers.len() - 1
        };
        let (_, parser) = parsers.get_mut(at)?;
        let tree = bounded(parser, text);
        // One that was stopped would go on where it was.
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

fn bounded(parser: &mut Parser, text: &str) -> Option<Tree> {
    let bytes = text.as_bytes();
    let mut left = FREE_REPORTS + bytes.len() / 64 * REPORTS_PER_64_BYTES;
    let mut progress = |state: &ParseState| {
        let cost = if state.has_error() { LOST } else { 1 };
        left = left.saturating_sub(cost);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut input = |from: usize, _| bytes.get(from..).unwrap_or_default();
    parser.parse_with_options(&mut input, None, Some(options))
}

/// Returns how many bytes a tree could not read, a missing word counted as one.
fn damage(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut damage = 0;
    loop {
        let node = cursor.node();
        let bad = node.is_error() || node.is_missing();
        if bad {
            damage += node.byte_range().len().max(1);
        }
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
