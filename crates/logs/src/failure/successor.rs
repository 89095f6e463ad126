//! Reads which name a message or a warning names in place of another.

use papayu_base::text::{Pattern, group};

/// The forms in which a name is given in place of one before it in the line.
static FORMS: [Pattern; 2] = [
    Pattern::new(
        r#"(?:[Rr]enamed to|[Rr]eplaced (?:by|with)|[Mm]oved to|in favou?r of) [`'"]?(?P<new>[A-Za-z_][\w.]*\w)"#,
    ),
    Pattern::new(r#"[Uu]se [`'"]?(?P<new>[A-Za-z_][\w.]*\w)(?:\(\))?[`'"]? instead"#),
];

/// Returns the name, perhaps with its module, that lines of a text give in place of `name`; `None` if they give none or
/// several.
///
/// ```
/// use papayu_logs::failure::find_successor;
///
/// let warning = "DeprecationWarning: 'soft_unicode' has been renamed to 'soft_str'.";
/// assert_eq!(find_successor(warning, "soft_unicode"), Some("soft_str"));
/// assert_eq!(find_successor(warning, "renamed"), None);
/// let warning = "'werkzeug.urls.url_quote' is deprecated. Use 'urllib.parse.quote' instead.";
/// assert_eq!(find_successor(warning, "url_quote"), Some("urllib.parse.quote"));
/// ```
pub fn find_successor<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut found = text.lines().filter_map(|line| {
        let (before, new) = read_successor(line)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let quoted = before.split(['`', '\'', '"']).filter(|part| part.chars().all(is_word));
        let is_own = quoted.into_iter().any(|part| part.rsplit('.').next() == Some(name));
        (is_own && new != name).then_some(new)
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// Returns whether a line names something in place of another name.
pub(super) fn is_advice(line: &str) -> bool {
    line.len() < 500 && read_successor(line).is_some()
}

/// Returns the text before the words of a form, and the new name.
fn read_successor(line: &str) -> Option<(&str, &str)> {
    FORMS.iter().find_map(|form| {
        let found = form.captures(line)?;
        let before = line.get(..found.get(0)?.start())?;
        Some((before, group(&found, "new")?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_quotes_has_the_successor_that_all_lines_give() {
        assert!(FORMS.iter().all(Pattern::is_valid));
        let numpy = "AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.";
        assert_eq!(find_successor(numpy, "float_"), Some("np.float64"));
        assert_eq!(find_successor(numpy, "float"), None);
        let two = "'a1' is renamed to 'b1'\n'a1' is deprecated, use 'c1' instead";
        assert_eq!(find_successor(two, "a1"), None);
        assert_eq!(find_successor("'a1' is renamed to 'a1'", "a1"), None);
        assert_eq!(find_successor("rename a1 to b1; use b1 instead", "a1"), None);
    }
}
