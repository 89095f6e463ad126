//! A note: its text, its origin and its end.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use papayu_base::domain::Sha256;
use papayu_base::text::{Masker, first_chars, show_hidden};

/// Longest title and longest text, in characters.
const MAX_TITLE: usize = 160;
/// Longest text, in characters.
pub const MAX_TEXT: usize = 1200;
/// Length of an id in hex digits.
const ID_DIGITS: usize = 12;

/// The source of a note, which decides its trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteOrigin {
    /// The user wrote it.
    User,
    /// It was distilled from a proved fix: its words come from the repository and from a model.
    Fix,
    /// It was distilled from pages of the web.
    Research,
}

impl NoteOrigin {
    /// Returns the word of the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Fix => "fix",
            Self::Research => "research",
        }
    }
}

/// The inputs of a note.
#[derive(Clone, Copy, Debug)]
pub struct NoteDraft<'a> {
    /// The source.
    pub origin: NoteOrigin,
    /// The words that make two notes the same one, such as the fingerprint of a failure; empty is title and text.
    pub identity: &'a str,
    /// One line.
    pub title: &'a str,
    /// The text; for research with its sources.
    pub text: &'a str,
    /// Days after which the note is no longer shown.
    pub ttl_days: u64,
}

/// A note, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Twelve hex digits; a note with the same id replaces an older one.
    pub id: String,
    /// The source.
    pub origin: NoteOrigin,
    /// When it was made, RFC 3339 in UTC.
    pub created: String,
    /// When it ends, RFC 3339 in UTC.
    pub expires: String,
    /// `true` if it has no end and is shown before all others.
    #[serde(default)]
    pub pinned: bool,
    /// One line.
    pub title: String,
    /// The text.
    pub text: String,
}

impl Note {
    /// Returns a note made at a time (RFC 3339): cut to its limits, without hidden characters and secrets; `None`
    /// without words or with an unreadable time.
    ///
    /// ```
    /// use papayu_index::notes::{Note, NoteDraft, NoteOrigin};
    /// use papayu_base::text::Masker;
    ///
    /// let draft = NoteDraft {
    ///     origin: NoteOrigin::User,
    ///     identity: "",
    ///     title: "Money is in cents",
    ///     text: "Amounts are whole cents everywhere but in `report`.",
    ///     ttl_days: 30,
    /// };
    /// let note = Note::new(draft, "2026-01-01T00:00:00Z", &Masker::new([])).unwrap();
    /// assert_eq!(note.expires, "2026-01-31T00:00:00Z");
    /// assert!(note.is_valid_at("2026-01-30T00:00:00Z") && !note.is_valid_at("2026-02-01T00:00:00Z"));
    /// ```
    pub fn new(draft: NoteDraft<'_>, now: &str, masker: &Masker) -> Option<Self> {
        // Masked before it is cut, so that no half of a secret is left.
        let clean = |text: &str| show_hidden(&masker.mask(text)).trim().to_owned();
        let (title, text) = (clean(draft.title), clean(draft.text));
        let title = title.lines().next().unwrap_or_default();
        if title.is_empty() && text.is_empty() {
            return None;
        }
        let identity = match draft.identity {
            "" => format!("{title}\n{text}"),
            identity => identity.to_owned(),
        };
        let digest = Sha256::of(format!("{}\n{identity}", draft.origin.name()).as_bytes());
        let hours = i64::try_from(draft.ttl_days.saturating_mul(24)).ok()?;
        let expires = parse_time(now)?.checked_add(SignedDuration::from_hours(hours)).ok()?;
        Some(Self {
            id: digest.to_string().chars().take(ID_DIGITS).collect(),
            origin: draft.origin,
            created: now.to_owned(),
            expires: expires.to_string(),
            pinned: false,
            title: first_chars(title, MAX_TITLE).to_owned(),
            text: first_chars(&text, MAX_TEXT).to_owned(),
        })
    }

    /// Returns `true` if the note may be shown at that time: it is pinned or has not ended. A note with an unreadable
    /// end may not.
    pub fn is_valid_at(&self, now: &str) -> bool {
        let ends = parse_time(&self.expires).zip(parse_time(now));
        self.pinned || ends.is_some_and(|(end, now)| now < end)
    }

    /// Returns the words that are searched.
    pub(super) fn words(&self) -> String {
        format!("{}\n{}", self.title, self.text)
    }

    /// Returns `true` if the limits of a note are respected, which a file that others wrote may not do.
    pub(super) fn is_bounded(&self) -> bool {
        let fits = |text: &str, max: usize| text.chars().nth(max).is_none();
        let is_digit = |byte: u8| byte.is_ascii_hexdigit();
        let is_id = self.id.len() == ID_DIGITS && self.id.bytes().all(is_digit);
        is_id && fits(&self.title, MAX_TITLE) && fits(&self.text, MAX_TEXT)
    }
}

fn parse_time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-03-01T12:00:00.000Z";

    fn draft<'a>(title: &'a str, text: &'a str) -> NoteDraft<'a> {
        NoteDraft { origin: NoteOrigin::Fix, identity: "", title, text, ttl_days: 1 }
    }

    #[test]
    fn a_note_has_no_secret_no_hidden_character_and_no_more_than_its_limits() {
        let token = format!("ghp_{}", "aB3".repeat(12));
        let text = format!("{}{token} \u{202e}end\u{1b}[2J", "x".repeat(MAX_TEXT - 20));
        let note = Note::new(draft("a\nb", &text), NOW, &Masker::new([])).unwrap();
        assert_eq!(note.title, "a");
        assert!(note.is_bounded() && !note.text.contains("ghp_"), "{}", note.text);
        assert!(!note.text.contains(['\u{202e}', '\u{1b}']));
        assert_eq!(Note::new(draft(" ", "\n"), NOW, &Masker::new([])), None);
        assert_eq!(Note::new(draft("a", "b"), "yesterday", &Masker::new([])), None);
    }

    #[test]
    fn a_note_ends_unless_it_is_pinned() {
        let mut note = Note::new(draft("a", "b"), NOW, &Masker::new([])).unwrap();
        let valid = |note: &Note| {
            ["2026-03-02T11:59:59Z", "2026-03-02T12:00:00Z", "nonsense"]
                .map(|now| note.is_valid_at(now))
        };
        assert_eq!(valid(&note), [true, false, false]);
        note.pinned = true;
        assert_eq!(valid(&note), [true, true, true]);
        note.pinned = false;
        note.expires = "never".to_owned();
        assert_eq!(valid(&note), [false, false, false]);
    }

    #[test]
    fn the_same_identity_of_another_origin_is_another_note() {
        let of = |origin| {
            let draft = NoteDraft { origin, identity: "0123", ..draft("a", "b") };
            Note::new(draft, NOW, &Masker::new([])).unwrap().id
        };
        assert_ne!(of(NoteOrigin::Fix), of(NoteOrigin::User));
        let other = NoteDraft { identity: "0123", ..draft("c", "d") };
        assert_eq!(Note::new(other, NOW, &Masker::new([])).unwrap().id, of(NoteOrigin::Fix));
    }
}
