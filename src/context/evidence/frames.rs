//! Evidence of places: stack frames and the spans of errors.

use super::{Origin, Piece, Question, Library};
use crate::domain::FailureKind;
use crate::context::evidence::role::Role;

/// Returns a piece for every place that is no test; the innermost counts most.
pub fn pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let places = question.frames.iter().filter(|frame| library.role(frame.file) != Role::Test);
    let piece = |frame: &super::question::Frame| {
        let path = library.path(frame.file);
        let place = frame.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        let (weight, why) = match frame.kind {
            Some(FailureKind::Compile | FailureKind::Lint | FailureKind::Import) => {
                (0.92_f32.powi(depth(frame)), format!("an error points to {place}"))
            }
            Some(_) => (0.8_f32.powi(depth(frame)), format!("the stack runs through {place}")),
            None => (0.4, format!("the log names {place}")),
        };
        // Built code and data are named by accident more often than by fault.
        let weight = if library.role(frame.file) == Role::Source { weight } else { weight * 0.5 };
        let lines = frame.line.map(|line| (line, line));
        Piece { file: frame.file, lines, origin: Origin::Frame, weight: weight.max(0.25), why }
    };
    places.map(piece).collect()
}

fn depth(frame: &super::question::Frame) -> i32 {
    i32::try_from(frame.depth).unwrap_or(i32::MAX)
}
