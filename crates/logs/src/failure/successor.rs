//! Reads which name a message, a warning or a change log gives in place of another.

use std::sync::LazyLock;

use serde::Deserialize;

use papayu_base::text::{Pattern, group};

/// Longer lines are data.
const MAX_LINE: usize = 500;

/// A new name, perhaps in quotes and with its module.
const NEW: &str = r#"[`'"]{0,2}\.?(?P<new>[A-Za-z_$@][\w$]*(?:(?:\.|::|#|/)[\w$]+)*)"#;

/// The table of the forms.
const TABLE: &str = include_str!("successor.toml");

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuccessorTable {
    named: String,
    form: Vec<SuccessorForm>,
}

/// One form, with its examples.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuccessorForm {
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    good: Vec<[String; 3]>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    bad: Vec<[String; 2]>,
}

/// The patterns of the table; it is empty if it is not valid, which a test denies.
struct SuccessorPatterns {
    named: Pattern,
    forms: Vec<Pattern>,
}

static PATTERNS: LazyLock<SuccessorPatterns> = LazyLock::new(|| {
    let table: SuccessorTable = toml::from_str(TABLE).unwrap_or_default();
    let compile = |form: SuccessorForm| Pattern::of(form.pattern.replace("{new}", NEW));
    let forms = table.form.into_iter().map(compile).collect();
    SuccessorPatterns { named: Pattern::of(table.named), forms }
});

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
    // A sentence may go on in the next line.
    let mut found = [1, 2].map(|lines| read_replacements(text, name, lines)).into_iter();
    let found = found.find(|it| !it.is_empty())?;
    let first = *found.first()?;
    found.iter().all(|other| last_part(other.new) == last_part(first.new)).then_some(first)
}

/// Returns what each line with a name, or that line with the one after it, gives in place of the name.
fn read_replacements<'t>(text: &'t str, name: &str, lines: usize) -> Vec<ReplacedName<'t>> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let parts = starts.filter_map(|start| {
        let rest = text.get(start..)?;
        let end = rest.match_indices('\n').nth(lines - 1).map_or(rest.len(), |(at, _)| at);
        rest.get(..end).filter(|part| part.len() < MAX_LINE)
    });
    let named = parts.filter(|part| {
        let (first, next) = part.split_once('\n').unwrap_or((part, "x"));
        // An item of a list and a title do not go on.
        first.contains(name) && next.trim_start().starts_with(char::is_alphanumeric)
    });
    named.filter_map(|part| read_replacement(part, name)).collect()
}

/// Returns whether a line gives a name in place of another one.
pub(super) fn is_advice(line: &str) -> bool {
    line.len() < MAX_LINE && PATTERNS.forms.iter().any(|form| form.is_match(line))
}

/// Returns the last part of a name with its module or type: `d` of `a.b::c#d`.
pub fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name)
}

/// Returns what a line gives in place of a name.
fn read_replacement<'t>(line: &'t str, name: &str) -> Option<ReplacedName<'t>> {
    let found = PATTERNS.forms.iter().flat_map(|form| form.captures_iter(line));
    found.into_iter().find_map(|found| {
        let (new, whole) = (found.name("new")?, found.get(0)?);
        if let Some(old) = group(&found, "old") {
            let is_own = last_part(old) == name && old != new.as_str();
            return is_own.then_some(ReplacedName { old, new: new.as_str() });
        }
        // The old name is before the words or between them.
        let before = line.get(..new.start())?;
        let is_name = before.ends_with(['`', '\'', '"', '.'])
            || line.get(new.end()..).is_some_and(|after| after.starts_with('('))
            || is_written_as_code(new.as_str());
        let old = last_old(before, whole.start(), name, new.as_str()).filter(|_| is_name)?;
        Some(ReplacedName { old, new: new.as_str() })
    })
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
        let is_quoted = left.trim_end_matches('*').ends_with(['`', '\'', '"'])
            && right.trim_start_matches(['(', ')', '*']).starts_with(['`', '\'', '"']);
        // Other words of a line with a name in quotes are about it: "using 'a' with b is deprecated".
        let others = left
            .rsplit_once(['\'', '`', '"'])
            .is_some_and(|(before, _)| before.contains(['\'', '`', '"']));
        is_quoted || !others && (is_written_as_code(word) || PATTERNS.named.is_match(right))
    })
}

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
    fn every_form_gives_the_names_of_its_good_lines_and_none_of_its_bad_ones() {
        let table: SuccessorTable = toml::from_str(TABLE).unwrap();
        assert!(PATTERNS.named.is_valid());
        for (form, pattern) in table.form.iter().zip(&PATTERNS.forms) {
            assert!(pattern.is_valid(), "{}", form.pattern);
            for [line, name, new] in &form.good {
                assert!(pattern.is_match(line), "{line}");
                assert_eq!(find_replacement(line, name).map(|it| it.new), Some(&**new), "{line}");
            }
            for [line, name] in &form.bad {
                assert_eq!(find_replacement(line, name), None, "{line}");
            }
        }
    }

    #[test]
    fn a_sentence_goes_on_in_the_next_line_and_an_item_of_a_list_does_not() {
        let new = |text| find_replacement(text, "to_matrix").map(|it| it.new);
        let text =
            "DeprecationWarning: to_matrix is deprecated.\n  Use to_array instead, e.g. this";
        assert_eq!(new(text), Some("to_array"));
        assert_eq!(new("- `to_matrix` is removed.\n- Use `to_array` instead"), None);
    }

    #[test]
    fn a_name_with_two_successors_has_none() {
        let two = "'a1' is renamed to 'b1'\n'a1' is deprecated, use 'c1' instead";
        assert_eq!(find_replacement(two, "a1"), None);
    }
}
