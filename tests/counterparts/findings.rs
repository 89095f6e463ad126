//! Findings that npm and cargo themselves fix, with their registries: the seeded manifests of `tests/findings/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Fixes the findings of a seeded project, and returns package, outcome and new version of each.
fn fix(name: &str, files: &[&str], run: &str) -> Vec<(String, String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    for file in files {
        fs::copy(seed.join(file), folder.path().join(file)).unwrap();
    }
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .args(["fix", "--format", "json", "--run", run, "--findings"])
        .arg(seed.join("report.json"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let outcomes = end["outcomes"].as_array().unwrap().iter();
    let row = |it: &Value| {
        let finding = &it["finding"];
        (text(&finding["package"]), text(&it["outcome"]), text(&finding["to"]))
    };
    outcomes.map(row).collect()
}

/// Runs the first finding of a seeded project that is in two folders, and returns outcome and new version in each file.
fn fix_twice(name: &str, files: &[&str], run: &str) -> (String, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    for place in ["", "tools/"] {
        fs::create_dir_all(folder.path().join(format!("{place}src"))).unwrap();
        fs::write(folder.path().join(format!("{place}src/lib.rs")), "").unwrap();
        for file in files {
            let mut text = fs::read_to_string(seed.join(file)).unwrap();
            if *file == "Cargo.toml" {
                // Else cargo takes the nested package for a forgotten member of the outer one.
                text.push_str("\n[workspace]\n");
            }
            fs::write(folder.path().join(format!("{place}{file}")), text).unwrap();
        }
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .args(["fix", "--format", "json", "--run", run, "--findings"])
        .arg(seed.join("report.json"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let outcome = &end["outcomes"][0];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let finding = &outcome["finding"];
    let others = finding["other_files"].as_array().unwrap().iter();
    let files = std::iter::once(finding).chain(others);
    let files = files.map(|it| (text(&it["file"]), text(&it["to"]))).collect();
    (text(&outcome["outcome"]) + " " + &text(&outcome["reason"]), files)
}

#[test]
fn npm_updates_two_lock_files_with_one_weakness() {
    let (ended, files) =
        fix_twice("npm", &["package.json", "package-lock.json"], "npm ci --ignore-scripts");
    assert!(ended.starts_with("fixed minimist 1.2.0 → 1.2.6, in 2 files"), "{ended}");
    let expected = ["package-lock.json", "tools/package-lock.json"];
    assert_eq!(files, expected.map(|file| (file.to_owned(), "1.2.6".to_owned())));
}

#[test]
fn cargo_updates_two_lock_files_with_one_weakness() {
    let (ended, files) = fix_twice("cargo", &["Cargo.toml", "Cargo.lock"], "cargo fetch --locked");
    assert!(ended.starts_with("fixed time 0.1.45 → 0.2.23, in 2 files"), "{ended}");
    let expected = ["Cargo.lock", "tools/Cargo.lock"];
    assert_eq!(files, expected.map(|file| (file.to_owned(), "0.2.23".to_owned())));
}

fn row(package: &str, outcome: &str, to: &str) -> (String, String, String) {
    (package.to_owned(), outcome.to_owned(), to.to_owned())
}

#[test]
fn npm_updates_each_package_to_its_lowest_fixed_version() {
    let ends = fix("npm", &["package.json", "package-lock.json"], "npm ci --ignore-scripts");
    assert_eq!(
        ends,
        [
            row("minimist", "fixed", "1.2.6"),
            row("qs", "not_fixed", "-"),
            row("minimist", "fixed", "1.2.3"),
            row("qs", "not_fixed", "-"),
        ]
    );
}

#[test]
fn cargo_updates_the_lock_file_and_the_requirement_where_it_must() {
    let ends = fix("cargo", &["Cargo.toml", "Cargo.lock"], "cargo fetch --locked");
    assert_eq!(ends, [row("time", "fixed", "0.2.23"), row("regex", "fixed", "1.5.5")]);
}
