//! Adds `#include` lines.

use super::super::diagnostic_context::Spot;
use super::super::findings::TextEdit;

/// Returns `true` if a file includes a standard header already.
pub(super) fn has_include(text: &str, header: &str) -> bool {
    included(text).any(|(_, name)| name == header)
}

/// Returns the edit that includes a standard header: after the last one in angle brackets, else before the
/// first other one, else after the comment at the start of the file.
pub(super) fn add_include(spot: &Spot, header: &str) -> TextEdit {
    let (text, end) = (&spot.source.text, spot.source.line_ending());
    let at = included(text).last().map(|(at, _)| next_line(text, at));
    let at =
        at.or_else(|| lines(text).find(|(_, line)| line.starts_with("#include")).map(|it| it.0));
    let at = at.unwrap_or_else(|| after_comment(text));
    spot.edit(at..at, format!("#include <{header}>{end}"))
}

/// Returns the position and the header of each include in angle brackets, without those inside
/// conditions.
fn included(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut depth = 0_i32;
    let mut guard = first_guard(text);
    lines(text).filter_map(move |(at, line)| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start)?;
        if directive.starts_with("if") {
            // The include guard of a header encloses the whole file.
            let is_guard = guard.take().is_some_and(|start| start == at);
            depth += i32::from(!is_guard);
        } else if directive.starts_with("endif") {
            depth -= 1;
        }
        let name = directive.strip_prefix("include")?.trim_start().strip_prefix('<')?;
        // An include inside a condition may be switched off in this build.
        name.split_once('>').map(|(name, _)| (at, name)).filter(|_| depth <= 0)
    })
}

/// Returns the start of an `#ifndef` that is followed by the `#define` of the same name.
fn first_guard(text: &str) -> Option<usize> {
    let mut directives = lines(text).filter(|(_, line)| line.starts_with('#'));
    let (at, first) = directives.find(|(_, line)| !line.starts_with("#pragma"))?;
    let name = first.strip_prefix("#ifndef ")?.trim();
    let (_, second) = directives.next()?;
    (second.strip_prefix("#define ")?.trim() == name).then_some(at)
}

/// Returns the start of the first line after the comments, the `#pragma once` and the include guard at the start.
fn after_comment(text: &str) -> usize {
    let guard = first_guard(text);
    let mut in_comment = false;
    let mut end = 0;
    for (at, line) in lines(text) {
        let word = line.trim();
        // The guard is two lines: `#ifndef` and the `#define` below it.
        let is_guard = guard.is_some_and(|start| at == start || at == next_line(text, start));
        let starts_comment = word.starts_with("/*");
        if in_comment || starts_comment {
            in_comment = !word.contains("*/");
        } else if !word.starts_with("//") && !word.starts_with("#pragma once") && !is_guard {
            break;
        }
        end = next_line(text, at);
    }
    end
}

/// Returns the lines with the byte at which each begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    })
}

/// Returns the start of the line after a position.
fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::super::line_index::LineIndex;
    use super::*;
    use papayu_base::domain::RepoPath;

    fn with_stdio(text: &str) -> String {
        let path = RepoPath::parse("a.c").unwrap();
        let source = Rc::new(LineIndex::new("a.c", text.to_owned()));
        let edit = add_include(&Spot { path, source, line: 1, column: None }, "stdio.h");
        let mut text = text.to_owned();
        text.insert_str(edit.range.start, &edit.text);
        text
    }

    #[test]
    fn an_include_goes_where_the_others_are() {
        for (text, expected) in [
            (
                "#include <math.h>\n#include \"a.h\"\nint x;\n",
                "#include <math.h>\n#include <stdio.h>\n#include \"a.h\"\nint x;\n",
            ),
            ("#include \"a.h\"\n", "#include <stdio.h>\n#include \"a.h\"\n"),
            ("/* one\n * two */\n\nint x;\n", "/* one\n * two */\n#include <stdio.h>\n\nint x;\n"),
            ("int x;\r\n", "#include <stdio.h>\r\nint x;\r\n"),
            (
                "#ifndef A_H\n#define A_H\nint x;\n#endif\n",
                "#ifndef A_H\n#define A_H\n#include <stdio.h>\nint x;\n#endif\n",
            ),
            (
                "#include <math.h>\n#ifdef _WIN32\n#include <io.h>\n#endif\n",
                "#include <math.h>\n#include <stdio.h>\n#ifdef _WIN32\n#include <io.h>\n#endif\n",
            ),
        ] {
            assert_eq!(with_stdio(text), expected);
        }
        assert!(has_include("#  include <stdio.h> // x\n", "stdio.h"));
        assert!(!has_include("#ifdef A\n#include <stdio.h>\n#endif\n", "stdio.h"));
    }
}
