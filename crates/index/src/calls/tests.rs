//! Calls of small trees.

use super::*;
use crate::code::Index;
use crate::language;
use papayu_lang::Language;

/// Returns `caller -> callee` lines by name, sorted by callee.
fn edges(texts: &[(&str, &str)]) -> Vec<String> {
    let index = Index::of_texts(texts);
    let links = ResolvedImports::of(&index);
    let calls: Vec<(FileId, Vec<SymbolCall>)> = texts
        .iter()
        .filter_map(|(path, text)| {
            let language = Language::of_path(path)?;
            Some((index.find_path(path)?, language::parse(language, text).calls))
        })
        .collect();
    let graph = CallGraph::of(&links, &calls);
    let name = |file: FileId, at: u32| {
        let file = index.file(file).unwrap();
        format!("{}:{}", file.path, file.facts().unwrap().symbols[at as usize].name)
    };
    let mut lines = Vec::new();
    for (place, sites) in &graph.callers {
        for site in sites {
            let caller = site.caller.map_or("top".to_owned(), |at| name(site.file, at));
            lines.push(format!("{caller} -> {} {:?}", name(place.0, place.1), site.certainty));
        }
    }
    lines
}

#[test]
fn calls_lead_through_imports_to_functions_and_to_the_one_member_of_a_name() {
    let texts = [
        (
            "a.py",
            "from b import Store, load\n\ndef run():\n    load()\n    Store().save()\n    print(1)\n    unknown()\n\nrun()\n",
        ),
        ("b.py", "class Store:\n    def save(self): pass\n\ndef load(): pass\n"),
        ("c.py", "class Other:\n    def save(self): pass\n"),
    ];
    let expected = [
        "top -> a.py:run Followed",
        "a.py:run -> b.py:Store Followed",
        "a.py:run -> b.py:save Member",
        "a.py:run -> b.py:load Followed",
    ];
    assert_eq!(edges(&texts), expected);
}

#[test]
fn a_member_that_two_classes_have_is_left_open() {
    let texts = [
        ("a.py", "from b import One, Two\n\ndef run(x):\n    x.save()\n"),
        ("b.py", "class One:\n    def save(self): pass\nclass Two:\n    def save(self): pass\n"),
    ];
    assert_eq!(edges(&texts), Vec::<String>::new());
}

#[test]
fn a_call_through_a_module_taken_as_a_whole_leads_to_its_function() {
    let texts = [
        (
            "a.py",
            "import shop.cart\nfrom shop import tax\n\ndef run():\n    shop.cart.total()\n    tax.of(1)\n",
        ),
        (
            "a.ts",
            "import * as cart from './cart';\nimport { one } from './other';\n\nfunction run() {\n  cart.add();\n  other.two();\n}\n",
        ),
        ("cart.ts", "export function add() {}\n"),
        ("other.ts", "export function one() {}\nexport function two() {}\n"),
        ("shop/__init__.py", ""),
        ("shop/cart.py", "def total():\n    def inner(): pass\n"),
        ("shop/tax.py", "def of(n): pass\n"),
    ];
    let expected = [
        "a.ts:run -> cart.ts:add Member",
        "a.py:run -> shop/cart.py:total Member",
        "a.py:run -> shop/tax.py:of Member",
    ];
    assert_eq!(edges(&texts), expected);
}
