//! Mechanical failures of `tests/scenarios`, each with the real tools: fixed at no cost, or left as they are.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread;

use serde_json::json;

use crate::examples::rust_homes;
use crate::support::{TestEnv, project_file, project_path};
use crate::tools::git;

/// What a file of `tests/scenarios` says; its `README` tells the form.
#[derive(Default)]
struct Scenario {
    /// Empty for a run that finds its command.
    command: String,
    /// The folder that the run starts in; empty for the repository.
    folder: String,
    /// A program that must not be installed.
    absent: String,
    /// The outcome, if it is not `fixed` or `not_fixed`.
    outcome: String,
    files: BTreeMap<String, String>,
    /// Every changed file's path, and under it its changed lines with one line around them.
    changes: String,
    /// Texts that the outcome's reason has, a line each, if no tool can fix the failure.
    reason: Vec<String>,
    /// A text that the next step has.
    next: String,
}

impl Scenario {
    fn read(path: &str) -> Self {
        let text = project_file(path);
        let mut scenario = Self::default();
        let mut section = None;
        for line in text.split_inclusive('\n').skip(1) {
            let title = line.trim_end().strip_prefix("-- ").and_then(|it| it.strip_suffix(" --"));
            if let Some(title) = title {
                section = Some(title.to_owned());
                if !["changes", "reason", "next"].contains(&title) {
                    scenario.files.insert(title.to_owned(), String::new());
                }
            } else if section.is_none() {
                let (mark, rest) = line.trim_end().split_once(' ').unwrap();
                let part = match mark {
                    "$" => &mut scenario.command,
                    "@" => &mut scenario.folder,
                    "!" => &mut scenario.absent,
                    "=" => &mut scenario.outcome,
                    _ => panic!("{path}: {line}"),
                };
                rest.clone_into(part);
            } else if section.as_deref() == Some("changes") {
                scenario.changes.push_str(line);
            } else if section.as_deref() == Some("reason") {
                scenario.reason.push(line.trim_end().to_owned());
            } else if section.as_deref() == Some("next") {
                line.trim_end().clone_into(&mut scenario.next);
            } else if let Some(file) = section.as_ref().and_then(|it| scenario.files.get_mut(it)) {
                file.push_str(line);
            }
        }
        scenario
    }

    /// Adds the files of the language's project, and its command where there is none.
    fn in_project(mut self, project: &Self) -> Self {
        if self.command.is_empty() {
            self.command.clone_from(&project.command);
        }
        for (path, text) in &project.files {
            self.files.entry(path.clone()).or_insert_with(|| text.clone());
        }
        self
    }

    fn is_trap(&self) -> bool {
        self.changes.is_empty()
    }

    fn write_files(&self, env: &TestEnv) {
        for (path, text) in &self.files {
            env.write(path, text);
        }
        // Hooks change the files that git knows, and a folder has a repository above it.
        if self.files.contains_key(".pre-commit-config.yaml") || !self.folder.is_empty() {
            git(env, &["init", "--quiet"]);
            git(env, &["add", "--all"]);
        }
    }

    /// Plays it in a repository of its own; returns what is wrong with how it went.
    fn play(&self, env: &TestEnv, variables: &[(&str, &str)]) -> Vec<String> {
        self.write_files(env);
        let mut arguments = vec!["fix", "--provider", "suggestions", "--emit", "worktree"];
        for (option, value) in [("--run", &self.command), ("--repo", &self.folder)] {
            if !value.is_empty() {
                arguments.extend([option, value]);
            }
        }
        if self.outcome == NOT_CALLED {
            let ran = env.run_with(&arguments, variables);
            let texts = self.reason.iter().chain([&self.next]);
            let missing = texts.filter(|text| !ran.stderr.contains(*text));
            return missing.map(|text| format!("{text}: not in {ran:?}")).collect();
        }
        let outcome = env.outcome(&arguments, variables);
        let found: BTreeMap<&str, String> =
            self.files.keys().map(|path| (path.as_str(), env.read(path))).collect();
        let changed: Vec<&str> = found
            .iter()
            .filter(|(path, text)| self.files[**path] != **text)
            .map(|(path, _)| *path)
            .collect();
        let changes: String =
            changed.iter().map(|path| shown(path, &self.files[*path], &found[path])).collect();
        let mut wrong = Vec::new();
        let mut hold = |what: &str, is: &str, expected: &str| {
            if is != expected {
                wrong.push(format!(
                    "{what}: {is}\nand not: {expected}\nreason: {}",
                    outcome["reason"]
                ));
            }
        };
        hold("changes", &changes, &self.changes);
        // Paths of an outcome begin in the folder of the run.
        let below = format!("{}/", self.folder);
        let changed: Vec<&str> =
            changed.iter().map(|path| path.strip_prefix(&below).unwrap_or(path)).collect();
        hold("changed files", &outcome["changed_files"].to_string(), &json!(changed).to_string());
        let ended = match self.outcome.as_str() {
            "" if self.is_trap() => "not_fixed",
            "" => "fixed",
            other => other,
        };
        hold("outcome", outcome["outcome"].as_str().unwrap(), ended);
        hold("verified", &outcome["verified"].to_string(), &(!self.is_trap()).to_string());
        hold("requests", &outcome["requests"].to_string(), "0");
        let reason = outcome["reason"].as_str().unwrap();
        for part in &self.reason {
            hold(part, &reason.contains(part).to_string(), "true");
        }
        if !self.reason.is_empty() {
            let hint = outcome["hint"].as_str().unwrap_or_default();
            if hint.is_empty() || !hint.contains(&self.next) {
                hold("next step", hint, &self.next);
            }
        }
        let none = json!({ "input": 0, "output": 0, "cached": 0 });
        hold("tokens", &outcome["tokens"].to_string(), &none.to_string());
        wrong
    }
}

/// Returns the lines that differ, with one line around them.
fn shown(path: &str, before: &str, after: &str) -> String {
    let patch =
        diffy::DiffOptions::new().set_context_len(1).create_patch(before, after).to_string();
    // A line of context that is empty is written without its mark.
    let lines = patch.split_inclusive('\n').skip(2).filter(|line| !line.starts_with("@@"));
    format!("{path}\n{}", lines.collect::<String>())
}

/// Plays every scenario of a language, each in a repository that `prepare` makes ready; nothing may go
/// otherwise than written. Two at once, since the tools of one language are much slower than the others'.
fn play(language: &str, variables: &[(&str, &str)], prepare: impl Fn(&TestEnv) + Sync) {
    let folder = format!("tests/scenarios/{language}");
    let project = Scenario::read(&format!("{folder}/project"));
    let mut names: Vec<String> = fs::read_dir(project_path(&folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "project")
        .collect();
    names.sort();
    let only = std::env::var("SCENARIO").unwrap_or_default();
    names.retain(|name| name.contains(&only));
    let has_tools = has_tools(language);
    let one = |name: &String| -> Vec<String> {
        let scenario = Scenario::read(&format!("{folder}/{name}")).in_project(&project);
        let is_installed = runs(&format!("command -v '{}'", scenario.absent));
        if !has_tools && scenario.command != RECORDED || !scenario.absent.is_empty() && is_installed
        {
            return Vec::new();
        }
        let is_unfixed = name.starts_with("unfixed_");
        assert_eq!(scenario.is_trap(), name.starts_with("trap_") || is_unfixed, "{name}");
        assert_eq!(!scenario.reason.is_empty(), is_unfixed, "{name}");
        let env = TestEnv::new();
        prepare(&env);
        let faults = scenario.play(&env, variables);
        faults.into_iter().map(|fault| format!("{language}/{name}: {fault}")).collect()
    };
    let half = |first| names.iter().skip(first).step_by(2).flat_map(&one).collect::<Vec<String>>();
    let wrong = thread::scope(|scope| {
        let others = scope.spawn(|| half(1));
        [half(0), others.join().unwrap()].concat()
    });
    assert!(wrong.is_empty(), "of {}:\n{}", names.len(), wrong.join("\n\n"));
}

/// The outcome of a call with which no run begins, so that there are no results.
const NOT_CALLED: &str = "usage_error without a run";

/// The command of a scenario that prints recorded output.
const RECORDED: &str = "sh recorded.sh";

/// Returns whether the tools of a language are there; a machine without them plays only what is recorded.
fn has_tools(language: &str) -> bool {
    let probes: &[&str] = match language {
        "java" => &["javac -version"],
        "ruby" => &["ruby -e 'require \"minitest\"'"],
        "php" => &["phpunit --version"],
        "monorepo" => &["go version"],
        _ => &[],
    };
    probes.iter().all(|probe| runs(probe))
}

/// Returns whether a command of the shell succeeds.
fn runs(command: &str) -> bool {
    let ran = Command::new("sh").args(["-c", command]).output();
    ran.is_ok_and(|ran| ran.status.success())
}

#[test]
fn failures_of_other_kinds_of_projects_are_fixed_or_explained() {
    for kind in
        ["php_script", "subfolder", "cmake", "gradle", "deno", "bun", "pre_commit", "dockerfile"]
    {
        play(kind, &[], |_| {});
    }
}

#[test]
fn rust_failures_are_mended_by_what_cargo_says_and_no_others_are_touched() {
    let homes = rust_homes();
    let homes: Vec<_> = homes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    play("rust", &homes, |_| {});
}

#[test]
fn python_failures_are_mended_by_what_the_interpreter_says_and_no_others_are_touched() {
    play("python", &[], |_| {});
}

#[test]
fn go_failures_are_mended_by_what_go_says_and_no_others_are_touched() {
    // A machine without Go plays the others.
    if Command::new("go").arg("version").output().is_err() {
        return;
    }
    let cache = project_path("target/go-cache").display().to_string();
    fs::create_dir_all(&cache).unwrap();
    let variables = [
        ("GOCACHE", cache.as_str()),
        ("PAPAYU_WRITABLE", cache.as_str()),
        ("GOPROXY", "off"),
        ("GOTOOLCHAIN", "local"),
    ];
    play("go", &variables, |_| {});
}

#[test]
fn javascript_failures_are_fixed_by_what_node_reports_or_explained() {
    play("javascript", &[], |_| {});
}

#[test]
fn failures_of_a_repository_of_several_languages_are_fixed_or_explained() {
    play("monorepo", &[], |_| {});
}

#[test]
fn c_failures_are_fixed_by_what_the_compiler_proposes_or_explained() {
    // A machine without a compiler plays the others.
    if Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    play("c", &[], |_| {});
}

#[test]
fn failures_of_tested_javascript_are_fixed_by_what_node_reports() {
    play("javascript_tests", &[], |_| {});
}

#[test]
fn java_failures_are_fixed_by_what_javac_reports_or_explained() {
    play("java", &[], |_| {});
}

#[test]
fn ruby_failures_are_fixed_by_what_the_interpreter_proposes_or_explained() {
    play("ruby", &[], |_| {});
}

#[test]
fn php_failures_are_fixed_by_what_the_interpreter_reports_or_explained() {
    play("php", &[], |_| {});
}

#[cfg(feature = "counterparts")]
#[test]
fn typescript_failures_are_mended_by_what_tsc_says_and_no_others_are_touched() {
    play("typescript", &[], |env| {
        // A folder of links, as pnpm makes it: tools write `node_modules/.cache`, and the sandbox
        // would refuse that if the folder itself led out of the repository.
        let modules = env.repo().join("node_modules");
        fs::create_dir(&modules).unwrap();
        for package in fs::read_dir(project_path("target/counterparts/node_modules")).unwrap() {
            let package = package.unwrap();
            if package.file_name() != ".cache" {
                std::os::unix::fs::symlink(package.path(), modules.join(package.file_name()))
                    .unwrap();
            }
        }
    });
}
