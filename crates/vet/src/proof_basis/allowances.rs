//! The kind of files that a run must allow for a change of a file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::GlobSet;
use serde::Deserialize;

use papayu_base::domain::Allowance;
use papayu_lang::{PathClass, compile_globs};

/// The table.
const TABLE: &str = include_str!("allowances.toml");

/// The table as the file has it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindTable {
    snapshots: Vec<String>,
    settings: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests and readers"))]
    examples: BTreeMap<Allowance, Vec<String>>,
}

static NAMED: LazyLock<[(Option<GlobSet>, Allowance); 2]> = LazyLock::new(|| {
    let table: KindTable = toml::from_str(TABLE).unwrap_or_default();
    [
        (compile_globs(table.snapshots), Allowance::Snapshots),
        (compile_globs(table.settings), Allowance::Settings),
    ]
});

/// Returns the kind of files that a run must allow for a change of a file of a class.
pub(crate) fn allowance_of(path: &str, class: PathClass) -> Allowance {
    let lower = path.to_lowercase();
    let is_in = |set: &Option<GlobSet>| set.as_ref().is_some_and(|set| set.is_match(&lower));
    let named = NAMED.iter().find(|(set, _)| is_in(set)).map(|(_, kind)| *kind);
    let of_class = match class {
        PathClass::Test => return Allowance::Tests,
        PathClass::TestSupport => Allowance::Tests,
        PathClass::Build => Allowance::Build,
        PathClass::Ci => Allowance::Ci,
        PathClass::Source
        | PathClass::Configuration
        | PathClass::Manifest
        | PathClass::Generated => Allowance::Settings,
    };
    named.unwrap_or(of_class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_table_hold() {
        let table: KindTable = toml::from_str(TABLE).unwrap();
        for (kind, paths) in table.examples {
            for path in paths {
                assert_eq!(allowance_of(&path, PathClass::of_path(&path)), kind, "{path}");
            }
        }
    }
}
