//! The names of types: each type of the program has one of its own.

use std::collections::BTreeMap;

use super::all_sources;

/// Returns the name of the type that a line at the top level of a file defines.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip_while(|word| word.starts_with("pub"));
    matches!(words.next()?, "struct" | "enum" | "trait" | "type" | "union").then_some(())?;
    let rest = words.next()?;
    Some(rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(rest))
}

#[test]
fn no_two_types_share_a_name() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in all_sources() {
        let (shipped, _) = file.split();
        // `pub(in path)` contains a blank.
        let lines = shipped.iter().map(|line| match line.split_once(") ") {
            Some((scope, rest)) if scope.starts_with("pub(in ") => rest,
            _ => line,
        });
        for name in lines.filter_map(defined_type) {
            types.entry(name.to_owned()).or_default().push(file.path.clone());
        }
    }
    types.retain(|_, paths| paths.len() > 1);
    assert_eq!(
        types,
        BTreeMap::new(),
        "name each type after what it is, with its module if needed"
    );
}
