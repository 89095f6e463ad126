//! ruff: its own `--fix` is the oracle, with all of its rules at once.

use crate::linters::rig::{Folder, cases, equal_cases};

/// Everything, save what needs the folder around a file or is in flux.
const CONFIG: &str = "target-version = \"py312\"\nline-length = 100\n[lint]\nselect = [\"ALL\"]\n";
const PROGRAM: &str = ".venv/bin/ruff";

fn project(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[("ruff.toml", CONFIG)]);
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
    let mut changed = 0;
    for rules in ["ALL", "E,F,W,I", "UP", "B,SIM,C4,PIE,RET", "PL,RUF,PERF,FURB", "COM,Q,D"] {
        for (path, text) in &files {
            theirs.write(path, text);
        }
        let command = format!("ruff check --select {rules} cases");
        let proposed = ours.asked(&command);
        theirs.run(&[PROGRAM, "check", "--quiet", "--fix", "--select", rules, "cases"]);
        changed += equal_cases(&table, &proposed, &theirs);
    }
    assert!(table.len() >= 105 && changed >= 300, "{changed} of {}", table.len());
}
