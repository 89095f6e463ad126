//! The house rules that no lint knows: sizes, names, docs, and which module may see which.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::project_path;

/// Lines of a file without its tests; more than 400 is worth a thought.
const MAX_LINES: usize = 500;
/// Lines of a folder's front page.
const MAX_FRONT_PAGE: usize = 80;
/// Front pages that are the one place of a contract, and may be as long as a file.
const CONTRACTS: [&str; 1] = ["src/system/mod.rs"];
/// Lines of tests inside a file; more go beside it.
const MAX_INLINE_TESTS: usize = 150;

/// Names that say nothing about what is inside.
const BANNED: [&str; 11] = [
    "util", "utils", "helper", "helpers", "common", "types", "misc", "imp", "manager", "service",
    "handler",
];

/// Each module with those it may use, besides itself.
const LAYERS: [(&str, &[&str]); 30] = [
    ("text", &[]),
    ("config_text", &[]),
    ("lang", &["text"]),
    ("domain", &["text"]),
    ("failure", PURE),
    ("triage", PURE),
    ("weakening", PURE),
    ("patch", PURE),
    ("protocol", PURE),
    ("vet", &["domain", "text", "lang", "protocol", "patch", "weakening"]),
    ("prompts", PURE),
    ("system", WORDS),
    ("trace", EFFECTS),
    ("git", SERVICES),
    ("forge", SERVICES),
    ("input", SERVICES),
    ("project", SERVICES),
    ("index", SERVICES),
    ("providers", SERVICES),
    ("apply", SERVICES),
    ("verify", SERVICES),
    ("emit", SERVICES),
    ("quickfix", COMPOSED),
    ("report", COMPOSED),
    ("publish", PUBLISH),
    ("context", COMPOSED),
    ("engine", ENGINE),
    ("settings", EDGE),
    ("fix", FIX),
    ("batch", BATCH),
];
const PURE: &[&str] = &["domain", "text", "config_text", "lang"];
const WORDS: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
];
const EFFECTS: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
];
const SERVICES: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
];
const PUBLISH: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "git",
    "forge",
];
const COMPOSED: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "input",
    "project",
    "index",
    "providers",
    "apply",
    "verify",
    "emit",
];
const ENGINE: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "input",
    "project",
    "index",
    "providers",
    "quickfix",
    "apply",
    "verify",
    "emit",
    "context",
];
const EDGE: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "input",
    "project",
    "index",
    "providers",
    "apply",
    "verify",
    "emit",
    "report",
    "context",
    "engine",
];
const FIX: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "input",
    "project",
    "index",
    "providers",
    "quickfix",
    "apply",
    "verify",
    "emit",
    "report",
    "context",
    "engine",
    "git",
    "forge",
    "publish",
    "settings",
];
const BATCH: &[&str] = &[
    "domain",
    "text",
    "config_text",
    "lang",
    "failure",
    "triage",
    "weakening",
    "patch",
    "protocol",
    "vet",
    "prompts",
    "system",
    "trace",
    "input",
    "project",
    "index",
    "providers",
    "quickfix",
    "apply",
    "verify",
    "emit",
    "report",
    "context",
    "engine",
    "git",
    "forge",
    "publish",
    "settings",
    "fix",
];

struct Source {
    /// Relative to the project, `/`-separated.
    path: String,
    text: String,
}

impl Source {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// Returns the lines that are shipped, and the lines of tests that stand beneath them.
    fn split(&self) -> (Vec<&str>, usize) {
        let lines: Vec<_> = self.text.lines().collect();
        if self.name() == "tests.rs" || self.path.contains("/tests/") {
            return (Vec::new(), 0);
        }
        let tests = lines.windows(2).position(|pair| {
            pair[0] == "#[cfg(test)]"
                && (pair[1] == "mod tests {" || pair[1].starts_with("#[expect("))
        });
        let end = tests.unwrap_or(lines.len());
        (lines[..end].to_vec(), lines.len() - end)
    }
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    walk(&project_path(folder), &mut found);
    found.sort();
    let root = project_path("");
    found
        .iter()
        .map(|path| Source {
            path: path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/"),
            text: fs::read_to_string(path).unwrap(),
        })
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Collects what breaks a rule, so that one run of the test names all of it.
fn broken(files: &[Source], rule: impl Fn(&Source) -> Option<String>) -> Vec<String> {
    files.iter().filter_map(|file| Some(format!("{}: {}", file.path, rule(file)?))).collect()
}

#[test]
fn every_file_says_first_what_it_is() {
    let mut files = sources("src");
    files.extend(sources("tests"));
    let silent = broken(&files, |file| {
        let first = file.text.lines().next().unwrap_or_default();
        (!first.starts_with("//! ")).then(|| format!("begins with `{first}`"))
    });
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn files_stay_short_enough_to_read() {
    let files = sources("src");
    let long = broken(&files, |file| {
        let (shipped, tests) = file.split();
        let front_page = file.name() == "mod.rs" && !CONTRACTS.contains(&file.path.as_str());
        let most = if front_page { MAX_FRONT_PAGE } else { MAX_LINES };
        if shipped.len() > most {
            Some(format!("{} lines, at most {most}", shipped.len()))
        } else if tests > MAX_INLINE_TESTS {
            Some(format!(
                "{tests} lines of tests, at most {MAX_INLINE_TESTS}; move them to tests.rs"
            ))
        } else {
            None
        }
    });
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn names_say_what_is_inside() {
    let banned = broken(&sources("src"), |file| {
        let parts = file.path.trim_end_matches(".rs").split('/');
        let bad = parts.into_iter().find(|part| BANNED.contains(part))?;
        Some(format!("`{bad}` says nothing"))
    });
    assert_eq!(banned, Vec::<String>::new());
}

#[test]
fn a_module_sees_only_the_layers_above_its_own() {
    let sideways = broken(&sources("src"), |file| {
        let module = file.path.split('/').nth(1)?.trim_end_matches(".rs");
        let (_, allowed) = LAYERS.iter().find(|(name, _)| *name == module)?;
        let used: Vec<_> = used_modules(&file.text)
            .into_iter()
            .filter(|used| used != module && !allowed.contains(&used.as_str()))
            .collect();
        (!used.is_empty()).then(|| format!("uses {used:?}"))
    });
    assert_eq!(sideways, Vec::<String>::new());
}

#[test]
fn every_module_has_its_place_in_the_table() {
    let lib = fs::read_to_string(project_path("src/lib.rs")).unwrap();
    let declared = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let known = |name: &&str| *name == "cli" || LAYERS.iter().any(|(known, _)| known == name);
    assert_eq!(declared.filter(|name| !known(name)).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Returns the modules named after `crate::`, those of a `use crate::{a, b::c}` too.
fn used_modules(text: &str) -> Vec<String> {
    let mut used = Vec::new();
    for rest in text.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(group) => outermost(group),
            None => vec![rest],
        };
        for name in names {
            let word: String =
                name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if LAYERS.iter().any(|(known, _)| *known == word) || word == "cli" {
                used.push(word);
            }
        }
    }
    used.sort();
    used.dedup();
    used
}

/// Returns the parts of a brace group, those of inner groups left out.
fn outermost(group: &str) -> Vec<&str> {
    let mut depth = 1;
    let end = group.find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    let mut depth = 0;
    group
        .get(..end.unwrap_or(group.len()))
        .unwrap_or(group)
        .split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

#[test]
fn pure_modules_touch_nothing_outside() {
    let pure =
        ["domain", "text", "failure", "triage", "weakening", "patch", "protocol", "vet", "prompts"];
    let touching = broken(&sources("src"), |file| {
        let module = file.path.split('/').nth(1)?;
        let (shipped, _) = file.split();
        let outside =
            ["std::fs", "std::env", "std::net", "std::process", "Instant::now", "SystemTime"];
        let found = outside.iter().find(|name| shipped.iter().any(|line| line.contains(**name)))?;
        pure.contains(&module).then(|| format!("names `{found}`"))
    });
    assert_eq!(touching, Vec::<String>::new());
}

#[test]
fn no_test_file_is_forgotten() {
    let main = fs::read_to_string(project_path("tests/it/main.rs")).unwrap();
    let mut forgotten = Vec::new();
    for entry in fs::read_dir(project_path("tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        if module != "main" && !main.lines().any(|line| line == format!("mod {module};")) {
            forgotten.push(name);
        }
    }
    assert_eq!(forgotten, Vec::<String>::new());
}

#[test]
fn nothing_refers_to_what_is_not_in_the_repository() {
    let mut files = sources("src");
    files.extend(sources("tests"));
    let outside = concat!("..", "/shared");
    let referring =
        broken(&files, |file| file.text.contains(outside).then(|| "refers outside".into()));
    assert_eq!(referring, Vec::<String>::new());
}
