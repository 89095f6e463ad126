//! A decoded or cleaned form of a stretch of text that knows which bytes of the source each of its bytes comes from.

use std::ops::Range;

/// A run of bytes of a view. Runs of the same length in both are copies; of others each byte has the whole source.
#[derive(Clone, Copy, Debug)]
struct Segment {
    view: usize,
    source: usize,
    source_len: usize,
    is_copy: bool,
}

/// A text that was made of another text, and the way back.
#[derive(Debug, Default)]
pub(super) struct SourceView {
    text: String,
    segments: Vec<Segment>,
}

impl SourceView {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Appends a piece of the source as it is.
    pub(super) fn copy(&mut self, piece: &str, source: usize) {
        let goes_on = self
            .segments
            .last_mut()
            .filter(|last| last.is_copy && last.source + last.source_len == source);
        match goes_on {
            Some(last) => last.source_len += piece.len(),
            None => self.segments.push(Segment {
                view: self.text.len(),
                source,
                source_len: piece.len(),
                is_copy: true,
            }),
        }
        self.text.push_str(piece);
    }

    /// Appends the decoded form of a stretch of the source.
    pub(super) fn decode(&mut self, piece: &str, source: Range<usize>) {
        if piece.is_empty() {
            return;
        }
        self.segments.push(Segment {
            view: self.text.len(),
            source: source.start,
            source_len: source.len(),
            is_copy: false,
        });
        self.text.push_str(piece);
    }

    /// Removes the last character, if it is of the same line.
    pub(super) fn erase(&mut self) {
        let Some(last) = self.text.chars().next_back().filter(|c| *c != '\n') else { return };
        self.text.pop();
        if let Some(segment) = self.segments.last_mut() {
            if segment.is_copy {
                segment.source_len = segment.source_len.saturating_sub(last.len_utf8());
            }
            if segment.view >= self.text.len() {
                self.segments.pop();
            }
        }
    }

    /// Returns the bytes of the source that a place in the view comes from.
    pub(super) fn source(&self, place: &Range<usize>) -> Range<usize> {
        let start = self.segment_at(place.start);
        let end = self.segment_at(place.end.saturating_sub(1));
        let (Some(start), Some(end)) = (start, end) else { return 0..0 };
        let first = start.source + if start.is_copy { place.start - start.view } else { 0 };
        let last = end.source + if end.is_copy { place.end - end.view } else { end.source_len };
        first..last.max(first)
    }

    fn segment_at(&self, at: usize) -> Option<Segment> {
        let after = self.segments.partition_point(|segment| segment.view <= at);
        self.segments.get(after.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_in_the_source() {
        let mut view = SourceView::default();
        view.copy("ab", 0);
        view.decode("=", 2..5);
        view.copy("cd", 5);
        view.copy("ef", 7);
        view.erase();
        view.copy("g", 11);
        assert_eq!(view.text(), "ab=cdeg");
        for (place, source) in
            [(0..2, 0..2), (2..3, 2..5), (1..4, 1..6), (3..6, 5..8), (5..7, 7..12)]
        {
            assert_eq!(view.source(&place), source, "{place:?}");
        }
    }
}
