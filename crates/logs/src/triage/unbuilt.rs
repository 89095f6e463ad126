//! Recognizes a tree without its packages, or without its built files.

use std::sync::LazyLock;

use serde_json::Value;

use super::signals::cut_line;
use papayu_base::domain::{Evidence, Failure, FailureClass, FailureKind, FailureReport, Triage};
use papayu_base::text::{Pattern, group};

/// Lines of evidence at the most.
const MAX_EVIDENCE: usize = 5;

/// Folders that build scripts write.
const BUILT: [&str; 8] = ["dist", "build", "lib", "out", "es", "esm", "cjs", "umd"];

/// The parts of `package.json` that declare packages.
const DECLARED: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// The names of scripts that build, and the command of each.
const SCRIPTS: [(&str, &str); 3] = [
    ("build", "build the project before the command: `npm run build`"),
    ("compile", "build the project before the command: `npm run compile`"),
    ("prepare", "build the project before the command: `npm run prepare`"),
];

/// Lockfiles, and the command that installs what each names.
const INSTALLS: [(&str, &str); 5] = [
    ("pnpm-lock.yaml", "install the packages before the command: `pnpm install --frozen-lockfile`"),
    ("yarn.lock", "install the packages before the command: `yarn install --frozen-lockfile`"),
    ("bun.lock", "install the packages before the command: `bun install --frozen-lockfile`"),
    ("bun.lockb", "install the packages before the command: `bun install --frozen-lockfile`"),
    ("package-lock.json", "install the packages before the command: `npm ci`"),
];
const INSTALL: &str = "install the packages before the command: `npm install`";

/// Messages of Node.js and of bundlers about a module that is not there.
static MISSING: LazyLock<[Pattern; 2]> = LazyLock::new(|| {
    [
        Pattern::new(r"Cannot find (?:package|module) '(?P<module>[^']+)'"),
        Pattern::new(r#"(?:Failed to resolve import|Could not resolve) "(?P<module>[^"]+)""#),
    ]
});

/// Returns the class `environment` if every failure is a package of `package.json` that is not installed, or a file
/// in a folder that a build script writes and that is not there. `has_path` returns `true` for paths of the tree.
pub fn triage_unbuilt(
    report: &FailureReport,
    package_json: &str,
    has_path: &dyn Fn(&str) -> bool,
) -> Option<Triage> {
    // Without a valid manifest nothing is declared.
    let manifest: Value = serde_json::from_str(package_json).ok()?;
    let mut evidence = Vec::new();
    let mut next_step = None;
    let known = report.failures.iter().filter(|failure| failure.kind != FailureKind::Unknown);
    for failure in known {
        // One other failure means that the code is to be repaired.
        let (line, module) = find_missing(failure)?;
        let step = find_install(&manifest, module, has_path)
            .or_else(|| find_build(&manifest, module, has_path))?;
        next_step = next_step.or(Some(step));
        let line = cut_line(line.trim());
        evidence.push(Evidence { rule: "unbuilt".to_owned(), line, number: None });
    }
    evidence.dedup_by(|one, other| one.line == other.line);
    evidence.truncate(MAX_EVIDENCE);
    // Without a failure there is no step and no class.
    let next_step = Some(next_step?.into());
    Some(Triage { class: FailureClass::Environment, evidence, next_step })
}

/// Returns the line of a failure that names a missing module, and the module.
fn find_missing(failure: &Failure) -> Option<(&str, &str)> {
    failure.message.lines().find_map(|line| {
        let found = MISSING.iter().find_map(|pattern| pattern.captures(line))?;
        Some((line, group(&found, "module")?))
    })
}

/// Returns the command that installs a declared package that is not there.
fn find_install(
    manifest: &Value,
    module: &str,
    has_path: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    let name = package_name(module)?;
    let is_declared =
        DECLARED.iter().any(|part| manifest.get(part).is_some_and(|of| of.get(&name).is_some()));
    // An installed package that is not found is a fault of the code.
    if !is_declared || has_path(&format!("node_modules/{name}")) {
        return None;
    }
    Some(install_step(has_path))
}

/// Returns the step that installs the packages, by the lockfile.
fn install_step(has_path: &dyn Fn(&str) -> bool) -> &'static str {
    let known = INSTALLS.iter().find(|(lockfile, _)| has_path(lockfile));
    known.map_or(INSTALL, |(_, step)| step)
}

/// Returns the step that installs the packages if the evidence names a program of a script, such as `sh: 1: vitest: not
/// found`, packages are declared, and none is installed. `None` for any other class than `environment`.
pub fn find_install_step(
    triage: &Triage,
    package_json: &str,
    has_path: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    if triage.class != FailureClass::Environment || has_path("node_modules") {
        return None;
    }
    let manifest: Value = serde_json::from_str(package_json).ok()?;
    let mut declared = DECLARED.iter().filter_map(|part| manifest.get(part)?.as_object());
    declared.find(|packages| !packages.is_empty())?;
    let line = &triage.evidence.first()?.line;
    let ends = |c: char| c.is_whitespace() || c == ':' || c == '\'';
    let named: Vec<&str> =
        line.split(ends).filter(|word| word.len() > 1 && *word != "sh").collect();
    let scripts = manifest.get("scripts")?.as_object()?.values().filter_map(Value::as_str);
    let mut words = scripts.flat_map(str::split_whitespace);
    words.any(|word| named.contains(&word)).then(|| install_step(has_path))
}

/// Returns the command that builds the folder of a file, if the folder is not there.
fn find_build(
    manifest: &Value,
    module: &str,
    has_path: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    // Only paths are files; a name is a package.
    if !module.starts_with(['.', '/']) {
        return None;
    }
    let built = module.split('/').find(|part| BUILT.contains(part))?;
    let scripts = manifest.get("scripts")?;
    let step = SCRIPTS.iter().find(|(name, _)| scripts.get(name).is_some());
    // The folder is there: its file is missing for another reason.
    step.filter(|_| !has_path(built)).map(|(_, step)| *step)
}

/// Returns the package of a module: `@acme/core` for `@acme/core/x`; `None` for a path.
fn package_name(module: &str) -> Option<String> {
    if module.starts_with(['.', '/', '#']) {
        return None;
    }
    // A scope and a name form one package.
    let parts = if module.starts_with('@') { 2 } else { 1 };
    Some(module.split('/').take(parts).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        r#"{"scripts": {"build": "tsc"}, "devDependencies": {"@acme/core": "1", "chai": "4"}}"#;

    fn triage(messages: &[&str], paths: &[&str]) -> Option<Triage> {
        let failure = |message: &&str| Failure {
            kind: FailureKind::Import,
            message: (*message).to_owned(),
            ..Failure::default()
        };
        let failures = messages.iter().map(failure).collect();
        let report = FailureReport { failures, ..FailureReport::default() };
        triage_unbuilt(&report, MANIFEST, &|path| paths.contains(&path))
    }

    #[test]
    fn a_tree_without_its_packages_or_its_build_is_the_environment() {
        assert!(MISSING.iter().all(Pattern::is_valid));
        let missing = [
            "Cannot find package 'chai' imported from /r/a.js",
            "Error: Cannot find module '@acme/core/x'",
        ];
        let found = triage(&missing, &["pnpm-lock.yaml"]).unwrap();
        assert_eq!(found.class, FailureClass::Environment);
        assert!(found.next_step.as_deref().unwrap().contains("pnpm install"), "{found:?}");
        let built = triage(&["Error: Cannot find module '../dist/index.cjs'"], &[]).unwrap();
        assert!(built.next_step.as_deref().unwrap().contains("npm run build"), "{built:?}");
    }

    #[test]
    fn a_program_of_a_script_is_installed_with_the_packages() {
        let step = |line: &str, class: FailureClass, paths: &[&str]| {
            let line = line.to_owned();
            let evidence = vec![Evidence { rule: "tool".to_owned(), line, number: None }];
            let triage = Triage { class, evidence, next_step: None };
            find_install_step(&triage, MANIFEST, &|path| paths.contains(&path))
        };
        let environment = FailureClass::Environment;
        let found = step("sh: 1: tsc: not found", environment, &["package-lock.json"]);
        assert!(found.unwrap().ends_with("`npm ci`"), "{found:?}");
        assert_eq!(step("sh: 1: tsc: not found", environment, &["node_modules"]), None);
        assert_eq!(step("sh: 1: tcs: not found", environment, &[]), None);
        assert_eq!(step("sh: 1: tsc: not found", FailureClass::Code, &[]), None);
    }

    #[test]
    fn what_the_code_lacks_is_left_to_other_rules() {
        for (messages, paths) in [
            (&["Cannot find module 'left-pad'"][..], &[][..]),
            (&["Cannot find module 'chai'"], &["node_modules/chai"]),
            (&["Cannot find module '../dist/index.cjs'"], &["dist"]),
            (&["Cannot find module './slug'"], &[]),
            (&["Cannot find module 'chai'", "AssertionError: 1 != 2"], &[]),
            (&[], &[]),
        ] {
            assert_eq!(triage(messages, paths), None, "{messages:?}");
        }
    }
}
