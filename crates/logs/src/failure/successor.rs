//! Reads which name a message, a warning or a change log gives in place of another.

use papayu_base::text::{Pattern, group};

/// Longer lines are data.
const MAX_LINE: usize = 500;

/// The quote, or none, before a new name, and the name, perhaps with its module.
macro_rules! new_name {
    ($before:literal) => {
        Pattern::new(concat!(
            r"(?:",
            $before,
            r#")\s*(?:the )?[`'"]{0,2}\.?(?P<new>[A-Za-z_$@][\w$]*(?:(?:\.|::|#|/)[\w$]+)*)"#
        ))
    };
}

/// The forms in which a name is given in place of one before it in the line.
static FORMS: [Pattern; 5] = [
    new_name!(
        r"\b(?i:rename[sd]?|replace[sd]?|move[sd]?|change[sd]?)\b.{0,120}?\b(?:to|by|with|into|as)\b"
    ),
    new_name!(
        r"\b(?i:remove[sd]?|deprecated?|drop(?:s|ped)?|no longer)\b.{0,120}?[;,.:(—–-] ?(?:please )?(?i:use|call)\b"
    ),
    new_name!(r"(?i:in favou?r of|\bis now(?: called| named)?)"),
    new_name!(r#"[`'"](?:\(\))? ?(?:->|=>|→|➜)"#),
    Pattern::new(
        r#"\b(?i:use|call|import) [`'"]{0,2}\.?(?P<new>[A-Za-z_$@][\w$]*(?:(?:\.|::|#|/)[\w$]+)*)(?:\(\))?[`'"]{0,2}(?: or [\w.]*)?,? instead\b"#,
    ),
];

/// The form in which the old name comes after the new one.
static INSTEAD_OF: Pattern = Pattern::new(
    r#"\b(?i:use|call|prefer) [`'"]{1,2}(?P<new>[A-Za-z_$@][\w$.:#]*)(?:\(\))?[`'"]{1,2} (?:instead of|in place of|rather than) (?:using )?[`'"]{1,2}(?P<old>[\w$.:#]+)"#,
);

/// A name, and the one that a text gives in its place; each perhaps with its module or type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacedName<'t> {
    /// The old name.
    pub old: &'t str,
    /// The new one.
    pub new: &'t str,
}

/// Returns the name that the lines of a text give in place of `name`; `None` if they give none or several.
///
/// ```
/// use papayu_logs::failure::find_replacement;
///
/// let warning = "'werkzeug.urls.url_quote' is deprecated. Use 'urllib.parse.quote' instead.";
/// let found = find_replacement(warning, "url_quote").unwrap();
/// assert_eq!((found.old, found.new), ("werkzeug.urls.url_quote", "urllib.parse.quote"));
/// assert_eq!(find_replacement("- Rename `del` to `delete`", "del").unwrap().new, "delete");
/// assert_eq!(find_replacement("'a' is renamed to 'b'", "renamed"), None);
/// ```
pub fn find_replacement<'t>(text: &'t str, name: &str) -> Option<ReplacedName<'t>> {
    let named = text.lines().filter(|line| line.len() < MAX_LINE && line.contains(name));
    let mut found = named.filter_map(|line| read_replacement(line, name));
    let first = found.next()?;
    let is_same = |other: ReplacedName<'_>| last_part(other.new) == last_part(first.new);
    found.all(is_same).then_some(first)
}

/// Returns whether a line gives a name in place of another one.
pub(super) fn is_advice(line: &str) -> bool {
    line.len() < MAX_LINE && FORMS.iter().chain([&INSTEAD_OF]).any(|form| form.is_match(line))
}

/// Returns the last part of a name with its module or type: `d` of `a.b::c#d`.
pub fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name)
}

/// Returns what a line gives in place of a name.
fn read_replacement<'t>(line: &'t str, name: &str) -> Option<ReplacedName<'t>> {
    if let Some(found) = INSTEAD_OF.captures(line)
        && let (Some(new), Some(old)) = (group(&found, "new"), group(&found, "old"))
        && last_part(old) == name
    {
        return Some(ReplacedName { old, new }).filter(|it| it.new != it.old);
    }
    for form in &FORMS {
        for found in form.captures_iter(line) {
            let (Some(new), Some(whole)) = (found.name("new"), found.get(0)) else { continue };
            // The old name is before the words or between them.
            let before = line.get(..new.start()).unwrap_or_default();
            let is_name =
                before.ends_with(['`', '\'', '"', '.']) || is_written_as_code(new.as_str());
            let old = last_old(before, whole.start(), name, new.as_str());
            if let Some(old) = old.filter(|_| is_name) {
                return Some(ReplacedName { old, new: new.as_str() });
            }
        }
    }
    None
}

/// Returns the name before a form, if it is `name`: in quotes, or written as only code is. An arrow is about the name next to it.
fn last_old<'t>(before: &'t str, form: usize, name: &str, new: &str) -> Option<&'t str> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:#/@".contains(c);
    let words = before.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    let is_arrow = before.get(form..).is_some_and(|words| words.starts_with(['`', '\'', '"']));
    let nearest = if is_arrow { 1 } else { usize::MAX };
    let olds = words.rev().take(nearest).map(|word| word.trim_end_matches([':', '.', '/']));
    // `np.int` may be replaced by `int`.
    let mut olds = olds.filter(|word| last_part(word) == name && *word != new);
    olds.find(|word| {
        let at = word.as_ptr().addr() - before.as_ptr().addr();
        let left = before.get(..at).unwrap_or_default();
        let right = before.get(at + word.len()..).unwrap_or_default();
        let is_quoted = left.ends_with(['`', '\'', '"'])
            && right.trim_start_matches(['(', ')']).starts_with(['`', '\'', '"']);
        is_quoted || is_written_as_code(word) || NAMED.is_match(right)
    })
}

/// The words after a name without quotes.
static NAMED: Pattern = Pattern::new(
    r"^(?:\(\))? (?:(?:method|function|argument|parameter|option|attribute|property|class|module|keyword)\b|(?:is|was|has been) (?:now )?(?:deprecated|removed|renamed|no longer)\b)",
);

/// Returns whether a word is written as only names of code are: with a module, `_`, or capitals.
fn is_written_as_code(word: &str) -> bool {
    let is_constant = word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase());
    is_constant
        || word.contains(['.', '_', ':', '#'])
        || word
            .chars()
            .zip(word.chars().skip(1))
            .any(|(one, two)| one.is_lowercase() && two.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn a_name_has_the_successor_that_all_lines_give() {
        assert!(FORMS.iter().chain([&INSTEAD_OF]).all(Pattern::is_valid));
        assert!(NAMED.is_valid());
        for (line, name, new) in [
            (
                "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
                "float_",
                "np.float64",
            ),
            (
                "Function yaml.safeLoad is removed in js-yaml 4. Use yaml.load instead, which is safe",
                "safeLoad",
                "yaml.load",
            ),
            (
                "DeprecationWarning: 'soft_unicode' has been renamed to 'soft_str'. The old name",
                "soft_unicode",
                "soft_str",
            ),
            ("- time: rename `delay_for` to `sleep` (#2992)", "delay_for", "sleep"),
            ("* `Arg::with_name` → `Arg::new`", "with_name", "Arg::new"),
            (
                "- `cache.del()` -> `cache.delete()`, `cache.reset()` -> `cache.clear()`",
                "reset",
                "cache.clear",
            ),
            (
                "- `cache.del()` -> `cache.delete()`, `cache.reset()` -> `cache.clear()`",
                "del",
                "cache.delete",
            ),
            ("Removed `encode_config`; use `Engine::encode`.", "encode_config", "Engine::encode"),
            (
                "`distanceInWords` is now called `formatDistance`",
                "distanceInWords",
                "formatDistance",
            ),
            ("Use `Engine::encode` instead of `base64::encode`", "encode_x", ""),
            ("use `randomUUID` instead of `uuid.v4`", "v4", "randomUUID"),
            ("BREAKING: replaced ``to_simple()`` with ``simple()``", "to_simple", "simple"),
            (
                "[LRU_CACHE_METHOD_del] DeprecationWarning: The del method is deprecated. Please use cache.delete() instead.",
                "del",
                "cache.delete",
            ),
            (
                "FutureWarning: iteritems is deprecated and will be removed. Use .items instead.",
                "iteritems",
                "items",
            ),
            (
                "ANTIALIAS is deprecated and will be removed in Pillow 10. Use LANCZOS or Resampling.LANCZOS instead.",
                "ANTIALIAS",
                "LANCZOS",
            ),
            (
                "'flask.escape' is deprecated. Import 'markupsafe.escape' instead.",
                "escape",
                "markupsafe.escape",
            ),
            (
                "`np.int` was a deprecated alias for the builtin `int`. To avoid this error in existing code, use `int` by itself.",
                "int",
                "int",
            ),
            (
                "collate is no longer part of more_itertools, use heapq.merge",
                "collate",
                "heapq.merge",
            ),
            (
                "The 'missing' argument to fields is deprecated. Use 'load_default' instead.",
                "missing",
                "load_default",
            ),
            ("FooWarning: old_name is deprecated, use new_name instead", "old_name", "new_name"),
        ] {
            let found = find_replacement(line, name).map_or("", |found| found.new);
            assert_eq!(found, new, "{line}");
        }
        for (line, name) in [
            ("'a1' is renamed to 'b1'\n'a1' is deprecated, use 'c1' instead", "a1"),
            ("'a1' is renamed to 'a1'", "a1"),
            ("rename a1 to b1; use b1 instead", "a1"),
            ("Renamed the option to make `load` clear", "load"),
            ("`load` changed to be faster, use it instead", "load"),
            ("`np.float_` was removed. Use `np.float64` instead.", "float"),
        ] {
            assert_eq!(find_replacement(line, name), None, "{line}");
        }
    }
}
