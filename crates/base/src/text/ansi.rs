//! Removes colors, cursor movements and CI decorations from a line of a log.
//!
//! The formats are those of ECMA-48 (escape sequences) and of GitHub, GitLab, Azure, Buildkite and Jenkins (timestamps,
//! group marks).

use std::borrow::Cow;

/// Marks that CI systems put at the start of a line; only the mark goes, the text stays.
const MARKS: [&str; 2] = ["::group::", "::endgroup::"];

/// Lines that only fold a log and say nothing.
const FOLDS: [&str; 2] = ["section_start:", "section_end:"];

/// Returns the line as a terminal shows it, without escapes, control characters, CI timestamps,
/// group marks and line ending.
///
/// Of text that carriage returns overwrite, the last segment with text remains. A line that needs
/// no change is not copied.
///
/// # Examples
///
/// ```
/// use papayu_base::text::clean_line;
///
/// let line = "2026-01-01T00:00:00.0Z \u{1b}[1merror\u{1b}[0m: no\r\n";
/// assert_eq!(clean_line(line), "error: no");
/// ```
pub fn clean_line(line: &str) -> Cow<'_, str> {
    let line = line.trim_end_matches(['\n', '\r']);
    if !has_control(line) {
        return Cow::Borrowed(without_marks(line));
    }
    // A terminal shows the text after the last carriage return.
    for segment in line.rsplit('\r') {
        let mut text = without_escapes(segment);
        let kept = without_marks(&text);
        if !kept.trim().is_empty() {
            text.drain(..text.len() - kept.len());
            return Cow::Owned(text);
        }
    }
    Cow::Borrowed("")
}

/// Removes escape sequences and control characters.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\x1b', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        push_without_controls(&mut out, before);
        rest = after_escape(from);
    }
    push_without_controls(&mut out, rest);
    out
}

/// Appends a text without control characters other than tabs.
fn push_without_controls(out: &mut String, text: &str) {
    if has_control(text) {
        out.extend(text.chars().filter(|c| *c == '\t' || !c.is_control()));
    } else {
        out.push_str(text);
    }
}

/// Returns `true` if the text may contain a control character other than a tab. Controls of C1 have two bytes,
/// of which 0xc2 is the first. The loop has no early exit, so that the compiler can test many bytes at once.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from testing many at once"
)]
/// Returns `true` if a text may have control characters; a loop without branches, since nearly all
/// lines have none. `0xc2` begins those of U+0080 to U+009F.
fn has_control(text: &str) -> bool {
    text.bytes().fold(false, |odd, byte| {
        odd | (byte < 0x20) & (byte != b'\t') | (byte == 0x7f) | (byte == 0xc2)
    })
}

/// Returns what follows the escape sequence that `text` begins with.
fn after_escape(text: &str) -> &str {
    let rest = text.strip_prefix('\u{1b}').unwrap_or(text);
    let mut chars = rest.chars();
    match chars.next() {
        Some('[') => after_csi(chars.as_str()),
        Some(']' | '_' | 'P' | '^' | 'X') => after_string(chars.as_str()),
        Some(' '..='/') => {
            chars.next();
            chars.as_str()
        }
        Some('0'..='~') => chars.as_str(),
        _ => rest,
    }
}

/// A control sequence: parameters, then one final byte. A broken one ends where it breaks.
fn after_csi(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| (' '..='?').contains(&c));
    rest.strip_prefix(|c: char| ('@'..='~').contains(&c)).unwrap_or(rest)
}

/// A string sequence (title, hyperlink, Buildkite's `_bk;t=…`): up to BEL or ST. Without an end only
/// its introducer goes, so that no text is swallowed.
fn after_string(text: &str) -> &str {
    match text.find(['\u{7}', '\u{9c}', '\u{1b}']) {
        Some(at) => {
            let end = text.split_at(at).1;
            let end = end.strip_prefix("\u{1b}\\").unwrap_or(end);
            end.strip_prefix(['\u{7}', '\u{9c}']).unwrap_or(end)
        }
        // Without an end only the introducer is dropped, so that no text is lost.
        None => text,
    }
}

/// Removes the columns, timestamps and group marks of CI systems.
fn without_marks(line: &str) -> &str {
    let mut rest = line.strip_prefix('\u{feff}').unwrap_or(line);
    rest = after_job_columns(rest).unwrap_or(rest);
    if let Some(after) = after_timestamp(rest) {
        rest = after_stream_mark(after).unwrap_or(after);
    } else if let Some(after) = after_buildkite(rest) {
        rest = after;
    }
    if FOLDS.iter().any(|fold| rest.starts_with(fold)) {
        return "";
    }
    for mark in MARKS {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    after_hash_mark(rest).unwrap_or(rest)
}

/// `gh run view --log` puts the job's and the step's name before the timestamp.
fn after_job_columns(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('\t')?;
    let (_, rest) = rest.split_once('\t')?;
    let rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
    after_timestamp(rest).map(|_| rest)
}

/// `2026-01-01T00:00:00.0000000Z ` (GitHub, GitLab) or the same in brackets (Jenkins).
fn after_timestamp(line: &str) -> Option<&str> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let (open, rest) = match line.strip_prefix('[') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let stamp = rest.as_bytes().get(..FORM.len())?;
    let fits = FORM.iter().zip(stamp).all(|(form, byte)| match form {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    if !fits {
        return None;
    }
    let rest = rest.get(FORM.len()..)?;
    let rest =
        rest.strip_prefix('.').map_or(rest, |r| r.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = rest.strip_prefix('Z')?;
    let rest = if open { rest.strip_prefix(']')? } else { rest };
    rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))
}

/// GitLab's `00O ` after the timestamp: stream number, kind, and `+` for a line that goes on.
fn after_stream_mark(line: &str) -> Option<&str> {
    match line.as_bytes() {
        [a, b, b'O' | b'E', b' ' | b'+', ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            line.get(4..)
        }
        _ => None,
    }
}

/// Buildkite's time mark in logs that lost their escape characters.
fn after_buildkite(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("_bk;t=")?;
    Some(rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// `##[group]`, `##[error]`, … and Azure's `##vso[…]`.
fn after_hash_mark(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("##")?;
    let rest = rest.strip_prefix("vso").unwrap_or(rest).strip_prefix('[')?;
    rest.split_once(']').map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    #[test]
    fn a_plain_line_is_not_copied() {
        assert!(matches!(clean_line("  --> src/main.rs:1:2"), Cow::Borrowed(_)));
    }

    #[test]
    fn decorations_go_and_text_stays() {
        for (line, clean) in [
            ("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: no\u{1b}[39;49;00m", "error: no"),
            ("\u{1b}]8;;https://x/\u{7}link\u{1b}]8;;\u{1b}\\ end", "link end"),
            ("\u{1b}]0;never ended", "0;never ended"),
            ("\u{1b}(Bplain", "plain"),
            ("cut \u{1b}", "cut "),
            ("£5 · \u{85}», ок", "£5 · », ок"),
            ("cut \u{1b}[31", "cut "),
            ("a\0b\u{7}c\u{8}d\u{7f}", "abcd"),
            ("tab\tstays\r\n", "tab\tstays"),
            ("2026-01-01T00:00:00.0000000Z ##[error]Process", "Process"),
            ("\u{feff}2026-01-01T00:00:00.0000000Z ##[group]Run x", "Run x"),
            ("2026-01-01T00:00:00Z ##[endgroup]", ""),
            ("2026-01-01T00:00:00.0000000Z", ""),
            ("2026-01-01T00:00:00.0000000Z   indented", "  indented"),
            ("2026-01-01T00:00:00.000000Z 01E   File \"x\"", "  File \"x\""),
            ("[2026-01-01T00:00:00.123Z] + make", "+ make"),
            ("build\tTest\t2026-01-01T00:00:00.0000000Z text", "text"),
            ("a\tb\tc", "a\tb\tc"),
            ("2026-01-01 is a date", "2026-01-01 is a date"),
            ("section_start:1700000000:build[collapsed=true]\r\u{1b}[0KBuild", "Build"),
            ("section_end:1700000000:build\r\u{1b}[0K", ""),
            ("\u{1b}_bk;t=1700000000000\u{7}ok", "ok"),
            ("_bk;t=1700000000000ok", "ok"),
            ("##vso[task.logissue type=error]bad", "bad"),
            ("## heading", "## heading"),
            ("10%\r50%\r100%\r", "100%"),
            ("100%\r\u{1b}[K\r", "100%"),
            ("\r\r", ""),
        ] {
            assert_eq!(clean_line(line), clean, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn no_control_character_survives(line in any::<String>()) {
            let clean = clean_line(&line);
            assert!(!clean.chars().any(|c| c != '\t' && c.is_ascii_control()), "{clean:?}");
        }
    }
}
