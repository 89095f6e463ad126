//! Makes the places of failures relative to a repository.

use std::collections::HashMap;

use super::paths::find_printed_file;
use papayu_base::domain::FailureReport;

/// Makes the places of failures relative to the repository in the folder `root`, and puts those in its files first: logs have the paths
/// of the machine that printed them, or only a name. `files` has its files, sorted; a place in none of them stays as it is.
pub fn place_in_repository(report: &mut FailureReport, root: &str, files: &[String]) {
    report.place_below(&format!("{root}/"));
    let is_file = |path: &str| files.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
    // Logs name the same few files over and over.
    let mut known = HashMap::new();
    for failure in &mut report.failures {
        for place in failure.locations.iter_mut().filter(|place| !is_file(&place.path)) {
            let found = known
                .entry(place.path.clone())
                .or_insert_with(|| find_printed_file(&place.path, root, files));
            if let Some(path) = found {
                place.path.clone_from(path);
            }
        }
        failure.locations.sort_by_key(|place| !is_file(&place.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Failure, Location};

    #[test]
    fn places_of_other_machines_are_found_in_the_repository() {
        let place = |path: &str| Location { path: path.into(), line: Some(3), column: None };
        let printed =
            ["/usr/lib/python3/runpy.py", "/builds/o/r/src/a.py", "a_test.go", "x.py", "src/b.py"];
        let locations = printed.map(place).to_vec();
        let mut report = FailureReport {
            failures: vec![Failure { locations, ..Failure::default() }],
            ..FailureReport::default()
        };
        let files =
            ["d1/x.py", "d2/x.py", "pkg/a_test.go", "src/a.py", "src/b.py"].map(str::to_owned);
        place_in_repository(&mut report, "/work/r", &files);
        let failure = report.failures.pop().unwrap_or_default();
        let paths: Vec<String> = failure.locations.into_iter().map(|place| place.path).collect();
        let expected =
            ["src/a.py", "pkg/a_test.go", "src/b.py", "/usr/lib/python3/runpy.py", "x.py"];
        assert_eq!(paths, expected, "of two files with one name, none is taken");
    }
}
