//! Evidence of failing tests: the file of each, and the test within it.

use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_lang::FileRole;

/// Returns a piece for every failing test, and for every test file whose failing test is unknown.
pub fn test_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for test in &question.tests {
        let title = if test.title.is_empty() { "that the log names" } else { test.title.as_str() };
        let why = format!("it holds the failing test {title}");
        let piece = Piece {
            file: test.file,
            lines: Some(test.lines),
            origin: EvidenceOrigin::Test,
            weight: 1.0,
            why,
        };
        pieces.push(piece);
    }
    for frame in question.frames.iter().filter(|frame| library.role(frame.file) == FileRole::Test) {
        let lines = frame.line.map(|line| (line, line));
        let why = "the failure begins in this test file".to_owned();
        pieces.push(Piece {
            file: frame.file,
            lines,
            origin: EvidenceOrigin::Test,
            weight: 0.8,
            why,
        });
    }
    for file in &question.test_files {
        let why = "the failing test's name spells it".to_owned();
        pieces.push(Piece {
            file: *file,
            lines: None,
            origin: EvidenceOrigin::Test,
            weight: 0.6,
            why,
        });
    }
    pieces
}
