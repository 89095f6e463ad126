//! Cuts a hunk's lines into pieces: words that changed, code of one kind.

use std::ops::Range;

use diffy::{DiffOptions, Line as Change};

use super::{DiffLine, LineKind, LinePiece};
use papayu_index::language::{Highlight, find_highlights};
use papayu_lang::Language;

/// A line of a hunk without its mark.
pub(super) type RawLine<'p> = (LineKind, &'p str);

/// Longer lines are not compared word by word.
const MOST_BYTES: usize = 2_000;
/// The least share of common words, in percent, for two lines to be compared at all.
const MIN_COMMON_PERCENT: usize = 40;

/// Returns a hunk's lines with everything that is known of them.
pub(super) fn lines_of(language: Option<Language>, hunk: &[RawLine<'_>]) -> Vec<DiffLine> {
    // Both sides are highlighted as whole texts, because a comment may span lines.
    let changed = changed(hunk);
    let inked = [LineKind::Deleted, LineKind::Added].map(|side| colours(language, hunk, side));
    let [old, new] = inked;
    let rows = hunk.iter().zip(changed).enumerate().map(|(index, ((kind, text), changed))| {
        let side = if *kind == LineKind::Deleted { &old } else { &new };
        let highlights = side.get(index).map_or(&[][..], Vec::as_slice);
        DiffLine { kind: *kind, spans: spans(text, &changed, highlights) }
    });
    rows.collect()
}

/// Returns, line by line, the bytes that its counterpart does not have: the first deleted line of a run
/// is the first added one, and so on.
fn changed(hunk: &[RawLine<'_>]) -> Vec<Vec<Range<usize>>> {
    // A line without a counterpart has no changed bytes.
    let mut out = vec![Vec::new(); hunk.len()];
    let mut index = 0;
    while index < hunk.len() {
        let run = |from: usize, kind: LineKind| {
            hunk.iter().skip(from).take_while(|(own, _)| *own == kind).count()
        };
        let deleted = run(index, LineKind::Deleted);
        let added = run(index + deleted, LineKind::Added);
        for pair in 0..deleted.min(added) {
            let (one, two) = (index + pair, index + deleted + pair);
            let text = |at: usize| hunk.get(at).map_or("", |(_, text)| *text);
            if let Some((old, new)) = words(text(one), text(two)) {
                out.get_mut(one).into_iter().for_each(|place| place.clone_from(&old));
                out.get_mut(two).into_iter().for_each(|place| place.clone_from(&new));
            }
        }
        // At least one line, so that the loop ends.
        index += (deleted + added).max(1);
    }
    out
}

type Ranges = Vec<Range<usize>>;

/// Returns the bytes of each line that the other lacks; `None` when they have too little in common.
fn words(old: &str, new: &str) -> Option<(Ranges, Ranges)> {
    if old.len().max(new.len()) > MOST_BYTES {
        return None;
    }
    let (old, new) = (tokens(old), tokens(new));
    // One word a line: the line diff that writes patches then compares words.
    let (old_lines, new_lines) = (one_per_line(&old), one_per_line(&new));
    let mut options = DiffOptions::new();
    // The whole line is one hunk, so that every word is counted.
    options.set_context_len(old.len().max(new.len()));
    let patch = options.create_patch(&old_lines, &new_lines);
    let changes = patch.hunks().iter().flat_map(diffy::Hunk::lines);
    let (mut deleted, mut added) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at, mut common) = (0, 0, 0);
    for change in changes {
        match change {
            Change::Context(word) => {
                common += 1;
                old_at += word.len() - 1;
                new_at += word.len() - 1;
            }
            Change::Delete(word) => {
                let start = old_at;
                old_at += word.len() - 1;
                deleted.push(start..old_at);
            }
            Change::Insert(word) => {
                let start = new_at;
                new_at += word.len() - 1;
                added.push(start..new_at);
            }
        }
    }
    // Twice the common words by all words, in percent.
    let alike = 200 * common >= MIN_COMMON_PERCENT * (old.len() + new.len());
    (alike || patch.hunks().is_empty()).then_some((deleted, added))
}

/// Returns the words with a line feed after each.
fn one_per_line(words: &[&str]) -> String {
    words.iter().flat_map(|word| [word, "\n"]).collect()
}

/// Splits a line into words and the single signs and blanks between them.
fn tokens(line: &str) -> Vec<&str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|char| !is_word(char)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Returns, line by line, what the pieces of one side are; the other side's own lines have none.
fn colours(
    language: Option<Language>,
    hunk: &[RawLine<'_>],
    side: LineKind,
) -> Vec<Vec<(Range<usize>, Highlight)>> {
    let mut out = vec![Vec::new(); hunk.len()];
    let Some(language) = language else { return out };
    let mut text = String::new();
    let mut starts = Vec::new();
    for (index, (kind, line)) in hunk.iter().enumerate() {
        // The context is part of both sides.
        if *kind == side || *kind == LineKind::Context {
            starts.push((text.len(), index));
            text.push_str(line);
            text.push('\n');
        }
    }
    for (at, ink) in find_highlights(language, &text) {
        let first = starts.partition_point(|(start, _)| *start <= at.start).saturating_sub(1);
        for (start, index) in starts.iter().skip(first).take_while(|(start, _)| *start < at.end) {
            // A comment of several lines has a piece in each.
            let line = hunk.get(*index).map_or(0, |(_, line)| line.len());
            let piece = at.start.saturating_sub(*start)..at.end.saturating_sub(*start).min(line);
            if let Some(place) = out.get_mut(*index)
                && !piece.is_empty()
            {
                place.push((piece, ink));
            }
        }
    }
    out
}

/// Cuts a line wherever something begins or ends.
fn spans(
    text: &str,
    changed: &[Range<usize>],
    highlights: &[(Range<usize>, Highlight)],
) -> Vec<LinePiece> {
    let mut cuts: Vec<usize> = vec![0, text.len()];
    cuts.extend(changed.iter().flat_map(|range| [range.start, range.end]));
    cuts.extend(highlights.iter().flat_map(|(range, _)| [range.start, range.end]));
    cuts.sort_unstable();
    cuts.dedup();
    let mut spans: Vec<LinePiece> = Vec::new();
    let (mut marked, mut inked) = (changed.iter().peekable(), highlights.iter().peekable());
    for pair in cuts.windows(2) {
        let [start, end] = *pair else { continue };
        let Some(piece) = text.get(start..end) else { continue };
        // Both lists are sorted, so that each is passed once.
        while marked.next_if(|range| range.end <= start).is_some() {}
        while inked.next_if(|(range, _)| range.end <= start).is_some() {}
        let changed = marked.peek().is_some_and(|range| range.contains(&start));
        let ink = inked.peek().filter(|(range, _)| range.contains(&start)).map(|(_, ink)| *ink);
        let ink = name(ink.unwrap_or_default());
        match spans.last_mut().filter(|last| last.changed == changed && last.ink == ink) {
            Some(last) => last.text.push_str(piece),
            None => spans.push(LinePiece { text: piece.to_owned(), changed, ink }),
        }
    }
    spans
}

/// Returns the class of the page's style sheet.
fn name(ink: Highlight) -> &'static str {
    match ink {
        Highlight::Plain => "plain",
        Highlight::Keyword => "keyword",
        Highlight::String => "string",
        Highlight::Number => "number",
        Highlight::Comment => "comment",
    }
}
