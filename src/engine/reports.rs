//! Finds the test reports that a command wrote during its run.

use std::collections::HashMap;

use crate::domain::{RepoPath, Sha256};
use crate::system::{Entry, Tree};
use crate::test_results::{TestResults, read_junit_results};

/// Folders in which build tools write reports, below the root or a module.
const FOLDERS: [&str; 4] = [
    "target/surefire-reports", "target/failsafe-reports", "build/test-results/test", "test-results",
];

/// Files at the root that reporters write if nothing else is set.
const FILES: [&str; 3] = ["junit.xml", "test-report.xml", "test-results.xml"];

/// Build files that are a sign of reports.
const SIGNS: [&str; 3] = ["pom.xml", "build.gradle", "build.gradle.kts"];

/// Most reports that are read, and the size of one in bytes.
const MAX_REPORTS: usize = 2_000;
const MAX_BYTES: u64 = 4 << 20;

/// The reports that were there before a run, by their digests.
#[derive(Default)]
pub(super) struct OldReports(HashMap<String, Sha256>);

impl OldReports {
    /// Reads the reports that are there.
    pub(super) fn read(tree: &dyn Tree) -> Self {
        let all = list_reports(tree).into_iter().filter_map(|path| {
            let bytes = tree.read(&path, MAX_BYTES).ok()?;
            Some((path.to_string(), Sha256::of(&bytes)))
        });
        Self(all.collect())
    }

    /// Returns the tests of the reports that are new or have changed since; `None` if there are none.
    pub(super) fn read_new(&self, tree: &dyn Tree) -> Option<TestResults> {
        let mut texts = Vec::new();
        for path in list_reports(tree) {
            let bytes = tree.read(&path, MAX_BYTES).ok()?;
            if self.0.get(path.as_str()) != Some(&Sha256::of(&bytes)) {
                texts.push(String::from_utf8(bytes).ok()?);
            }
        }
        if texts.is_empty() { None } else { read_junit_results(&texts) }
    }
}

/// Returns the paths of reports; none in a repository without a sign of them.
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
