//! Evidence from places: stack frames and spans of errors.

use super::{Library, Origin, Piece, Question};
use crate::domain::FailureKind;
use crate::lang::FileRole;

/// Returns a piece for every place outside tests. The innermost frame has the highest weight.
pub fn frame_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let places = question.frames.iter().filter(|frame| library.role(frame.file) != FileRole::Test);
    let piece = |frame: &super::question::Frame| {
        let path = library.path(frame.file);
        let place = frame.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        let (weight, why) = match frame.kind {
            Some(FailureKind::Compile | FailureKind::Lint | FailureKind::Import) => {
                (0.92_f32.powi(frame_depth(frame)), format!("an error points to {place}"))
            }
            Some(_) => {
                (0.65_f32.powi(frame_depth(frame)), format!("the stack runs through {place}"))
            }
            None => (0.4, format!("the log names {place}")),
        };
        // Built code and data are seldom the cause when a log names them.
        let weight =
            if library.role(frame.file) == FileRole::Source { weight } else { weight * 0.5 };
        let weight = if frame.stray { weight * 0.4 } else { weight };
        let lines = frame.line.map(|line| (line, line));
        Piece { file: frame.file, lines, origin: Origin::Frame, weight: weight.max(0.15), why }
    };
    places.map(piece).chain(spelled_pieces(library, question)).collect()
}

/// Returns pieces for modules named in messages: `cannot import name 'X' from 'shop._cart'`,
/// `Cannot find module '../src/cart'`, `unresolved import crate::cart`.
fn spelled_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (kind, message) in &question.messages {
        let is_part = |c: char| c.is_alphanumeric() || "_-./:\\".contains(c);
        for word in message.split(|c| !is_part(c)).take(200) {
            let path =
                word.trim_matches(['.', ':', '/', '\\']).replace("::", "/").replace('\\', "/");
            let Some(file) = library.by_module(&path) else { continue };
            let weight = if *kind == FailureKind::Import { 0.9 } else { 0.6 };
            let why = format!("the message names `{word}`");
            pieces.push(Piece { file, lines: None, origin: Origin::Frame, weight, why });
        }
    }
    pieces
}

fn frame_depth(frame: &super::question::Frame) -> i32 {
    i32::try_from(frame.depth).unwrap_or(i32::MAX)
}
