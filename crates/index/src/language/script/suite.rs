//! Tests and suites, which have a text for a name: `describe("…")`, `it.each(…)("…")`.

use tree_sitter::Node;

use super::{list_children, read_literal};
use crate::facts::{Symbol, SymbolKind};
use crate::language::reader::FactsReader;
use crate::language::symbol::SymbolDraft;
use papayu_base::text::WordList;

/// Functions that make a test or a suite.
pub(super) static MAKERS: WordList = WordList::new(
    "describe it test suite context specify fdescribe xdescribe fit xit xtest xcontext xspecify \
    ddescribe",
);
/// Modifiers of a test function.
pub(super) static WAYS: WordList = WordList::new(
    "only skip todo each for concurrent sequential serial parallel failing fails fixme fail slow \
    skipIf runIf if describe shuffle failingIf",
);
/// Names in a row that are looked at.
pub(super) const MAX_CHAIN: usize = 8;

/// Opens the test that a call makes; returns whether it is one.
pub(super) fn open_suite<'t>(
    reader: &mut FactsReader<'t>,
    node: Node<'t>,
    function: Node<'t>,
) -> bool {
    let Some(ways) = list_ways(reader, function) else { return false };
    let Some(arguments) = node.child_by_field_name("arguments") else { return false };
    let parts = list_children(arguments);
    let Some(title) = parts.first() else { return false };
    let Some(text) = title_text(reader, *title) else { return false };
    if !is_test(&ways, text, parts.len()) {
        return false;
    }
    let body = parts.iter().find_map(|part| part.child_by_field_name("body"));
    let place =
        reader.open_symbol(&SymbolDraft::new(SymbolKind::Test, node, *title, text).body(body));
    let symbol = place.and_then(|place| reader.kept.facts.symbols.get_mut(place as usize));
    unescape_title(symbol, text);
    true
}

/// Returns `true` if a call of these names with this title and number of arguments declares a test. A single
/// argument is a pending test, or no test at all.
pub(super) fn is_test(ways: &[&str], title: &str, arguments: usize) -> bool {
    let waits = ways.contains(&"todo") || ways.contains(&"skip") || ways.first() == Some(&"it");
    !title.is_empty() && (arguments > 1 || waits)
}

/// Takes the backslashes out of the name of a test with this title, as a runner prints it.
pub(super) fn unescape_title(test: Option<&mut Symbol>, title: &str) {
    if let Some(test) = test
        && title.contains('\\')
    {
        test.name = unescape_text(&test.name).into();
    }
}

/// Returns the names of what is called, the maker first; `None` when it makes no test.
fn list_ways<'t>(reader: &FactsReader<'t>, function: Node<'t>) -> Option<Vec<&'t str>> {
    let mut ways = Vec::new();
    let mut node = function;
    for _ in 0..MAX_CHAIN {
        match node.kind() {
            "identifier" => {
                let maker = reader.text(node);
                ways.push(maker);
                ways.reverse();
                return MAKERS.contains(maker).then_some(ways);
            }
            "member_expression" => {
                let way = reader.text(node.child_by_field_name("property")?);
                if !WAYS.contains(way) {
                    return None;
                }
                ways.push(way);
                node = node.child_by_field_name("object")?;
            }
            // `it.each(table)` and `it.skipIf(flag)` return what makes the test.
            "call_expression" => node = node.child_by_field_name("function")?,
            _ => return None,
        }
    }
    None
}

/// Returns the text of a title: of a string, or of a template with its parts as they are written.
fn title_text<'t>(reader: &FactsReader<'t>, title: Node<'t>) -> Option<&'t str> {
    if title.kind() == "template_string" {
        let text = reader.text(title);
        return text.get(1..text.len().checked_sub(1)?);
    }
    read_literal(reader, title)
}

/// Takes the backslash off quotes and backslashes.
fn unescape_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(|next| "'\"`\\$".contains(*next));
        plain.push(if escapes { chars.next().unwrap_or(c) } else { c });
    }
    plain
}
