//! Runs the parser over one text, in memory that is used again for the next.

use std::cell::RefCell;
use std::panic::catch_unwind;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::bounds;
use super::reader::Typed;
use crate::index::language::parser::with_room;
use crate::index::language::{Language, Parsed};

thread_local! {
    /// Where the trees of this thread's texts are put, one after the other.
    static ARENA: RefCell<Allocator> = RefCell::default();
}

/// Bytes of stack for one byte of text. The parser goes down a level for every operator that binds to the right,
/// which takes less, and for every bracket, which takes more: of those, all but few are told by the bounds.
const STACK_PER_BYTE: usize = 1 << 10;
/// Bytes of stack for as many brackets as the bounds let through.
const STACK: usize = 4 << 20;

/// Returns what a text says; `None` when it is in another language, has an error, or is outside the bounds
/// within which the parser takes little time and stack.
pub(in crate::index::language) fn read(language: Language, text: &str) -> Option<Parsed> {
    let source = match language {
        Language::TypeScript => SourceType::ts(),
        Language::Tsx => SourceType::tsx(),
        Language::JavaScript | Language::Jsx => SourceType::jsx(),
        _ => return None,
    };
    if !bounds::are_kept(text, language != Language::TypeScript) {
        return None;
    }
    let job = || {
        ARENA.with_borrow_mut(|arena| {
            let parsed = parsed(arena, language, source, text);
            arena.reset();
            parsed
        })
    };
    // A fault of the parser costs the text its faster reading, not the run.
    with_room(STACK + text.len() * STACK_PER_BYTE, || catch_unwind(job).ok()?)?
}

fn parsed(arena: &Allocator, language: Language, source: SourceType, text: &str) -> Option<Parsed> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        ..ParseOptions::default()
    };
    let tree = Parser::new(arena, text, source).with_options(options).parse();
    if tree.panicked || !tree.diagnostics.is_empty() {
        return None;
    }
    Some(Typed::read(language, text, &tree.program))
}
