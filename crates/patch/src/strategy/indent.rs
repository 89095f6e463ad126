//! A rule that converts the indentation of a whole hunk to that of the file.

use std::borrow::Cow;

use crate::similarity::{indentation, is_blank};

/// The conversion from a hunk's indentation to the file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndentShift {
    /// No change.
    None,
    /// Adds this prefix.
    Add(String),
    /// Removes this prefix.
    Remove(String),
    /// Replaces each tab by this many spaces.
    ToSpaces(usize),
    /// Replaces this many spaces by a tab.
    ToTabs(usize),
}

impl IndentShift {
    /// Returns the one rule that fits every pair of a hunk line and a file line.
    ///
    /// Returns `None` if lines differ in more than indentation and blanks at the end, or if no single
    /// rule fits.
    pub(crate) fn between_pairs(pairs: &[(&str, &str)]) -> Option<Self> {
        let mut indents = Vec::with_capacity(pairs.len());
        for (hunk, file) in pairs {
            if hunk.trim() != file.trim() {
                return None;
            }
            if !is_blank(hunk) {
                indents.push((indentation(hunk), indentation(file)));
            }
        }
        if indents.iter().all(|(hunk, file)| hunk == file) {
            return Some(Self::None);
        }
        let (hunk, file) = *indents.first()?;
        let add = file.strip_suffix(hunk).map(|prefix| Self::Add(prefix.to_owned()));
        let remove = hunk.strip_suffix(file).map(|prefix| Self::Remove(prefix.to_owned()));
        let to_tabs = tab_width(indents.iter().copied()).map(Self::ToTabs);
        let to_spaces =
            tab_width(indents.iter().map(|(hunk, file)| (*file, *hunk))).map(Self::ToSpaces);
        let mut rules = [add, remove, to_tabs, to_spaces].into_iter().flatten();
        rules.find(|rule| rule.fits_all(&indents))
    }

    /// Returns `true` if the rule turns each indentation of the hunk (first) into that of the file (second).
    fn fits_all(&self, indents: &[(&str, &str)]) -> bool {
        indents.iter().all(|(hunk, file)| match self {
            Self::Add(prefix) => file.strip_prefix(prefix.as_str()) == Some(*hunk),
            Self::Remove(prefix) => hunk.strip_prefix(prefix.as_str()) == Some(*file),
            // `tab_width` has checked every pair.
            Self::None | Self::ToSpaces(_) | Self::ToTabs(_) => true,
        })
    }

    /// Returns a new line with the file's indentation; `None` if the rule does not fit it.
    ///
    /// A line that already has the file's tabs or spaces is not changed.
    pub(crate) fn shift_line<'a>(&self, line: &'a str) -> Option<Cow<'a, str>> {
        let blank = is_blank(line);
        let indent = if blank { line } else { indentation(line) };
        let rest = line.get(indent.len()..).unwrap_or_default();
        Some(match self {
            Self::None => Cow::Borrowed(line),
            Self::Add(_) | Self::Remove(_) if blank => Cow::Borrowed(line),
            Self::Add(prefix) => Cow::Owned(format!("{prefix}{line}")),
            Self::Remove(prefix) => Cow::Borrowed(line.strip_prefix(prefix.as_str())?),
            Self::ToSpaces(width) => Cow::Owned(indent.replace('\t', &" ".repeat(*width)) + rest),
            Self::ToTabs(_) if indent.contains('\t') => Cow::Borrowed(line),
            Self::ToTabs(width) => {
                let (tabs, spaces) = (indent.len() / width, indent.len() % width);
                Cow::Owned("\t".repeat(tabs) + &" ".repeat(spaces) + rest)
            }
        })
    }
}

/// Returns the tab width at which every pair has the same depth: the first text of a pair has only
/// spaces, the second tabs, then spaces.
fn tab_width<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let mut width = None;
    let mut depths = Vec::new();
    for (spaces, tabbed) in pairs {
        let after_tabs = tabbed.trim_start_matches('\t');
        if spaces.contains('\t') || after_tabs.contains('\t') {
            return None;
        }
        let tabs = tabbed.len() - after_tabs.len();
        // The first pair with a tab determines the width; all pairs must agree with it.
        if tabs > 0 && width.is_none() {
            width = spaces.len().checked_sub(after_tabs.len()).map(|wide| wide / tabs);
        }
        depths.push((spaces.len(), tabs, after_tabs.len()));
    }
    let width = width.filter(|width| (1..=8).contains(width))?;
    depths.iter().all(|(spaces, tabs, rest)| *spaces == tabs * width + rest).then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(pairs: &[(&str, &str)], line: &str) -> Option<String> {
        IndentShift::between_pairs(pairs)?.shift_line(line).map(Cow::into_owned)
    }

    #[test]
    fn new_lines_follow_the_one_rule_that_all_old_lines_follow() {
        for (pairs, line, indented) in [
            (&[("a", "  a"), ("  b", "    b")][..], " new", Some("   new")),
            (&[("  a", "a"), ("", ""), ("    b", "  b")], "    new", Some("  new")),
            (&[("  a", "a")], " new", None),
            (&[("    a", "\ta"), ("b", "b")], "        new", Some("\t\tnew")),
            (&[("  a", "\ta")], "     new", Some("\t\t new")),
            (&[("    a", "\ta")], "\tnew", Some("\tnew")),
            (&[("\ta", "    a"), ("\t  b", "      b")], "\t\tnew", Some("        new")),
            (&[("\ta", "    a"), ("\tb", "  b")], "new", None),
            (&[("a", " a"), ("b", "b")], "new", None),
            (&[("a", "ab")], "new", None),
            (&[("a ", "a")], "new", Some("new")),
        ] {
            assert_eq!(shifted(pairs, line).as_deref(), indented, "{pairs:?}");
        }
    }
}
