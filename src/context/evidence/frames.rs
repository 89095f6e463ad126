//! Evidence from places: stack frames and spans of errors.

use super::library::MAX_SEARCHED;
use super::question::split_identifiers;
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_base::domain::FailureKind;
use papayu_index::SymbolKind;
use papayu_lang::FileRole;

/// Messages of compilers about a type that lacks a member.
const MISSING_MEMBER: [&str; 9] = [
    "no associated item", "no method named", "no field", "no variant", "does not exist on type",
    "does not exist in type", "is missing in type", "has no attribute", "has no member",
];

/// Most declarations of a name that is looked up. A name with more is too common to be
/// evidence.
const MAX_DECLARED: usize = 2;

/// Returns a piece for every place outside tests. The innermost frame has the highest weight.
pub fn frame_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let places = question.frames.iter().filter(|frame| library.role(frame.file) != FileRole::Test);
    let mut pieces: Vec<Piece> = places.map(|frame| frame_piece(library, frame)).collect();
    pieces.extend(spelled_pieces(library, question));
    pieces.extend(declared_pieces(library, question));
    pieces
}

/// Returns the piece of one frame.
fn frame_piece(library: &Library<'_>, frame: &super::question::LogFrame) -> Piece {
    // Each frame further out has 0.65 of the weight of the one inside it; an error of a
    // compiler names its place directly.
    let path = library.path(frame.file);
    let place = frame.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    let (weight, why) = match frame.kind {
        Some(FailureKind::Compile | FailureKind::Lint | FailureKind::Import) => {
            (0.92_f32.powi(frame_depth(frame)), format!("an error points to {place}"))
        }
        Some(_) => (0.65_f32.powi(frame_depth(frame)), format!("the stack runs through {place}")),
        None => (0.4, format!("the log or the goal names {place}")),
    };
    // Built code and data are seldom the cause when a log names them.
    let weight = if library.role(frame.file) == FileRole::Source { weight } else { weight * 0.5 };
    let weight = if frame.stray { weight * 0.4 } else { weight };
    let lines = frame.line.map(|line| (line, line));
    Piece { file: frame.file, lines, origin: EvidenceOrigin::Frame, weight: weight.max(0.15), why }
}

/// Returns pieces for the modules that messages name, such as `Cannot find module
/// '../src/cart'`.
/// Also `cannot import name 'X' from 'shop._cart'` and `unresolved import crate::cart`.
fn spelled_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (kind, message) in &question.messages {
        let is_part = |c: char| c.is_alphanumeric() || "_-./:\\".contains(c);
        for word in message.split(|c| !is_part(c)).take(200) {
            let path =
                word.trim_matches(['.', ':', '/', '\\']).replace("::", "/").replace('\\', "/");
            let Some(file) = library.by_module(&path) else { continue };
            // A name that cannot be imported is missing in the module that should have it.
            let weight = if *kind == FailureKind::Import { 1.6 } else { 0.6 };
            let why = format!("the message names `{word}`");
            pieces.push(Piece { file, lines: None, origin: EvidenceOrigin::Frame, weight, why });
        }
    }
    pieces
}

/// Returns pieces for the types in which a compiler misses a member: `Property 'a' does not exist on type 'B'`.
/// The place of such an error is a use, and the declaration is what lacks something.
fn declared_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let missing = question.messages.iter().filter(|(kind, message)| {
        *kind == FailureKind::Compile && MISSING_MEMBER.iter().any(|words| message.contains(words))
    });
    let heads = missing.filter_map(|(_, message)| message.lines().next());
    let mut names: Vec<&str> = heads.flat_map(split_identifiers).collect();
    names.sort_unstable();
    names.dedup();
    let types = [SymbolKind::Class, SymbolKind::Interface, SymbolKind::Enum, SymbolKind::Type];
    let mut pieces = Vec::new();
    for (name, mut found) in library.index.definitions_of(&names, MAX_SEARCHED) {
        found.retain(|(id, symbol)| {
            library.role(*id) == FileRole::Source && types.contains(&symbol.kind)
        });
        if found.len() > MAX_DECLARED {
            continue;
        }
        pieces.extend(found.into_iter().map(|(file, symbol)| Piece {
            file,
            lines: Some((symbol.start, symbol.end)),
            origin: EvidenceOrigin::Frame,
            weight: 1.6,
            why: format!("it declares `{name}`, in which the compiler misses a member"),
        }));
    }
    pieces
}

/// Returns the depth of a frame as an exponent.
fn frame_depth(frame: &super::question::LogFrame) -> i32 {
    i32::try_from(frame.depth).unwrap_or(i32::MAX)
}
