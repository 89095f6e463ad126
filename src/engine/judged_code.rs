//! The parts of files around given lines, with their numbers, for a reader who sees nothing else of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use papayu_index::Symbol;
use papayu_index::language;
use papayu_lang::Language;

/// The longest definition that is shown whole, in lines.
const MAX_BLOCK: u32 = 80;

/// Lines before and after a place without a definition around it.
const NEAR: u32 = 12;

/// Returns the definitions around the lines of a file, each line with its number; without lines, the beginning of the file.
/// Lines count from 1.
pub(super) fn show_blocks(path: &str, text: &str, lines: &[u32]) -> String {
    let symbols = read_symbols(path, text);
    let text_lines: Vec<&str> = text.lines().collect();
    let count = u32::try_from(text_lines.len()).unwrap_or(u32::MAX);
    let mut blocks: Vec<(u32, u32)> =
        lines.iter().map(|line| find_block(&symbols, *line)).collect();
    if blocks.is_empty() {
        blocks.push((1, MAX_BLOCK));
    }
    blocks.sort_unstable();
    let mut shown = format!("{path}\n");
    let mut next = 1;
    for (first, last) in blocks {
        // Definitions may be inside of each other.
        let (first, last) = (first.max(next), last.min(count));
        if first > next && next > 1 && first <= last {
            shown.push_str("…\n");
        }
        next = next.max(last.saturating_add(1));
        for number in first..=last {
            let at = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
            let line = text_lines.get(at).copied().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{number:>4} {line}");
        }
    }
    shown
}

/// Returns the line of a definition with this name; `None` if there is none.
pub(super) fn find_definition(path: &str, text: &str, name: &str) -> Option<u32> {
    let symbols = read_symbols(path, text);
    symbols
        .iter()
        .find(|symbol| symbol.kind.is_callable() && &*symbol.name == name)
        .map(|it| it.line)
}

/// Returns the names of the definitions around the lines of a file, each once.
pub(super) fn find_names(path: &str, text: &str, lines: &[u32]) -> BTreeSet<String> {
    let symbols = read_symbols(path, text);
    let is_around = |it: &&Symbol| lines.iter().any(|line| it.start <= *line && *line <= it.end);
    symbols.iter().filter(is_around).map(|it| it.name.to_string()).collect()
}

/// Returns the definitions of a file; none without a grammar.
fn read_symbols(path: &str, text: &str) -> Vec<Symbol> {
    let language = Language::of_path(path);
    language.map(|language| language::parse(language, text).facts.symbols).unwrap_or_default()
}

/// Returns the first and last line of the smallest definition around a line, or the lines near it.
fn find_block(symbols: &[Symbol], line: u32) -> (u32, u32) {
    let around = symbols.iter().filter(|it| it.start <= line && line <= it.end);
    let callable = around.filter(|it| it.kind.is_callable());
    let smallest = callable.min_by_key(|it| it.end.saturating_sub(it.start));
    let whole = smallest.filter(|it| it.end.saturating_sub(it.start) < MAX_BLOCK);
    whole.map_or_else(
        || (line.saturating_sub(NEAR).max(1), line.saturating_add(NEAR)),
        |it| (it.start, it.end),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_function_around_a_line_is_shown_once_with_its_numbers() {
        let text = "import os\n\n\ndef a():\n    x = 1\n    return x\n\n\ndef b():\n    return 2\n";
        let shown = show_blocks("a.py", text, &[5, 6, 10]);
        assert_eq!(
            shown,
            "a.py\n   4 def a():\n   5     x = 1\n   6     return x\n…\n   9 def b():\n  10     return 2\n"
        );
        assert_eq!(find_definition("a.py", text, "b"), Some(9));
        assert_eq!(show_blocks("a.json", "{}\n", &[1]), "a.json\n   1 {}\n");
        assert_eq!(show_blocks("check.sh", "make\n", &[]), "check.sh\n   1 make\n");
    }
}
