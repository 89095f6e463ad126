//! What of a failure's words stays the same from run to run.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What changes between runs of the same failure, each with what stands for it.
const CHANGING: &[(&str, &str)] = &[
    // Folders for temporary files, whose names are made up anew; the file's own name stays.
    (
        r#"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm)(?:/[^\s/:"'()]+)*/([^\s/:"'()]+)"#,
        "<tmp>/$1",
    ),
    (r#"[A-Za-z]:\\(?:[^\s\\:"'()]+\\)*[Tt]e?mp(?:\\[^\s\\:"'()]+)*\\([^\s\\:"'()]+)"#, "<tmp>/$1"),
    (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", "<time>"),
    (r"\b0x[0-9a-fA-F]+", "<address>"),
    (r"\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+", "<local>"),
    (r"(\.\w{1,8}):\d+(?::\d+)?", "$1"),
    (r"\bline \d+(?:,? col(?:umn)? \d+)?", "line"),
    (r"\((\d+)[:,] ?(\d+)\)", "()"),
    (r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|milliseconds)\b", "<duration>"),
];

/// Hashes: long, of hex digits only, and of letters and digits both.
const HASH: &str = r"\b[0-9a-fA-F]{7,}\b";

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let read = |(pattern, with): &(&str, &'static str)| Some((Regex::new(pattern).ok()?, *with));
    CHANGING.iter().filter_map(read).collect()
});

static HASHES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HASH).ok());

/// Returns the text without line numbers, temporary folders, times, durations, addresses and hashes.
pub(super) fn lasting(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for (pattern, with) in &*PATTERNS {
        if let Cow::Owned(changed) = pattern.replace_all(&text, *with) {
            text = Cow::Owned(changed);
        }
    }
    let Some(hashes) = &*HASHES else { return text.into_owned() };
    let without = hashes.replace_all(&text, |found: &regex::Captures<'_>| {
        let word = found.get(0).map_or("", |word| word.as_str());
        // `feedface` and `1234567` may be what the test is about.
        let mixed = word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_alphabetic());
        if mixed { "<hash>".to_owned() } else { word.to_owned() }
    });
    without.into_owned()
}
