//! Evidence from changes: lines that differ from those on which the command passed, in files that the failure reaches.

use std::collections::{BTreeMap, BTreeSet};

use super::{EvidenceOrigin, Library, Piece, Question};
use crate::changes::Changes;
use crate::context::line_ranges::LineRange;
use crate::context::prose::find_all_prose;
use papayu_base::domain::changes::HunkRange;
use papayu_index::FileId;
use papayu_lang::FileRole;

/// Most imports between a failing test and a changed file.
const MAX_IMPORTS: i32 = 6;

/// The share of a file's closeness that the files which it imports have.
const IMPORT_SHARE: f32 = 0.8;

/// Changed lines of code with which a change counts half.
const HALF_LINES: f32 = 3.0;

/// Returns a piece for each hunk of a file that a failing test, a frame or other evidence leads to. Changed files that
/// nothing leads to have none.
pub fn change_pieces(
    library: &Library<'_>,
    question: &Question,
    changes: &Changes,
    pieces: &[Piece],
) -> Vec<Piece> {
    let near = find_near(library, question, pieces);
    let mut found = Vec::new();
    for (file, closeness) in near {
        let Some(changed) = changes.file(library.path(file)) else { continue };
        if library.role(file) == FileRole::Test {
            continue;
        }
        let now = library.text(file).unwrap_or_default();
        let old = changed.old_text(&now).unwrap_or_default();
        let (prose, old_prose) =
            (find_all_prose(&changed.path, &now), find_all_prose(&changed.path, &old));
        for hunk in &changed.hunks {
            let HunkRange { old_start, old_lines, new_start, new_lines } = hunk.range;
            let new = count_code(&hunk.new_text, (new_start, new_lines), &prose);
            let gone = count_code(&hunk.old_text, (old_start, old_lines), &old_prose);
            let count = new.max(gone);
            let weight = closeness * count / (count + HALF_LINES);
            let lines = hunk.lines();
            let why = format!("changed since it was green: line {}", lines.0);
            let (lines, origin) = (Some(lines), EvidenceOrigin::Change);
            found.push(Piece { file, lines, origin, weight, why });
        }
    }
    found
}

/// Returns the files that the failure leads to, with how close they are, from 0 to 1.
fn find_near(
    library: &Library<'_>,
    question: &Question,
    pieces: &[Piece],
) -> BTreeMap<FileId, f32> {
    let frames = question.frames.iter().filter(|frame| !frame.stray).map(|frame| frame.file);
    let mut near: BTreeMap<FileId, f32> = BTreeMap::new();
    let mut layer: BTreeSet<FileId> = frames.chain(question.test_files.iter().copied()).collect();
    for distance in 0..=MAX_IMPORTS {
        let mut next = BTreeSet::new();
        for file in layer {
            if near.contains_key(&file) {
                continue;
            }
            near.insert(file, IMPORT_SHARE.powi(distance));
            let links = library.links.imports_of(file);
            if library.work.spend(links.len() + 1) {
                next.extend(links.iter().flat_map(|link| link.target.files()).copied());
            }
        }
        layer = next;
    }
    for piece in pieces {
        // Words are shared by accident, too.
        let share = if piece.origin == EvidenceOrigin::Words { 0.5 } else { 1.0 };
        let known = near.entry(piece.file).or_default();
        *known = known.max(piece.weight.min(1.0) * share);
    }
    near
}

/// Returns the number of lines of a text that have a word and are in no prose. `place` is the first line of the text in its
/// file and the number of its lines.
#[expect(clippy::cast_precision_loss, reason = "hunks have few lines")]
fn count_code(text: &str, place: (u32, u32), prose: &[LineRange]) -> f32 {
    let is_prose = |line: u32| prose.iter().any(|it| it.0 <= line && line <= it.1);
    let numbered = text.lines().zip(place.0..).take(place.1 as usize);
    let code =
        numbered.filter(|(text, line)| text.chars().any(char::is_alphanumeric) && !is_prose(*line));
    code.count() as f32
}
