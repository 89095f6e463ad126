//! The examples of the table: paths of each class, and paths that look like them.

use super::*;
use papayu_base::domain::RepoPath;

fn is_open(path: &str, is_new: bool) -> bool {
    let identity = RepoPath::parse(path).expect("a legal path").identity();
    describe_reader(&identity, Touched { is_new, is_file: true }).is_none()
}

#[test]
fn the_table_compiles_and_every_pattern_is_in_lower_case() {
    let table: UnattendedTable = toml::from_str(TABLE).expect("a table");
    assert!(COMPILED.is_some());
    let patterns = table.reader.iter().flat_map(|row| &row.patterns);
    for pattern in patterns.chain(&table.ordinary_hidden) {
        assert_eq!(*pattern, pattern.to_lowercase());
    }
}

#[test]
fn each_example_may_be_changed_and_added_as_the_table_says() {
    let table: UnattendedTable = toml::from_str(TABLE).expect("a table");
    let Examples { refused, changed_only, open } = table.examples;
    let mut wrong = Vec::new();
    for (paths, expected) in
        [(refused, (false, false)), (changed_only, (true, false)), (open, (true, true))]
    {
        for path in paths {
            if (is_open(&path, false), is_open(&path, true)) != expected {
                wrong.push((path, expected));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_new_folder_is_no_new_file() {
    let folder = Touched { is_new: true, is_file: false };
    assert_eq!(describe_reader("src/bootstrap", folder), None);
    assert!(describe_reader(".vscode", folder).is_some());
}
