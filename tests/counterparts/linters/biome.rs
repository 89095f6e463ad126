//! Biome: its own `--write` is the oracle for what it calls safe; what it does not is a hint.

use crate::linters::rig::{Folder, cases, equal_cases};

const PROGRAM: &str = "node_modules/.bin/biome";

/// Every group at the level that fails a build; domains of frameworks are off.
const CONFIG: &str = r#"{
  "formatter": { "enabled": false },
  "assist": { "enabled": false },
  "linter": { "enabled": true, "rules": { "style": "error", "complexity": "error", "correctness": "error", "suspicious": "error", "a11y": "off", "performance": "error" } }
}"#;

fn project(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[("biome.json", CONFIG)]);
    // It reads all that is below, what git ignores too.
    std::fs::remove_file(folder.path(".venv")).unwrap();
    for (path, text) in files {
        folder.write(path, text);
    }
    folder
}

/// Biome has no dry run: what its passes make of the file comes in our rounds.
fn in_rounds(folder: &Folder, run: &str) -> String {
    let mut said = String::new();
    for _ in 0..10 {
        let proposed = folder.asked(run);
        said = proposed.summary;
        if proposed.files.is_empty() {
            break;
        }
        for (path, text) in &proposed.files {
            folder.write(path, text);
        }
    }
    said
}

#[test]
fn the_text_is_that_of_biome_itself() {
    let table = cases(include_str!("biome_cases.txt"), "//----\n", "ts");
    let files: Vec<_> = table.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (ours, theirs) = (project(&files), project(&files));
    let said = in_rounds(&ours, "biome lint cases");
    theirs.run(&[PROGRAM, "lint", "--write", "cases"]);
    let made = table.iter().map(|(path, _)| (path.clone(), ours.read(path)));
    let made = crate::linters::rig::Proposed { files: made.collect(), summary: said };
    let changed = equal_cases(&table, &made, &theirs).len();
    assert!(changed >= 20, "{changed} of {}", table.len());
}

#[test]
fn an_unsafe_fix_is_a_hint() {
    let folder = project(&[("a.ts", "export const f = (a: number) => \"x\" + a;\n")]);
    let proposed = folder.asked("biome lint .");
    assert!(proposed.files.is_empty(), "{proposed:?}");
    assert!(proposed.summary.contains("(hint, unsafe: `"), "{proposed:?}");
}
