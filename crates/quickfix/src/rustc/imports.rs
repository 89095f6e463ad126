//! Imports that nothing uses in this build: whether another one needs them.

use std::ops::Range;

use super::super::line_index::LineIndex;

/// Words of a `use` that are no names.
const KEYWORDS: [&str; 8] =
    ["as", "crate", "extern", "pub", "self", "super", "unused_imports", "use"];

/// Checks that the names of a removed part of an import occur nowhere else in the file: code behind a `cfg`
/// that is off in this build may need them. The error is the reason why the part stays.
pub(super) fn check_removal(text: &str, range: Range<usize>) -> Result<(), &'static str> {
    // Strings count as well: `"{name}"` names it.
    let source = LineIndex::new("a.rs", text.to_owned());
    let part = text.get(range.clone()).unwrap_or_default();
    let has_other_builds = text
        .match_indices("cfg")
        .filter_map(|(at, _)| text.get(at..)?.lines().next())
        .any(|line| !line.starts_with("cfg(test)"));
    if part.contains('*') && has_other_builds {
        return Err("what a `cfg` leaves out here may use one of the names");
    }
    for name in imported_names(&source, &range) {
        let elsewhere = source.word_places(&name).into_iter().any(|at| {
            let before = text.get(..at.start).unwrap_or_default();
            let is_member = before.ends_with('.') && !before.ends_with("..");
            !range.contains(&at.start) && !is_member
        });
        if elsewhere {
            return Err("the name is elsewhere in the file, perhaps for another build");
        }
        // A trait is used without being named.
        if has_other_builds && name.starts_with(char::is_uppercase) {
            return Err("what a `cfg` leaves out here may use a method of it");
        }
    }
    Ok(())
}

/// Returns the names that the part gives to the file, or may give.
fn imported_names(source: &LineIndex, range: &Range<usize>) -> Vec<String> {
    let mut names = Vec::new();
    let mut path = "";
    for (at, word) in source.words_in(range) {
        let rest = source.text.get(at.end..).unwrap_or_default().trim_start();
        if word == "self" && !path.is_empty() {
            names.push(path.to_owned());
        }
        if rest.starts_with("::") {
            path = word;
        } else if !KEYWORDS.contains(&word) && !rest.starts_with("as ") {
            names.push(word.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the part between the signs.
    fn asked(marked: &str) -> bool {
        let start = marked.find('«').unwrap();
        let text = marked.replace('«', "");
        let end = text.find('»').unwrap();
        check_removal(&text.replace('»', ""), start..end).is_ok()
    }

    #[test]
    fn an_import_stays_where_another_build_may_need_it() {
        for (text, goes) in [
            ("«use a::Map;\n»#[cfg(feature = \"x\")]\nfn f() -> Map {}\n", false),
            (
                "«use a::Map;\n»#[cfg(test)]\nmod tests {\n    use super::*;\n    fn f(_: Map) {}\n}\n",
                false,
            ),
            ("«use a::Write;\n»#[cfg(unix)]\nfn f() { g.write(); }\n", false),
            ("«use a::*;\n»#[cfg(unix)]\nfn f() {}\n", false),
            ("«use a::fmt::{self};\n»mod x { fn f(_: super::fmt::Error) {} }\n", false),
            ("use a::{b, «c, »d};\nfn f() { b(); d(); m!(c) }\n", false),
            ("«use a::b as c;\n»fn b() {}\n", true),
            ("«use a::MAX;\n»#[cfg(unix)]\nfn f() { println!(\"{MAX}\"); }\n", false),
            ("«use a::max;\n»fn f() { g.max(); }\n", true),
            ("«use a::Map;\n»#[cfg(test)]\nmod tests {}\n", true),
            ("use a::{b, «c, »d};\nfn f() { b(); d(); }\n", true),
            ("«use a::*;\n»fn f() {}\n", true),
        ] {
            assert_eq!(asked(text), goes, "{text}");
        }
    }
}
