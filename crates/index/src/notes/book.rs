//! Ranks notes for a failure.

use super::note::Note;
use crate::FileId;
use crate::term_index::{TermIndex, encode_bag};
use papayu_base::domain::{Failure, FailureReport};
use papayu_system::map_parallel;

/// Failures and places that a query has, at most.
const MAX_FAILURES: usize = 20;
const MAX_PLACES: usize = 3;
/// Words of a message that is taken for that of one failure.
const MIN_WORDS: usize = 3;

/// The words of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteQuery {
    /// Places, tests, codes and messages: a note that has all words of one of them is about the failure.
    names: Vec<String>,
    /// All of it and the goal.
    words: Vec<String>,
}

impl NoteQuery {
    /// Returns the words of a report and a goal.
    pub fn new(report: &FailureReport, goal: &str) -> Self {
        let mut names: Vec<String> = Vec::new();
        for failure in report.failures.iter().take(MAX_FAILURES) {
            names.extend(failure.test.clone());
            names.extend(failure.code.clone());
            names.extend(Some(failure.headline()).filter(|text| has_words(text)));
            let places = failure.locations.iter().take(MAX_PLACES);
            names.extend(places.map(|place| place.path.clone()));
        }
        let headlines = report.failures.iter().take(MAX_FAILURES).map(Failure::headline);
        let words = names.iter().cloned().chain(headlines).chain([goal.to_owned()]).collect();
        names.extend(Some(goal.to_owned()).filter(|text| has_words(text)));
        // A name without letters would be in every note.
        names.retain(|name| name.chars().filter(|c| c.is_alphanumeric()).count() > 2);
        Self { names, words }
    }
}

/// Returns `true` for a message with so many words that few others have all of them. `AssertionError: 4 != 3` has one.
fn has_words(message: &str) -> bool {
    let words = message.split(|c: char| !c.is_alphabetic());
    words.filter(|word| word.chars().count() >= 3).count() >= MIN_WORDS
}

/// The notes that may be shown, with their words.
#[derive(Clone, Debug, Default)]
pub struct NoteBook {
    notes: Vec<Note>,
    terms: TermIndex,
}

impl NoteBook {
    /// Creates a book of the notes that are valid at that time (RFC 3339).
    pub fn new(notes: Vec<Note>, now: &str) -> Self {
        let notes: Vec<Note> =
            notes.into_iter().filter(|note| note.is_valid_at(now) && note.is_bounded()).collect();
        let bags = map_parallel(notes.len(), |at| {
            notes.get(at).map(|note| encode_bag(&note.words()).into_boxed_slice())
        });
        let bags = bags.into_iter().flatten().zip(0..).map(|(bag, at)| (FileId(at), bag));
        let terms = TermIndex::new(bags.collect());
        Self { notes, terms }
    }

    /// Returns the notes.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the notes to show, best first: pinned ones, then those about the failure by BM25.
    pub fn rank(&self, query: &NoteQuery) -> Vec<&Note> {
        let names: Vec<&str> = query.names.iter().map(String::as_str).collect();
        let words: Vec<&str> = query.words.iter().map(String::as_str).collect();
        let mut related: Vec<FileId> = self.terms.files_with(&names).concat();
        related.sort_unstable();
        let ranked = self.terms.rank_queries(&[&words]).pop().unwrap_or_default();
        let ranked = ranked.iter().filter(|(at, _)| related.binary_search(at).is_ok());
        let note = |at: &FileId| self.notes.get(at.0 as usize);
        let ranked = ranked.filter_map(|(at, _)| note(at)).filter(|note| !note.pinned);
        self.notes.iter().filter(|note| note.pinned).chain(ranked).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::{NoteDraft, NoteOrigin};
    use papayu_base::domain::Location;
    use papayu_base::text::Masker;

    const NOW: &str = "2026-03-01T12:00:00Z";

    fn note(title: &str, text: &str, ttl_days: u64) -> Note {
        let draft = NoteDraft { origin: NoteOrigin::Fix, identity: "", title, text, ttl_days };
        Note::new(draft, NOW, &Masker::new([])).unwrap()
    }

    fn query() -> NoteQuery {
        let place = Location { path: "tests/test_money.py".into(), line: Some(7), column: None };
        let failure = Failure {
            test: Some("tests.test_money.T.test_total".into()),
            message: "AssertionError: 4 != 3".into(),
            locations: vec![place],
            ..Failure::default()
        };
        let report = FailureReport { failures: vec![failure], ..FailureReport::default() };
        NoteQuery::new(&report, "")
    }

    fn titles(notes: Vec<Note>, now: &str) -> Vec<String> {
        let book = NoteBook::new(notes, now);
        book.rank(&query()).iter().map(|note| note.title.clone()).collect()
    }

    #[test]
    fn an_expired_note_never_appears_and_an_unrelated_one_does_not() {
        let mut damaged = note("damaged", "tests/test_money.py", 90);
        damaged.text = "tests/test_money.py ".repeat(10_000);
        let notes = vec![
            note("expired", "tests/test_money.py test_total", 1),
            note("other", "AssertionError in tests/test_mail.py", 90),
            note("about it", "changed: tests/test_money.py", 90),
            damaged,
        ];
        assert_eq!(titles(notes, "2026-03-05T00:00:00Z"), ["about it"]);
    }

    #[test]
    fn pinned_notes_come_first_and_the_others_by_their_words() {
        let mut pinned = note("pinned", "anything", 1);
        pinned.pinned = true;
        let notes = vec![
            note("weak", &format!("tests/test_money.py {}", "other words ".repeat(50)), 90),
            note("strong", "tests.test_money.T.test_total tests/test_money.py", 90),
            pinned,
        ];
        assert_eq!(titles(notes, "2026-03-05T00:00:00Z"), ["pinned", "strong", "weak"]);
        assert_eq!(titles(Vec::new(), NOW), Vec::<String>::new());
    }

    #[test]
    fn a_failure_without_words_finds_nothing() {
        let book = NoteBook::new(vec![note("a", "b", 90)], NOW);
        assert_eq!(book.rank(&NoteQuery::new(&FailureReport::default(), "")), Vec::<&Note>::new());
    }
}
