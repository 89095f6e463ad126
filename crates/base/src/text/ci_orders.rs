//! Takes the commands for CI systems out of texts that strangers wrote.

use std::borrow::Cow;

/// The beginnings of commands that are read at any place of a line, and what is written in their place: of Azure Pipelines
/// and older runners of GitHub, of `TeamCity`, and of GitLab.
const ANYWHERE: [(&str, &str); 5] = [
    ("##[", "# #["),
    ("##vso[", "# #vso["),
    ("##teamcity[", "# #teamcity["),
    ("section_start:", "section _start:"),
    ("section_end:", "section _end:"),
];

/// Returns a text in which a CI system finds no command: a blank separates the characters by which it knows one.
///
/// GitHub reads `::name::` at the start of a line, after blanks and colors.
///
/// ```
/// use papayu_base::text::without_ci_orders;
///
/// assert_eq!(without_ci_orders("a\n  ::set-output name=x::y\n"), "a\n  : :set-output name=x::y\n");
/// assert_eq!(without_ci_orders("see ##vso[task.setvariable]"), "see # #vso[task.setvariable]");
/// assert_eq!(without_ci_orders("std::fmt ## title"), "std::fmt ## title");
/// ```
pub fn without_ci_orders(text: &str) -> Cow<'_, str> {
    let is_order = |line: &str| strip_style(line).starts_with("::");
    let has_order = ANYWHERE.iter().any(|(order, _)| text.contains(order));
    if !has_order && !text.split(['\n', '\r']).any(is_order) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive(['\n', '\r']) {
        let mut line = line.to_owned();
        for (order, harmless) in ANYWHERE {
            line = line.replace(order, harmless);
        }
        if is_order(&line) {
            let colon = line.len() - strip_style(&line).len();
            line.insert(colon + 1, ' ');
        }
        safe.push_str(&line);
    }
    Cow::Owned(safe)
}

/// Returns a line without the blanks and colors that it begins with, which a CI system skips.
fn strip_style(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(style) = rest.strip_prefix("\u{1b}[")
        && let Some((_, after)) = style.split_once('m')
    {
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_behind_blanks_colors_and_line_ends_of_any_kind() {
        for text in ["::x::", " \t::x::", "a\r::x::b", "\u{1b}[1m\u{1b}[31m ::x::", "b\n::x::\n"] {
            let safe = without_ci_orders(text);
            assert!(safe.contains(": :x::") && safe.replace(": :", "::") == text, "{safe:?}");
        }
        for text in ["a ##[group]b", "##vso[x]", "x##teamcity[y]", "section_start:1:a\r"] {
            let safe = without_ci_orders(text);
            assert!(ANYWHERE.iter().all(|(order, _)| !safe.contains(order)), "{safe:?}");
        }
        for text in ["", "a::b", "# ##", "## [x]", "\u{1b}[1ma::b"] {
            assert_eq!(without_ci_orders(text), text);
        }
    }
}
