//! Names and where they stand, in small trees.

use super::*;
use crate::code::Index;

#[test]
fn lines_with_the_word_are_told_apart_by_what_they_do_and_mean() {
    let texts = [
        ("a.ts", "import { total } from './b';\nconst subtotal = total();\n"),
        ("b.ts", "export function total() {}\n"),
        ("c.ts", "cart.total();\nconst totals = 1;\n"),
        ("d.json", "{\"total\": 1}"),
    ];
    let index = Index::of_texts(&texts);
    let links = ResolvedImports::of(&index);
    let mut read = |path: &str| {
        texts.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    };
    let found = find_references(&links, "total", &mut read);
    let shown: Vec<_> =
        found.iter().map(|row| (row.path.as_str(), row.line, row.role, row.certain)).collect();
    let expected = [
        ("a.ts", 1, NameRole::Import, true),
        ("a.ts", 2, NameRole::Use, true),
        ("b.ts", 1, NameRole::Definition, true),
        ("c.ts", 1, NameRole::Use, false),
    ];
    assert_eq!(shown, expected);
    assert_eq!(find_references(&links, "none", &mut read), []);
}
