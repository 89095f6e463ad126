//! One rule by which every line of a hunk is indented otherwise than in the file.

use std::borrow::Cow;

use crate::patch::similarity::{indentation, is_blank};

/// What has to be done to a hunk's indentation to make it the file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::patch) enum IndentShift {
    /// Nothing.
    None,
    /// The file's lines begin with this besides.
    Add(String),
    /// The hunk's lines begin with this besides.
    Remove(String),
    /// A tab of the hunk is this many spaces in the file.
    ToSpaces(usize),
    /// This many spaces of the hunk are a tab in the file.
    ToTabs(usize),
}

impl IndentShift {
    /// Returns the one rule that holds for every pair of a hunk's line and the file's; `None` when lines
    /// differ in more than indentation and blanks at the end, or follow different rules.
    pub(in crate::patch) fn between_pairs(pairs: &[(&str, &str)]) -> Option<Self> {
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
        let to_tabs =
            tab_width(indents.iter().map(|(hunk, file)| (*hunk, *file))).map(Self::ToTabs);
        let to_spaces =
            tab_width(indents.iter().map(|(hunk, file)| (*file, *hunk))).map(Self::ToSpaces);
        let holds = |rule: &Self| match rule {
            Self::Add(prefix) => {
                indents.iter().all(|(hunk, file)| file.strip_prefix(prefix.as_str()) == Some(*hunk))
            }
            Self::Remove(prefix) => {
                indents.iter().all(|(hunk, file)| hunk.strip_prefix(prefix.as_str()) == Some(*file))
            }
            Self::None | Self::ToSpaces(_) | Self::ToTabs(_) => true,
        };
        [add, remove, to_tabs, to_spaces].into_iter().flatten().find(holds)
    }

    /// Returns a new line indented as the file is; `None` when the rule cannot hold for it. A line that
    /// already uses the file's own tabs or spaces stays as it is.
    pub(in crate::patch) fn shift_line<'a>(&self, line: &'a str) -> Option<Cow<'a, str>> {
        let blank = is_blank(line);
        let indent = if blank { line } else { indentation(line) };
        let rest = line.get(indent.len()..).unwrap_or_default();
        let as_written = Some(Cow::Borrowed(line));
        match self {
            Self::None => as_written,
            Self::Add(_) | Self::Remove(_) if blank => as_written,
            Self::Add(prefix) => Some(Cow::Owned(format!("{prefix}{line}"))),
            Self::Remove(prefix) => line.strip_prefix(prefix.as_str()).map(Cow::Borrowed),
            Self::ToSpaces(width) => {
                Some(Cow::Owned(indent.replace('\t', &" ".repeat(*width)) + rest))
            }
            Self::ToTabs(_) if indent.contains('\t') => as_written,
            Self::ToTabs(width) => {
                let (tabs, spaces) = (indent.len() / width, indent.len() % width);
                Some(Cow::Owned("\t".repeat(tabs) + &" ".repeat(spaces) + rest))
            }
        }
    }
}

/// Returns the width that makes every pair of spaces and of tabs, then spaces, the same depth.
fn tab_width<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let mut known = None;
    let mut depths = Vec::new();
    for (spaces, tabbed) in pairs {
        let tabs = tabbed.len() - tabbed.trim_start_matches('\t').len();
        let rest = tabbed.len() - tabs;
        if spaces.contains('\t') || tabbed.trim_start_matches('\t').contains('\t') {
            return None;
        }
        if tabs > 0 && known.is_none() {
            known =
                spaces.len().checked_sub(rest).map(|wide| wide / tabs).filter(|width| *width > 0);
        }
        depths.push((spaces.len(), tabs, rest));
    }
    let width = known.filter(|width| (1..=8).contains(width))?;
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
