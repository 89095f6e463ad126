//! Folders of a text, a patch, and what comes of it: every strategy of the ladder, and every refusal.

#![expect(clippy::disallowed_methods, reason = "the test reads its own folders")]

use std::fs;
use std::path::{Path, PathBuf};

/// Returns every folder that holds a patch, sorted.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.join("patch").is_file() {
            found.push(path);
        } else if path.is_dir() {
            found.extend(folders(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn every_patch_lands_by_its_strategy_or_is_refused_for_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/patches");
    let folders = folders(&root);
    assert!(folders.len() > 70, "only {} folders", folders.len());
    let mut faults = Vec::new();
    for folder in folders {
        let read = |name: &str| fs::read_to_string(folder.join(name));
        let (before, text) = (read("before").expect("before"), read("patch").expect("patch"));
        let landed = papayu_patch::apply_patch(&before, &text, "src/file.py");
        let strategy = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let right = match (&landed, read("after"), read("refusal")) {
            (Ok(landed), Ok(after), Err(_)) => {
                landed.after == after
                    && landed.strategies.iter().any(|landed| Some(landed.name()) == strategy)
            }
            (Err(fault), Err(_), Ok(refusal)) => fault.to_string() == refusal.trim_end(),
            _ => false,
        };
        if !right {
            faults.push(format!("{}: {landed:#?}", folder.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
