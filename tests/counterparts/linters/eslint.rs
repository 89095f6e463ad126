//! ESLint: its own `--fix` is the oracle, on every fixable core rule and on files that it finds hard.

use crate::linters::rig::{Folder, cases, equal_cases};

const CONFIG: &str =
    "export default [{ linterOptions: { reportUnusedDisableDirectives: \"off\" } }];\n";
const PROGRAM: &str = "node_modules/.bin/eslint";

fn project(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[("eslint.config.mjs", CONFIG)]);
    folder.write(
        "package.json",
        r#"{"private": true, "type": "module", "scripts": {"lint": "eslint cases"}}"#,
    );
    for (path, text) in files {
        folder.write(path, text);
    }
    folder
}

#[test]
fn on_every_fixable_rule_the_text_is_that_of_eslint_itself() {
    let table = cases(include_str!("eslint_cases.txt"), "//----\n", "js");
    let files: Vec<_> = table.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (ours, theirs) = (project(&files), project(&files));
    let proposed = ours.asked("npm run lint");
    theirs.run(&[PROGRAM, "--fix", "cases"]);
    let changed = equal_cases(&table, &proposed, &theirs).len();
    assert!(table.len() >= 110 && changed >= 105, "{changed} of {}", table.len());
}
