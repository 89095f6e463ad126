//! Finds the test reports that a command wrote during its run.

use std::collections::HashMap;

use papayu_base::domain::{RepoPath, Sha256};
use papayu_logs::test_results::{TestResults, read_junit_results};
use papayu_system::{Entry, Tree};

/// Folders in which Maven, Gradle and others write JUnit reports, below the root or the folder
/// of a module.
const FOLDERS: [&str; 4] = [
    "target/surefire-reports", "target/failsafe-reports", "build/test-results/test", "test-results",
];

/// Files at the root that reporters write if nothing else is set.
const FILES: [&str; 3] = ["junit.xml", "test-report.xml", "test-results.xml"];

/// Build files of tools that write reports without being asked.
const SIGNS: [&str; 3] = ["pom.xml", "build.gradle", "build.gradle.kts"];

/// Most reports that are read. Larger sets are cut, and the totals of the output decide.
const MAX_REPORTS: usize = 2_000;
/// Largest report that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The reports that existed before a run, by path and digest. A report of an earlier run must
/// not count for this one.
#[derive(Default)]
pub(super) struct OldReports(HashMap<String, Sha256>);

impl OldReports {
    /// Reads the reports that exist now.
    pub(super) fn read(tree: &dyn Tree) -> Self {
        let all = list_reports(tree).into_iter().filter_map(|path| {
            let bytes = tree.read(&path, MAX_BYTES).ok()?;
            Some((path.to_string(), Sha256::of(&bytes)))
        });
        Self(all.collect())
    }

    /// Returns the tests of all reports that are new or have other bytes than before.
    ///
    /// Returns `None` if there are none, or if one cannot be read: half of the reports would
    /// hide failures.
    pub(super) fn read_new(&self, tree: &dyn Tree) -> Option<TestResults> {
        let mut texts = Vec::new();
        for path in list_reports(tree) {
            let bytes = tree.read(&path, MAX_BYTES).ok()?;
            if self.0.get(path.as_str()) != Some(&Sha256::of(&bytes)) {
                // A report that is not UTF-8 makes the results incomplete, so none is used.
                texts.push(String::from_utf8(bytes).ok()?);
            }
        }
        if texts.is_empty() { None } else { read_junit_results(&texts) }
    }
}

/// Returns the paths of all reports, at most 2,000; only the names at the root without a build
/// file of [`SIGNS`].
fn list_reports(tree: &dyn Tree) -> Vec<RepoPath> {
    let names = tree.list(None).unwrap_or_default();
    let mut found: Vec<RepoPath> = FILES
        .iter()
        .filter(|name| names.iter().any(|it| it == *name))
        .filter_map(|name| RepoPath::parse(name).ok())
        .collect();
    if !SIGNS.iter().any(|sign| names.iter().any(|it| it == sign)) {
        return found;
    }
    // Modules are folders of the root with a build file of their own; looking for the folder is enough.
    let modules = names.iter().map(|name| format!("{name}/"));
    for module in std::iter::once(String::new()).chain(modules) {
        for folder in FOLDERS {
            let Ok(folder) = RepoPath::parse(&format!("{module}{folder}")) else { continue };
            if !matches!(tree.entry(&folder), Ok(Entry::Dir)) {
                continue;
            }
            let files = tree.list(Some(&folder)).unwrap_or_default();
            let reports = files
                .iter()
                .filter(|name| name.rsplit('.').next() == Some("xml"))
                .filter_map(|name| RepoPath::parse(&format!("{folder}/{name}")).ok());
            found.extend(reports);
        }
    }
    found.truncate(MAX_REPORTS);
    found
}
