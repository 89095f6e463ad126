//! Reads import statements as they are written, and takes parts of them away.

use std::ops::Range;

use super::super::line_index::LineIndex;
use papayu_base::text::Pattern;

static IMPORT: Pattern = Pattern::new(
    r#"(?m)^import\s+(?P<type>type\s+)?(?:(?P<default>[A-Za-z_$][\w$]*)\s*,?\s*)?(?:(?P<all>\*\s*as\s+[\w$]+)\s*|(?P<braces>\{[^{}]*\})\s*)?from\s*(?P<module>"[^"\n]*"|'[^'\n]*')[ \t]*;?"#,
);

/// An import statement with names.
#[derive(Debug)]
pub(super) struct TypeScriptImport {
    /// From `import` to the semicolon or quote.
    pub(super) range: Range<usize>,
    /// `true` for `import type`.
    pub(super) type_only: bool,
    /// The default import's name.
    pub(super) default: Option<Range<usize>>,
    /// `* as name`.
    pub(super) all: Option<Range<usize>>,
    /// The braces, themselves included.
    pub(super) braces: Option<Range<usize>>,
    /// The names between the braces, in order.
    pub(super) named: Vec<Specifier>,
    /// The module between its quotes.
    pub(super) module: Range<usize>,
}

/// `name`, `type name`, `name as other`.
#[derive(Debug)]
pub(super) struct Specifier {
    pub(super) range: Range<usize>,
    /// The name in the module.
    pub(super) name: Range<usize>,
    /// `true` for `name as other`.
    pub(super) has_alias: bool,
}

/// Returns the statements of a file; those with comments between their names are left out.
pub(super) fn statements(source: &LineIndex) -> Vec<TypeScriptImport> {
    let found = IMPORT.captures_iter(&source.text).filter_map(|found| {
        let range = |name| found.name(name).map(|part| part.range());
        let braces = range("braces");
        let inner = braces.clone().map(|at| at.start + 1..at.end - 1);
        let named = match inner {
            Some(inner) => specifiers(&source.text, inner)?,
            None => Vec::new(),
        };
        let module = range("module")?;
        Some(TypeScriptImport {
            range: found.get(0)?.range(),
            type_only: range("type").is_some(),
            default: range("default"),
            all: range("all"),
            braces,
            named,
            module: module.start + 1..module.end - 1,
        })
    });
    found.filter(|statement| is_code(source, statement)).collect()
}

/// A statement in a template or comment is none.
fn is_code(source: &LineIndex, statement: &TypeScriptImport) -> bool {
    source.word_at(statement.range.start) == Some("import")
}

/// Returns the statement that contains a byte. `None` if none does.
pub(super) fn around(source: &LineIndex, at: usize) -> Option<TypeScriptImport> {
    statements(source).into_iter().find(|statement| statement.range.contains(&at))
}

/// Parses the names between the braces, `a, type b, c as d`. With comments between them it returns
/// `None`: a removed name might leave its comment.
fn specifiers(text: &str, inner: Range<usize>) -> Option<Vec<Specifier>> {
    let body = text.get(inner.clone())?;
    if body.contains("//") || body.contains("/*") {
        return None;
    }
    let mut at = inner.start;
    let mut found = Vec::new();
    for part in body.split(',') {
        let begin = at + (part.len() - part.trim_start().len());
        at += part.len() + 1;
        let bare = part.trim();
        if bare.is_empty() {
            continue;
        }
        let words: Vec<&str> = bare.split_whitespace().collect();
        let (name, has_alias) = match *words.as_slice() {
            [name] | ["type", name] => (name, false),
            [name, "as", _] | ["type", name, "as", _] => (name, true),
            _ => return None,
        };
        // A lone `type` is a name, as in `import { type } from …`.
        let skipped = if words.first() == Some(&"type") && words.len() != 1 {
            bare.len() - bare.strip_prefix("type")?.trim_start().len()
        } else {
            0
        };
        let start = begin + skipped;
        found.push(Specifier {
            range: begin..begin + bare.len(),
            name: start..start + name.len(),
            has_alias,
        });
    }
    Some(found)
}

impl TypeScriptImport {
    /// Returns the module as it is spelt.
    pub(super) fn module<'p>(&self, source: &'p LineIndex) -> &'p str {
        source.text.get(self.module.clone()).unwrap_or_default()
    }

    /// Returns what goes when the whole statement does: its lines, and one of two blank lines that would
    /// meet.
    pub(super) fn lines(&self, source: &LineIndex) -> Range<usize> {
        let first = source.line_number(self.range.start);
        let last = source.line_number(self.range.end);
        let (Some(head), Some(tail)) = (source.line(first), source.line(last)) else {
            return self.range.clone();
        };
        let rest = source.text.get(self.range.end..tail.end).unwrap_or_default();
        // Something else is on these lines, which stay then.
        if head.start != self.range.start || !rest.trim().is_empty() {
            return self.range.clone();
        }
        let is_blank = |number: u32| source.line_text(number).trim().is_empty();
        let after_blank = first == 1 || is_blank(first - 1);
        let next = source.line(last + 1).filter(|next| !next.is_empty());
        match next.filter(|_| after_blank && is_blank(last + 1)) {
            Some(next) => head.start..next.end,
            None => head.start..tail.end,
        }
    }

    /// Returns the bytes to remove with one of the names between the braces: the name with its comma, or the
    /// braces or the statement with the last one. `at` is its index, from 0; `None` past the last one.
    pub(super) fn without(&self, source: &LineIndex, at: usize) -> Option<Range<usize>> {
        let specifier = self.named.get(at)?;
        if self.named.len() == 1 {
            return Some(match (&self.default, &self.braces) {
                // From the default's end, so that the comma goes too.
                (Some(default), Some(braces)) => default.end..braces.end,
                _ => self.lines(source),
            });
        }
        Some(match (self.named.get(at + 1), at.checked_sub(1).and_then(|at| self.named.get(at))) {
            (Some(next), _) => specifier.range.start..next.range.start,
            (None, Some(before)) => before.range.end..specifier.range.end,
            (None, None) => specifier.range.clone(),
        })
    }
}
