//! Rows asked of small trees.

use super::*;

const TEXTS: [(&str, &str); 3] = [
    (
        "a.ts",
        "import fs from 'fs';\nimport { Cart } from './b';\nimport x from 'left-pad';\nimport './none';\n// TODO: less\nexport function cartTotal() {}\n",
    ),
    ("b.ts", "export class Cart {\n  total() { return 1; }\n}\n"),
    ("sub/c.ts", "export class Other {\n  total() {}\n}\n// FIXME later\n"),
];

#[test]
fn symbols_stand_by_how_well_their_name_fits() {
    let index = Index::of_texts(&TEXTS);
    let names = |query: &str| {
        find_symbols(&index, query, 10).iter().map(|row| row.name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("cart"), ["Cart", "cartTotal"]);
    assert_eq!(names("TOTAL"), ["total", "total", "cartTotal"]);
    assert_eq!(names("none"), Vec::<String>::new());
    assert_eq!(find_symbols(&index, "", 2).len(), 2);
}

#[test]
fn a_member_is_told_by_what_it_stands_in() {
    let index = Index::of_texts(&TEXTS);
    let places = |name: &str| {
        let found = find_definitions(&index, name);
        found.iter().map(|row| format!("{}:{}", row.path, row.line)).collect::<Vec<_>>()
    };
    assert_eq!(places("total"), ["b.ts:2", "sub/c.ts:2"]);
    assert_eq!(places("Other.total"), ["sub/c.ts:2"]);
    assert_eq!(places("None.total"), Vec::<String>::new());
}

#[test]
fn imports_say_where_they_lead() {
    let index = Index::of_texts(&TEXTS);
    let links = ResolvedImports::of(&index);
    let rows = list_imports(&links, index.find_path("a.ts").unwrap());
    let shown: Vec<_> =
        rows.iter().map(|row| (row.module, row.origin, row.package, row.paths.join(" "))).collect();
    let expected = [
        ("fs", ModuleOrigin::Builtin, Some("fs"), String::new()),
        ("./b", ModuleOrigin::Internal, None, "b.ts".to_owned()),
        ("left-pad", ModuleOrigin::External, Some("left-pad"), String::new()),
        ("./none", ModuleOrigin::Unresolved, None, String::new()),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn notes_and_numbers_are_asked_for_by_folder() {
    let index = Index::of_texts(&TEXTS);
    assert_eq!(list_todos(&index, "").len(), 2);
    assert_eq!(list_todos(&index, "sub").iter().map(|row| row.tag).collect::<Vec<_>>(), ["FIXME"]);
    assert_eq!(list_todos(&index, "su").len(), 0);
    let graph = Graph::of(&ResolvedImports::of(&index));
    let rows = file_complexity(&index, &graph, "b.ts");
    assert_eq!(
        rows.iter().map(|row| (row.path, row.dependents)).collect::<Vec<_>>(),
        [("b.ts", 1)]
    );
}
