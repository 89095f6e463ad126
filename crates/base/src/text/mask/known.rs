//! Finds values that are known to be secret, in every form in which programs print them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::known_forms::forms_of;
use super::visible::{hidden_length, visible_bytes};
use super::wording::MIN_CHARS;

/// The bytes at the start of a form by which it is looked up.
/// Shorter values are not learned: they would match everywhere by chance.
const HEAD: usize = MIN_CHARS;

/// The bits of the table that rules most bytes of a text out.
// 16 KiB, which stay in the cache of a processor core.
const TABLE_BITS: usize = 1 << 17;

/// More values than this are not learned, nor more bytes of their forms.
// A hostile log can declare any number of masked values.
const MAX_VALUES: usize = 1_024;
const MAX_FORM_BYTES: usize = 8 << 20;

/// The rest of a form is compared this often for each byte of a text; after that the head of a form counts as the whole.
// Bounds the time for texts that repeat the start of a form.
const COMPARISONS_PER_BYTE: usize = 64;

/// The bytes of a form at the end of a line that count as a value that was cut there.
const CUT_BYTES: usize = 12;
/// The same where they are most of the form.
const MOST_BYTES: usize = 8;

/// The bytes after a part of a form in which its line ends, and the bytes of the next line in which the form goes on.
const LINE_REST: usize = 100;
const LINE_START: usize = 80;
/// The bytes of a form that must be there for it to go on.
const SAME_BYTES: usize = 5;

/// Known values. White space, control characters and ANSI sequences count neither in the values nor in the text, so a value is also found
/// where a terminal coloured or wrapped it.
#[derive(Default)]
pub(super) struct KnownValues {
    /// The forms by their first [`HEAD`] bytes.
    forms: HashMap<u64, Vec<Box<[u8]>>>,
    /// Bits of the hashes of all heads.
    heads: Vec<u64>,
    values: HashSet<String>,
    form_bytes: usize,
}

impl KnownValues {
    /// Adds a value in all its forms.
    /// A value that is too short, known already, or beyond the limits is ignored.
    pub(super) fn add(&mut self, value: &str) {
        let is_full = self.values.len() >= MAX_VALUES || self.form_bytes >= MAX_FORM_BYTES;
        // Counted in the bytes that are compared later.
        if is_full || visible_bytes(value, 0..value.len()).count() < HEAD {
            return;
        }
        if !self.values.insert(value.to_owned()) {
            return;
        }
        // Sized at the first value, so that a run without secrets has no table.
        self.heads.resize(TABLE_BITS / 64, 0);
        for form in forms_of(value) {
            let form: Box<[u8]> =
                visible_bytes(&form, 0..form.len()).map(|(_, byte)| byte).collect();
            let Some(head) = form.get(..HEAD) else { continue };
            let head = head.iter().fold(0, |head, byte| pushed(head, *byte));
            let (word, bit) = bit_of(head);
            if let Some(word) = self.heads.get_mut(word) {
                *word |= bit;
            }
            let forms = self.forms.entry(head).or_default();
            if !forms.contains(&form) {
                self.form_bytes += form.len();
                forms.push(form);
            }
        }
    }

    /// Returns the places of all forms in the area.
    /// The places are byte ranges of `text`; those that overlap are joined.
    pub(super) fn find(&self, text: &str, area: Range<usize>) -> Vec<Range<usize>> {
        if self.forms.is_empty() {
            return Vec::new();
        }
        let work = area.len().saturating_mul(COMPARISONS_PER_BYTE);
        let mut search = KnownSearch { text, work, places: Vec::new() };
        let bytes = text.as_bytes();
        // The starts of the last eight visible bytes, since invisible ones may be in between.
        let (mut head, mut starts, mut count) = (0, [0; 8], 0_usize);
        let mut at = area.start;
        while at < area.end
            && let Some(byte) = bytes.get(at)
        {
            let hidden = hidden_length(bytes, at, *byte);
            if hidden > 1 {
                self.find_in_hidden(&mut search, at..at + hidden);
                at += hidden;
                continue;
            }
            // Values instead of branches: no processor foresees the blanks of a text.
            let is_visible = hidden == 0;
            head = if is_visible { pushed(head, *byte) } else { head };
            starts[count % 8] = at;
            count += usize::from(is_visible);
            if self.may_begin_with(head) && is_visible && count >= HEAD {
                self.add_matches(&mut search, head, starts[(count - HEAD) % 8], at);
            }
            at += 1;
        }
        search.places
    }

    /// Adds the places of forms that begin in bytes that are not visible: `ESC ) V` hides the first letter of `Value`, and a title
    /// hides all of it, but other programs read it.
    fn find_in_hidden(&self, search: &mut KnownSearch<'_>, hidden: Range<usize>) {
        let bytes = search.text.as_bytes();
        for start in hidden {
            let Some(first) = bytes.get(start..start + HEAD) else { return };
            let head = first.iter().fold(0, |head, byte| pushed(head, *byte));
            if self.may_begin_with(head) {
                self.add_matches(search, head, start, start + HEAD - 1);
            }
        }
    }

    /// Returns `false` for almost every head that is none of a form.
    fn may_begin_with(&self, head: u64) -> bool {
        let (word, bit) = bit_of(head);
        self.heads.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Adds the places of the forms with a head that begins at `start` and ends at `at`.
    fn add_matches(&self, search: &mut KnownSearch<'_>, head: u64, start: usize, at: usize) {
        for form in self.forms.get(&head).into_iter().flatten() {
            // The head alone counts once the work is used up: masking too much is the safe side.
            let end = match search.work {
                0 => Some(at + 1),
                _ => end_of_match(search.text, at, form, &mut search.work),
            };
            if let Some(end) = end {
                add_place(&mut search.places, start..end);
            }
            if search.work == 0 {
                break;
            }
        }
    }
}

/// A search for forms in a text.
struct KnownSearch<'t> {
    text: &'t str,
    /// The comparisons that are left.
    work: usize,
    places: Vec<Range<usize>>,
}

/// Adds a place, joined with the last one if they overlap: a text can have a value at each of its bytes.
fn add_place(places: &mut Vec<Range<usize>>, place: Range<usize>) {
    match places.last_mut() {
        Some(last) if last.start <= place.start && place.start < last.end => {
            last.end = last.end.max(place.end);
        }
        _ => places.push(place),
    }
}

/// Returns the end of a form with a head that ends at `at`, if the rest of the form follows, or follows up to a cut at the end of a line.
fn end_of_match(text: &str, at: usize, form: &[u8], work: &mut usize) -> Option<usize> {
    let mut end = at + 1;
    let mut rest = form.get(HEAD..).unwrap_or_default();
    let mut cut = None;
    loop {
        let common = common_start(text, end, rest);
        *work = work.saturating_sub(common.same + 1);
        let found = form.len() - rest.len();
        let line_end = common.line_end.map(|(same, end)| (found + same, end));
        cut = line_end.or(cut);
        end = common.end;
        rest = rest.get(common.same..).unwrap_or_default();
        if rest.is_empty() {
            return Some(end);
        }
        // A value that cannot be followed to its end counts as cut.
        if *work == 0 {
            break;
        }
        *work = work.saturating_sub(LINE_START);
        // Programs that wrap a text begin its lines with marks of their own, which can be like the rest by chance.
        let stops = [Some((form.len() - rest.len(), end)), line_end];
        let next = stops.into_iter().flatten().find_map(|(found, end)| {
            let rest = form.get(found..).unwrap_or_default();
            Some((start_in_next_line(text, end, rest)?, rest))
        });
        let Some(next) = next else { break };
        (end, rest) = next;
    }
    // The next line may begin like the rest by chance.
    let here = (form.len() - rest.len(), end);
    let (found, end) = if ends_line(text, end) { here } else { cut? };
    let is_cut = found >= CUT_BYTES || found >= MOST_BYTES && found * 4 >= form.len() * 3;
    // The first line of a key is the same for all keys.
    (is_cut && !form.starts_with(b"-----")).then_some(end)
}

/// The bytes that a text and a form have in common.
struct Common {
    same: usize,
    /// The end of the last one in the text.
    end: usize,
    /// The same two where the last line ended before them.
    line_end: Option<(usize, usize)>,
}

/// Returns how many bytes of the form follow.
fn common_start(text: &str, from: usize, form: &[u8]) -> Common {
    let mut common = Common { same: 0, end: from, line_end: None };
    // Invisible bytes between the compared ones are skipped.
    for ((at, byte), expected) in visible_bytes(text, from..text.len()).zip(form) {
        if byte != *expected {
            break;
        }
        if at > common.end && ends_line(text, common.end) {
            common.line_end = Some((common.same, common.end));
        }
        common.same += 1;
        common.end = at + 1;
    }
    common
}

/// Returns `true` if nothing follows in the line.
fn ends_line(text: &str, at: usize) -> bool {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    // Blanks at the end of a line do not separate the parts of a value.
    let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    next.is_none_or(|byte| *byte == b'\n')
}

/// Returns the place near the start of the next line at which the form goes on.
fn start_in_next_line(text: &str, at: usize, form: &[u8]) -> Option<usize> {
    let needed = form.get(..SAME_BYTES).unwrap_or(form);
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    // Only the next line, and only near: a wrapped value goes on there.
    let line = at + memchr::memchr(b'\n', rest.get(..LINE_REST).unwrap_or(rest))? + 1;
    let near = line..text.len().min(line + LINE_START);
    visible_bytes(text, near)
        .map(|(start, _)| start)
        .find(|start| common_start(text, *start, needed).same == needed.len())
}

/// Returns the last [`HEAD`] bytes with one more.
fn pushed(head: u64, byte: u8) -> u64 {
    (head << 8 | u64::from(byte)) & ((1 << (8 * HEAD)) - 1)
}

/// Returns the word and the bit of the table that belong to a head.
fn bit_of(head: u64) -> (usize, u64) {
    // Fibonacci hashing: the upper bits of the product depend on all of the head.
    let hash = head.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - TABLE_BITS.ilog2());
    (usize::try_from(hash >> 6).unwrap_or_default(), 1 << (hash & 63))
}
