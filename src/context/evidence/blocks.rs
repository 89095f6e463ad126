//! Splits a file into blocks. A definition that is small enough stays whole.

use papayu_index::{FileFacts, Symbol, SymbolKind};

/// Most lines of a definition that stays one block although it contains others.
const SMALL: u32 = 60;

/// Most lines of a block. A longer one is split at lines with little indentation.
const LARGE: u32 = 90;

/// Lines that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// First line, from 1.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The name of the definition that contains the block.
    pub name: Option<Box<str>>,
}

/// Returns the blocks of a file in order. Together they contain every line that is not blank,
/// so no line is lost by choosing blocks.
pub fn split_blocks(facts: Option<&FileFacts>, text: &str) -> Vec<CodeBlock> {
    let indents: Vec<Option<u32>> = text.lines().map(indent_of).collect();
    let last = u32::try_from(indents.len()).unwrap_or(u32::MAX);
    let mut cutter = BlockCutter { indents: &indents, blocks: Vec::new() };
    let mut at = 1;
    if let Some(facts) = facts {
        let children = children_of(&facts.symbols);
        at = cutter.cut_definitions(&facts.symbols, &children, (None, 1));
    }
    cutter.cut_gap(at, last, None);
    cutter.blocks
}

/// Returns the indentation of a line in columns; `None` for a blank line.
fn indent_of(line: &str) -> Option<u32> {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += 4,
            '\r' => {}
            _ => return Some(columns),
        }
    }
    None
}

/// Returns `true` if a symbol gets a block of its own.
fn makes_block(symbol: &Symbol) -> bool {
    symbol.kind != SymbolKind::Property && symbol.end >= symbol.start
}

/// Returns the positions of the children of each symbol. The last entry is for symbols without a
/// parent.
fn children_of(symbols: &[Symbol]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); symbols.len() + 1];
    for (symbol, at) in symbols.iter().zip(0..).filter(|(symbol, _)| makes_block(symbol)) {
        // A parent precedes its children; anything else is not a tree. A method of Go is outside of its type.
        let around = |parent: &usize| {
            *parent < at && symbols.get(*parent).is_some_and(|around| symbol.end <= around.end)
        };
        let parent = symbol.parent.map(|parent| parent as usize).filter(around);
        let parent = parent.unwrap_or(symbols.len());
        if let Some(list) = children.get_mut(parent) {
            list.push(at);
        }
    }
    children
}

/// Cuts a file into blocks.
struct BlockCutter<'a> {
    /// The indentation of each line.
    indents: &'a [Option<u32>],
    blocks: Vec<CodeBlock>,
}

impl BlockCutter<'_> {
    /// Adds the blocks of one symbol, or of the file. Returns the first line after them.
    fn cut_definitions(
        &mut self,
        symbols: &[Symbol],
        children: &[Vec<usize>],
        top: (Option<usize>, u32),
    ) -> u32 {
        // A stack instead of recursion: symbols may be nested as deep as the file is long.
        let (within, mut at) = top;
        let mut open: Vec<(usize, u32, Option<Box<str>>)> = Vec::new();
        let roots = within.unwrap_or(symbols.len());
        let list = |of: usize| children.get(of).map(Vec::as_slice).unwrap_or_default();
        let mut pending: Vec<SymbolStep> =
            list(roots).iter().rev().map(|at| SymbolStep::Enter(*at)).collect();
        while let Some(step) = pending.pop() {
            match step {
                SymbolStep::Leave => {
                    if let Some((_, end, name)) = open.pop() {
                        self.cut_gap(at, end, name.as_deref());
                        at = at.max(end.saturating_add(1));
                    }
                }
                SymbolStep::Enter(place) => {
                    let Some(symbol) = symbols.get(place) else { continue };
                    if symbol.end < at {
                        continue;
                    }
                    let name = open.last().and_then(|(_, _, name)| name.clone());
                    self.cut_gap(at, symbol.start.saturating_sub(1), name.as_deref());
                    at = at.max(symbol.start);
                    let inner = list(place);
                    if inner.is_empty() || symbol.end - at < SMALL {
                        self.gap_named(at, symbol.end, Some(&symbol.name));
                        at = symbol.end.saturating_add(1);
                    } else {
                        open.push((place, symbol.end, Some(symbol.name.clone())));
                        pending.push(SymbolStep::Leave);
                        pending.extend(inner.iter().rev().map(|at| SymbolStep::Enter(*at)));
                    }
                }
            }
        }
        at
    }

    /// Adds the lines between two definitions, without blank lines at their ends.
    fn cut_gap(&mut self, start: u32, end: u32, name: Option<&str>) {
        self.gap_named(start, end, name);
    }

    /// Adds lines as one or more blocks that belong to a definition.
    fn gap_named(&mut self, start: u32, end: u32, name: Option<&str>) {
        let filled = |line: &u32| self.indent_of(*line).is_some();
        let end = end.min(u32::try_from(self.indents.len()).unwrap_or(u32::MAX));
        if start == 0 || start > end {
            return;
        }
        let Some(first) = (start..=end).find(filled) else { return };
        let Some(last) = (first..=end).rev().find(filled) else { return };
        self.cut_lines(first, last, name);
    }

    /// Returns the indentation of a line, from 1; `None` for a blank line.
    fn indent_of(&self, line: u32) -> Option<u32> {
        self.indents.get((line as usize).checked_sub(1)?).copied().flatten()
    }

    /// Splits lines at those with the least indentation, so that a long function is split between
    /// statements.
    fn cut_lines(&mut self, start: u32, end: u32, name: Option<&str>) {
        let name = name.map(Into::into);
        let mut from = start;
        if end - start >= LARGE {
            let shallow = self.find_joint(start, end);
            for line in start + 1..end {
                let length = line - from;
                let joint = self.indent_of(line).is_some_and(|columns| columns <= shallow)
                    && self.indent_of(line - 1).is_none_or(|columns| columns <= shallow);
                if (joint && length >= LARGE / 3) || length >= LARGE {
                    self.blocks.push(CodeBlock {
                        start: from,
                        end: line - 1,
                        name: Clone::clone(&name),
                    });
                    from = line;
                }
            }
        }
        self.blocks.push(CodeBlock { start: from, end, name });
    }

    /// Returns the indentation at which to split: the outer one if several lines have it, as in a
    /// file without a grammar, else that of the body.
    fn find_joint(&self, start: u32, end: u32) -> u32 {
        let inner = || (start + 1..end).filter_map(|line| self.indent_of(line));
        let outer = self.indent_of(start).unwrap_or_default();
        let pieces = (end - start) / LARGE + 2;
        if inner().filter(|columns| *columns <= outer).count() >= pieces as usize {
            return outer;
        }
        inner().filter(|columns| *columns > outer).min().unwrap_or(outer)
    }
}

/// A step of the walk over nested symbols.
enum SymbolStep {
    /// A symbol begins.
    Enter(usize),
    /// The innermost open symbol ends.
    Leave,
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_index::language;
    use papayu_lang::Language;

    fn cut_lines(path: &str, text: &str) -> Vec<(u32, u32, Option<String>)> {
        let facts = Language::of_path(path).map(|language| language::parse(language, text).facts);
        let blocks = split_blocks(facts.as_ref(), text).into_iter();
        blocks.map(|block| (block.start, block.end, block.name.map(String::from))).collect()
    }

    #[test]
    fn every_filled_line_is_in_one_block_whatever_the_text() {
        let deep = "(".repeat(10_000);
        let long = "  x\n".repeat(1_000);
        for text in
            ["", "\n\n", "\u{0}\r\n\r\n\tx", deep.as_str(), long.as_str(), "class A:\n  def f("]
        {
            for path in ["a.py", "a.kt"] {
                let blocks = cut_lines(path, text);
                for (line, number) in text.lines().zip(1_u32..) {
                    let filled = indent_of(line).is_some();
                    let holders = blocks
                        .iter()
                        .filter(|(start, end, _)| *start <= number && number <= *end)
                        .count();
                    assert!(holders <= 1 && (!filled || holders == 1), "{path}:{number}");
                }
            }
        }
    }

    #[test]
    fn a_small_definition_is_one_block_and_a_long_class_falls_into_its_methods() {
        let small = "import os\n\ndef f():\n    return 1\n";
        assert_eq!(cut_lines("a.py", small), [(1, 1, None), (3, 4, Some("f".to_owned()))]);
        let method = |n: u32| format!("    def m{n}(self):\n{}", "        x = 1\n".repeat(40));
        let methods = (0..3).map(method).collect::<Vec<_>>().concat();
        let class = cut_lines("a.py", &format!("class A:\n{methods}"));
        let names: Vec<_> = class.iter().filter_map(|(_, _, name)| name.as_deref()).collect();
        assert_eq!(names, ["A", "m0", "m1", "m2"]);
    }

    #[test]
    fn a_file_that_no_grammar_reads_falls_apart_where_its_lines_begin_afresh() {
        let function = |n: u32| format!("fun f{n}() {{\n{}}}\n\n", "    x\n".repeat(40));
        let text: String = (0..5).map(function).collect();
        let blocks = cut_lines("a.kt", &text);
        assert!(
            blocks.len() >= 4 && blocks.iter().all(|(start, _, _)| start % 43 == 1),
            "{blocks:?}"
        );
    }
}
