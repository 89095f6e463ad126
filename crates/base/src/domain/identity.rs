//! Removes the parts of a failure's text that differ between runs.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Captures;

use crate::text::Pattern;

// The cues are a cheap test: most texts have none of them, and regular expressions are slow.
/// The parts that differ between runs of the same failure: cues of which each match has one, the
/// pattern, the replacement.
const CHANGING: &[(&[&str], &str, &str)] = &[
    // Temporary folders have random names; the name of the file stays.
    (
        &["/tmp", "/var/folders", "/dev/shm"],
        r#"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm)(?:/[^\s/:"'()]+)*/([^\s/:"'()]+)"#,
        "<tmp>/$1",
    ),
    (
        &[":\\"],
        r#"[A-Za-z]:\\(?:[^\s\\:"'()]+\\)*[Tt]e?mp(?:\\[^\s\\:"'()]+)*\\([^\s\\:"'()]+)"#,
        "<tmp>/$1",
    ),
    (&["-"], r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
    (
        &["-"],
        r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?",
        "<time>",
    ),
    (&["0x"], r"\b0x[0-9a-fA-F]+", "<address>"),
    (
        &["127.0.0.1:", "localhost:", "[::1]:"],
        r"\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+",
        "<local>",
    ),
    // An ending of any letters would be a large pattern.
    // `file.rs:12:5` becomes `file.rs`.
    (&[":"], r"(\.[0-9A-Za-z_]{1,8}):[0-9]+(?::[0-9]+)?", "$1"),
    // `line 12, column 5` of interpreters becomes `line`.
    (&["line "], r"\bline \d+(?:,? col(?:umn)? \d+)?", "line"),
    // `(12,5)` of MSBuild and tsc.
    (&["("], r"\((\d+)[:,] ?(\d+)\)", "()"),
    (&["s"], r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|milliseconds)\b", "<duration>"),
];

/// Hashes: long, of hex digits only, and of letters and digits both.
// Seven digits are the shortest hash that git abbreviates to.
const HASH: &str = r"\b[0-9a-fA-F]{7,}\b";

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| CHANGING.iter().map(|(_, pattern, _)| Pattern::new(pattern)).collect());

static HASHES: Pattern = Pattern::new(HASH);

/// Returns `true` if a text has a digit of any script.
fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Returns the text without line numbers, temporary folders, times, durations, addresses and hashes.
pub fn normalize_identity(text: &str) -> String {
    // Borrowed until a pattern matches, so that most texts are copied once only.
    let mut text = Cow::Borrowed(text);
    for ((parts, _, with), pattern) in CHANGING.iter().zip(&*PATTERNS) {
        // Every pattern except those of folders needs a digit; a word of hex letters alone is not a
        // hash.
        let may_be = parts.iter().any(|part| text.contains(part))
            && (with.starts_with("<tmp>") || *with == "<id>" || has_digit(&text));
        // `$1` is the name of the file, which is kept.
        let with = |found: &Captures<'_>| match with.strip_suffix("$1") {
            Some(before) => before.to_owned() + found.get(1).map_or("", |part| part.as_str()),
            None => (*with).to_owned(),
        };
        if may_be && let Cow::Owned(changed) = pattern.replace_all(&text, with) {
            text = Cow::Owned(changed);
        }
    }
    // Hashes have digits.
    if !has_digit(&text) {
        return text.into_owned();
    }
    let without = HASHES.replace_all(&text, |found: &Captures<'_>| {
        let word = found.get(0).map_or("", |part| part.as_str());
        // `feedface` and `1234567` may be what the test is about.
        let mixed = word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_alphabetic());
        if mixed { "<hash>".to_owned() } else { word.to_owned() }
    });
    without.into_owned()
}
