//! Recognizes a failure because an installed package lacks a file that the repository has.

use papayu_base::domain::FailureReport;

/// Folders that installed packages are in.
const INSTALLED: [&str; 3] = ["/site-packages/", "/dist-packages/", "/node_modules/"];

/// Words with which systems and interpreters say that a file is missing, in lower case.
const MISSING: [&str; 4] = ["no such file", "enoent", "not found", "cannot find"];

/// Returns `true` if the message of a failure names a missing file of an installed package, and `files` has this file: the
/// package does not ship it.
pub(crate) fn lacks_shipped_file(report: &FailureReport, files: &[String]) -> bool {
    report.failures.iter().any(|failure| is_unshipped(&failure.message, files))
}

fn is_unshipped(message: &str, files: &[String]) -> bool {
    let lower = message.to_lowercase();
    if !MISSING.iter().any(|words| lower.contains(words)) {
        return false;
    }
    let separators = |c: char| c.is_whitespace() || "'\"`()[]<>,;:".contains(c);
    message.split(separators).any(|word| {
        let word = word.replace('\\', "/");
        let installed = INSTALLED.iter().find_map(|folder| word.rsplit_once(folder));
        installed.is_some_and(|(_, rest)| {
            // A package of npm is in a folder of its own, one of Python in that of its module.
            let below = rest.split_once('/').map_or("", |(_, below)| below);
            files.iter().any(|file| {
                is_end_of(rest, file) || (word.contains("/node_modules/") && file == below)
            })
        })
    })
}

/// Returns `true` if a path is a file, or its end from a folder on.
fn is_end_of(path: &str, file: &str) -> bool {
    path.contains('/')
        && file.strip_suffix(path).is_some_and(|top| top.is_empty() || top.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_file_of_an_installed_package_that_the_repository_has_is_meant() {
        let files = ["src/shop/data/rates.json".to_owned(), "dist/index.css".to_owned()];
        for (message, wanted) in [
            (
                "FileNotFoundError: [Errno 2] No such file or directory: '/v/lib/python3.12/site-packages/shop/data/rates.json'",
                true,
            ),
            (
                "Error: ENOENT: no such file or directory, open '/a/node_modules/shop/dist/index.css'",
                true,
            ),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'shop/data/rates.json'",
                false,
            ),
            (
                "FileNotFoundError: No such file or directory: '/v/site-packages/other/a.json'",
                false,
            ),
            ("KeyError in /v/site-packages/shop/data/rates.json", false),
        ] {
            assert_eq!(is_unshipped(message, &files), wanted, "{message}");
        }
    }
}
