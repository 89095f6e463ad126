//! The modules that manifests name as the start of a program or plugin.

use papayu_base::config_text::{self, ConfigFormat, ConfigValue, Node};

/// The tables with entry points, by the keys that lead to them.
const PYPROJECT: [&[&str]; 5] = [
    &["project", "scripts"],
    &["project", "gui-scripts"],
    &["project", "entry-points"],
    &["tool", "poetry", "scripts"],
    &["tool", "poetry", "plugins"],
];

/// The section of a `setup.cfg`; its values have a line `NAME = MODULE:OBJECT` for each entry point.
const SETUP_CFG: [&[&str]; 1] = [&["options.entry_points"]];

/// Returns the dotted names of the modules that a `pyproject.toml` names.
pub(super) fn modules_of_pyproject(text: &str) -> Vec<String> {
    modules_of(ConfigFormat::Toml, text, &PYPROJECT)
}

/// Returns the dotted names of the modules that a `setup.cfg` names.
pub(super) fn modules_of_setup_cfg(text: &str) -> Vec<String> {
    modules_of(ConfigFormat::Ini, text, &SETUP_CFG)
}

fn modules_of(format: ConfigFormat, text: &str, tables: &[&[&str]]) -> Vec<String> {
    let parsed = config_text::parse(format, text);
    let mut modules = Vec::new();
    for keys in tables {
        let table = keys.iter().try_fold(parsed.root(), |node, key| node.get(key));
        collect_modules(table, &mut modules);
    }
    modules
}

/// Adds the modules of every text in a value: the part before `:`, in a line `NAME = MODULE:OBJECT` after `=`.
fn collect_modules(node: Option<&Node>, modules: &mut Vec<String>) {
    match node.map(|node| &node.value) {
        Some(ConfigValue::Table(fields)) => {
            for field in fields {
                collect_modules(Some(&field.value), modules);
            }
        }
        Some(ConfigValue::Text(text)) => {
            modules.extend(text.lines().filter_map(|line| {
                let (_, named) = line.rsplit_once('=').unwrap_or(("", line));
                let module = named.split([':', '[']).next()?.trim();
                (!module.is_empty()).then(|| module.to_owned())
            }));
        }
        _ => {}
    }
}
