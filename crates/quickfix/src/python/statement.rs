//! Reads the import statements at the head of a file.

use std::ops::Range;

use super::super::line_index::LineIndex;
use papayu_base::text::Pattern;

static FROM: Pattern = Pattern::new(r"^from[ \t]+([\w.]+)[ \t]+import\b");

static IMPORT: Pattern = Pattern::new(r"^import[ \t]+([\w.]+)[ \t]*(?:#.*)?$");

/// Lines of one statement, at the most.
const MAX_LINES: u32 = 200;

/// `import a.b`, `from a.b import c, d`.
#[derive(Debug)]
pub(super) struct PythonImport {
    /// The first line of the statement, from 1.
    pub(super) first: u32,
    /// Its last line, which belongs to it.
    pub(super) last: u32,
    pub(super) is_from: bool,
    /// The module; empty where one statement takes several.
    pub(super) module: String,
    /// The bytes of the module name.
    pub(super) at: Range<usize>,
    /// From behind `import` to the statement's end: the names.
    pub(super) names: Range<usize>,
}

/// Returns the top-level import statements before any other code.
pub(super) fn head(source: &LineIndex) -> Vec<PythonImport> {
    let mut found = Vec::new();
    let mut number = 1;
    while number <= source.line_count() {
        let start = source.line(number).map_or(0, |line| line.start);
        match source.word_at(start) {
            Some("import" | "from") => {
                let Some(statement) = read(source, number) else { break };
                number = statement.last + 1;
                found.push(statement);
            }
            Some(word) if !word.starts_with("__") => break,
            _ => number += 1,
        }
    }
    found
}

/// Returns the import statement that begins in a line (from 1), at any indentation; `None` if none does, or if it does not end.
pub(super) fn read(source: &LineIndex, first: u32) -> Option<PythonImport> {
    let line = source.line(first)?;
    let raw = source.line_text(first);
    let text = raw.trim_start();
    let start = line.start + raw.len() - text.len();
    let (pattern, is_from) =
        if text.starts_with("from") { (&FROM, true) } else { (&IMPORT, false) };
    let found = pattern.captures(text);
    if found.is_none() && !text.starts_with("import ") {
        return None;
    }
    let last = last_line(source, first)?;
    let end = source.line(last)?.start + source.line_text(last).len();
    let module = found.as_ref().and_then(|it| it.get(1));
    let at = module.map_or(start..start, |it| start + it.start()..start + it.end());
    let names =
        start + found.as_ref().and_then(|it| it.get(0)).map_or("import".len(), |part| part.end());
    let module = module.map_or_else(String::new, |it| it.as_str().to_owned());
    Some(PythonImport { first, last, is_from, module, at, names: names.min(end)..end })
}

/// Returns the last line of a statement that is continued by parentheses or backslashes; `None` if it does not end.
/// Parentheses in comments are cut off first; names in imports cannot contain strings.
fn last_line(source: &LineIndex, first: u32) -> Option<u32> {
    let bare = |number| source.line_text(number).split('#').next().unwrap_or_default().trim_end();
    let opens = bare(first).contains('(') && !bare(first).contains(')');
    let goes_on = |number: u32| {
        if opens { !bare(number).contains(')') } else { bare(number).ends_with('\\') }
    };
    let most = source.line_count().min(first.saturating_add(MAX_LINES));
    (first..=most).find(|number| !goes_on(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(u32, u32, String, Vec<String>)> {
        let source = LineIndex::new("a.py", text.to_owned());
        let words = |it: &PythonImport| {
            source.words_in(&it.names).into_iter().map(|(_, word)| word.to_owned()).collect()
        };
        head(&source).iter().map(|it| (it.first, it.last, it.module.clone(), words(it))).collect()
    }

    #[test]
    fn the_imports_at_the_head_are_read_and_no_others() {
        let text = "#!/bin/sh\n\"\"\"import no\"\"\"\n__all__ = []\nimport os  # import no\nfrom a.b import (  # c\n    d,\n    e as f,\n)\nfrom . import g, \\\n    h\nimport i, j\n\ndef k():\n    import l\n";
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            told(text),
            [
                (4, 4, "os".to_owned(), vec![]),
                (5, 8, "a.b".to_owned(), words(&["d", "e", "as", "f"])),
                (9, 10, ".".to_owned(), words(&["g", "h"])),
                (11, 11, String::new(), words(&["i", "j"])),
            ]
        );
    }

    #[test]
    fn hostile_heads_end_in_time() {
        for text in
            ["import (\n".repeat(4_000), "from a import \\\n".repeat(4_000), "import".to_owned()]
        {
            assert!(told(&text).is_empty());
        }
        assert_eq!(told("import os\nfrom a import (\n    b,\n").len(), 1);
    }
}
