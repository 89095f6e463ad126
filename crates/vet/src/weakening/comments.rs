//! Comments that switch a checker off.

use super::measure::CountedMark;
use papayu_base::text::Pattern;
use papayu_lang::Comment;

/// The predicate of all marks of this file.
const RULE: &str = "adds a comment that silences a checker";

/// Most silencing words that are read in one comment, which bounds the work on a hostile one.
const MAX_WORDS: usize = 100;
/// Most characters that are read after a word; they contain the codes that it silences.
const MAX_CHARS: usize = 200;

/// The words of each tool, in the spellings that its documentation gives.
const WORDS: &str = r"(?xi)
    noqa\b | \btype:\s*ignore | \bpyright:\s*(?:ignore|basic|off|report\w+\s*=) | \bpyre-(?:ignore|fixme)
  | \bmypy:\s*(?:ignore-errors|disable|allow) | \bpylint:\s*(?:disable|skip-file) | \bpytype:\s*(?:disable|skip)
  | \bpragma:\s*no\s*(?:cover|branch|mutate) | \bfmt:\s*(?:off|skip) | \byapf:\s*disable | \bisort:\s*skip
  | \bnosec\b | ^/\*\s*(?:globals?|exported|eslint-env)\s | \beslint-disable | \boxlint-disable | \bstylelint-disable | \btslint:disable | \bjshint\s+ignore
  | @ts-(?:ignore|expect-error|nocheck) | \bbiome-ignore | \bprettier-ignore | \bdeno-(?:lint|fmt|coverage)-ignore
  | \b(?:istanbul|c8|v8)\s+ignore | \bnode:coverage\s+(?:disable|ignore) | @flow\s+(?:off|strict-local\s+off)
  | \$Flow(?:FixMe|Ignore|Issue) | \bnolint\b | \bNOLINT(?:NEXTLINE|BEGIN)?\b | \blint:(?:file-)?ignore
  | \bnosonar\b | \bNOPMD\b | \bnoinspection\b | \bcheckstyle:\s*off | \bCHECKSTYLE.OFF | \bktlint-disable
  | \bspotless:off | @formatter:off | \bclang-format\s+off | \bcppcheck-suppress | \bLCOV_EXCL | \bGCOVR?_EXCL
  | @?phpstan-ignore | @psalm-suppress | \bphpcs:(?:ignore|disable) | @codeCoverageIgnore | @codingStandardsIgnore
  | \brubocop:(?:disable|todo) | :nocov: | \bstandard:disable | \bsteep:ignore | \bcredo:disable | \bsobelow_skip
  | \bswiftlint:disable | \bswiftformat:disable | ^//\s*ignore(?:_for_file)?: | \bshellcheck\s+disable
  | \bhadolint\s+ignore | \bmarkdownlint-disable | \byamllint\s+disable | \b(?:checkov|tfsec|trivy):(?:skip|ignore)
  | \bsemgrep:\s*ignore | \bgitleaks:allow | \bcodespell:ignore | \bcspell:\s*disable | \bansible-lint\s+skip
  | \bdoctest:\s*\+(?:SKIP|ELLIPSIS) | \bcoverage:ignore | \brustfmt-skip";

/// A fence of a documentation test of Rust that is not run or may fail.
const FENCE: &str =
    r"^//[/!]\s*```\s*(?:rust\s*,\s*)?(?:ignore|no_run|compile_fail|should_panic|text)";

/// The compiled form of [`WORDS`].
static PATTERN: Pattern = Pattern::new(WORDS);
/// The compiled form of [`FENCE`].
static FENCES: Pattern = Pattern::new(FENCE);

/// Adds a mark for each place where a comment silences a checker.
///
/// The codes after the word belong to the key, so that `noqa: F401` that becomes `noqa` counts
/// as new.
pub(super) fn find_silencing(comments: &[Comment], is_rust: bool, found: &mut Vec<CountedMark>) {
    for comment in comments {
        let words = PATTERN.find_iter(&comment.text);
        let (mut seen, mut above) = (0, 0);
        for word in words.take(MAX_WORDS) {
            let rest = comment.text.get(word.start()..).unwrap_or_default();
            let end = rest.char_indices().nth(MAX_CHARS).map_or(rest.len(), |(at, _)| at);
            // The codes end with the line; the next line is another comment or code.
            let codes = rest.get(..end).and_then(|rest| rest.lines().next()).unwrap_or_default();
            // Prose after the codes is a reason, and may change.
            let codes = codes.split(" -- ").next().unwrap_or(codes).trim_end_matches("*/").trim();
            let between = comment.text.get(seen..word.start()).unwrap_or_default();
            above += between.matches('\n').count();
            seen = word.start();
            found.push(CountedMark::new(RULE, squeeze_blanks(codes), comment.line + above));
        }
        let skips = is_rust && FENCES.is_match(&comment.text);
        if skips {
            let rule = "keeps a documentation test from running";
            found.push(CountedMark::new(rule, squeeze_blanks(&comment.text), comment.line));
        }
    }
}

/// Returns a text in lower case with single blanks, so that a reflowed comment counts as the
/// same.
fn squeeze_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(PATTERN.is_valid() && FENCES.is_valid());
    }
}
