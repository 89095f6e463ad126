//! Runs tree-sitter within bounds of size and work, so that no text can hang or fill a worker.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::grammar::Grammar;

/// Bytes above which a text is not parsed: a tree can take a hundred times its text.
const MAX_BYTES: usize = 4 << 20;
/// Reports of progress (one in about 100 steps of the parser) that any text may take.
const FREE_REPORTS: usize = 2_000;
/// Further reports a text may take for every 64 of its bytes. Ordinary sources take about one for 200
/// bytes; those in which the parser has lost its way take many times more.
const REPORTS_PER_64_BYTES: usize = 8;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Returns the tree of a text; `None` when it is too large, or makes the parser work too long.
pub(super) fn tree(grammar: &Grammar, text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    PARSER.with(|parser| {
        let mut parser = parser.try_borrow_mut().ok()?;
        parser.set_language(grammar.language()).ok()?;
        let bytes = text.as_bytes();
        let mut left = FREE_REPORTS + bytes.len() / 64 * REPORTS_PER_64_BYTES;
        let mut progress = |_: &ParseState| match left.checked_sub(1) {
            Some(fewer) => {
                left = fewer;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut input = |from: usize, _| bytes.get(from..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut input, None, Some(options));
        // A parse that was broken off would be resumed by the next one.
        parser.reset();
        tree
    })
}
