//! ruff: its own `--fix` is the oracle, with all of its rules at once.

use std::collections::BTreeSet;

use crate::linters::rig::{Folder, cases, equal_cases};

/// Everything, save what needs the folder around a file or is in flux.
const CONFIG: &str = "target-version = \"py312\"\nline-length = 100\n[lint]\nselect = [\"ALL\"]\n";
/// A project may call any fix safe.
const TRUSTING: &str =
    "target-version = \"py312\"\npreview = true\n[lint]\nextend-safe-fixes = [\"ALL\"]\n";
const PROGRAM: &str = ".venv/bin/ruff";

fn project(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[("ruff.toml", CONFIG), ("trusting.toml", TRUSTING)]);
    for (path, text) in files {
        folder.write(path, text);
    }
    folder
}

#[test]
fn with_all_rules_at_once_the_text_is_that_of_ruff_itself() {
    let table = cases(include_str!("ruff_cases.txt"), "#----\n", "py");
    let files: Vec<_> = table.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (ours, theirs) = (project(&files), project(&files));
    let mut changed = BTreeSet::new();
    for (config, rules) in [
        ("ruff.toml", "ALL"),
        ("ruff.toml", "E,F,W,I"),
        ("ruff.toml", "UP,COM,Q,D"),
        ("trusting.toml", "E,F,W,I,UP"),
        ("trusting.toml", "B,SIM,C4,PIE,RET,PL,RUF,PERF,FURB"),
    ] {
        for (path, text) in &files {
            theirs.write(path, text);
        }
        // Ours leaves an alias that may be a re-export.
        let common = ["--config", config, "--select", rules, "--ignore", "PLC0414", "cases"];
        let proposed = ours.asked(&format!("ruff check {}", common.join(" ")));
        theirs.run(&[&[PROGRAM, "check", "--quiet", "--fix"], &common[..]].concat());
        changed.extend(equal_cases(&table, &proposed, &theirs));
    }
    let left: Vec<_> = table.iter().filter(|(path, _)| !changed.contains(path)).collect();
    assert!(changed.len() >= 100, "{} of {}: {left:#?}", changed.len(), table.len());
}
