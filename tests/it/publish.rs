//! A bundle made by a job that may not write, published by one that may: whatever was changed on its way is refused.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use papayu_base::domain::Sha256;
use papayu_batch::publish::bundle::BundleManifest;
use serde_json::{Value, json};

use crate::fix::{CHECK, good, red};
use crate::forge_rig::{Rig, Run};
use crate::support::{assert_committed, project_file};

/// Makes a bundle without any token.
fn bundled(rig: &Rig) -> Run {
    let run = rig.fix_with(&["--emit", "bundle"], &[]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new());
    run
}

fn manifest(rig: &Rig) -> Value {
    serde_json::from_str(&fs::read_to_string(rig.at("out/bundle/manifest.json")).unwrap()).unwrap()
}

fn write_manifest(rig: &Rig, manifest: &Value) {
    fs::write(rig.at("out/bundle/manifest.json"), manifest.to_string()).unwrap();
}

/// Publishing ends with this code, and nothing was pushed or opened.
fn assert_refused(rig: &Rig, what: &str, arguments: &[&str], code: &str) {
    let run = rig.publish(arguments);
    assert_eq!(run.end(), (6, "publish_failed", Some(code)), "{what}: {run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new(), "{what}");
    assert_eq!(rig.state()["pulls"], json!([]), "{what}");
}

#[test]
fn a_bundle_becomes_the_same_pull_request_that_the_run_would_have_opened() {
    let rig = Rig::new();
    let run = bundled(&rig);
    let digest = run.text("bundle_digest").to_owned();
    let bytes = fs::read(rig.at("out/bundle/manifest.json")).unwrap();
    assert_eq!(Sha256::of(&bytes).to_string(), digest);
    let schema = serde_json::from_str(&project_file("schemas/bundle.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&manifest(&rig)));
    let published = rig.publish(&["--digest", &digest, "--label", "ci"]);
    assert_eq!(published.end(), (0, "fixed", None), "{published:?}");
    assert_eq!(published.text("run_id"), run.text("run_id"));
    assert_eq!(
        rig.remote(&["show", &format!("{}:value.py", published.text("branch"))]),
        "def two():\n    return 2"
    );
    // A job that is run again finds its own work and adds nothing.
    let tip = rig.remote(&["rev-parse", published.text("branch")]);
    let again = rig.publish(&[]);
    assert_eq!((again.code, again.outcome["attempt_total"].as_u64()), (0, Some(1)), "{again:?}");
    assert_eq!(rig.remote(&["rev-parse", published.text("branch")]), tip);
    assert_eq!(rig.state()["pulls"].as_array().unwrap().len(), 1);
}

#[test]
fn a_bundle_published_as_a_branch_names_it_and_leaves_the_outcome_of_the_fix() {
    let (env, model) = (red(), good());
    let git = env.shell(
        "git init -q . && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm 1",
    );
    assert_eq!(git.code, 0, "{git:?}");
    let fixed = env.run_with(&["fix", "--run", CHECK, "--emit", "bundle"], &model.variables());
    assert_eq!(fixed.code, 0, "{fixed:?}");
    let run = env.shell("ls -d .papa-yu/runs/*").stdout.trim().to_owned();
    let outcome = env.read(&format!("{run}/outcome.json"));
    let published = env.run(&["publish", &format!("{run}/bundle"), "--emit", "branch"]);
    assert_eq!(published.code, 0, "{published:?}");
    let branch = env.shell("git branch --list 'papayu/*' --format '%(refname:short)'").stdout;
    let words =
        format!("passed all checks again; the fix is on the local branch `{}`", branch.trim());
    assert!(published.stderr.contains(&words), "{published:?}");
    assert!(!published.stderr.contains("passes after it"), "{published:?}");
    assert_eq!(env.read(&format!("{run}/outcome.json")), outcome);
    let of_publication = env.read(&format!("{run}/publish/outcome.json"));
    assert!(of_publication.contains(&words), "{of_publication}");
}

#[test]
fn a_run_that_is_no_fix_leaves_no_change_of_an_earlier_run_beside_its_outcome() {
    let rig = Rig::new();
    bundled(&rig);
    assert!(rig.at("out/papayu.patch").is_file() && rig.at("out/bundle").is_dir());
    let run = rig.call(&["fix", "--emit", "bundle", "--run", "false"], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!rig.at("out/papayu.patch").exists() && !rig.at("out/bundle").exists());
}

#[test]
fn a_bundle_that_was_changed_on_its_way_is_refused() {
    let rig = Rig::new();
    let run = bundled(&rig);
    let digest = run.text("bundle_digest").to_owned();
    let file = rig
        .at("out/bundle/files")
        .join(manifest(&rig)["files"][0]["after_sha256"].as_str().unwrap());
    let evil = b"import os\n";
    let good = fs::read(&file).unwrap();
    for name in ["papayu.patch", "outcome.json"] {
        let path = rig.at("out/bundle").join(name);
        let before = fs::read(&path).unwrap();
        fs::write(&path, [&before[..], b" "].concat()).unwrap();
        assert_refused(&rig, name, &[], "ERR_BUNDLE_TAMPERED");
        fs::write(&path, before).unwrap();
    }
    fs::write(&file, evil).unwrap();
    assert_refused(&rig, "a content", &[], "ERR_BUNDLE_TAMPERED");
    fs::write(&file, &good).unwrap();
    fs::write(rig.at("out/bundle/files/more"), "").unwrap();
    assert_refused(&rig, "one more file", &[], "ERR_BUNDLE_TAMPERED");
    fs::remove_file(rig.at("out/bundle/files/more")).unwrap();
    // Whoever makes all digests anew is found out by the one that travelled apart.
    let mut forged = manifest(&rig);
    let name = Sha256::of(evil).to_string();
    fs::remove_file(&file).unwrap();
    fs::write(rig.at("out/bundle/files").join(&name), evil).unwrap();
    forged["files"][0]["after_sha256"] = json!(name);
    write_manifest(&rig, &forged);
    assert_refused(&rig, "a forged manifest", &["--digest", &digest], "ERR_BUNDLE_TAMPERED");
    fs::write(rig.at("out/bundle/manifest.json"), "{").unwrap();
    assert_refused(&rig, "half a manifest", &[], "ERR_BUNDLE_UNREADABLE");
    fs::remove_dir_all(rig.at("out/bundle")).unwrap();
    assert_refused(&rig, "no bundle", &[], "ERR_BUNDLE_UNREADABLE");
}

#[test]
fn a_hostile_path_is_refused_by_the_gate_that_refuses_it_in_a_run() {
    let rig = Rig::new();
    bundled(&rig);
    let good = manifest(&rig);
    for (path, code) in [
        ("../outside.py", "ERR_INVALID_PATH"),
        ("/etc/cron.d/x", "ERR_INVALID_PATH"),
        ("a/\u{0}b", "ERR_INVALID_PATH"),
        ("-rf", "ERR_INVALID_PATH"),
        (".g\u{131}t/config", "FORBIDDEN_PATH"),
        (".vscode/tasks.json", "FORBIDDEN_PATH"),
        ("GNUmakefile", "FORBIDDEN_PATH"),
        (".git/hooks/pre-commit", "FORBIDDEN_PATH"),
        (".GIT/config", "FORBIDDEN_PATH"),
        (".github/workflows/ci.yml", "FORBIDDEN_PATH"),
        ("VALUE.py", "ERR_INVALID_PATH"),
        ("value.py/x", "ERR_ACTION_CONFLICT"),
    ] {
        let mut hostile = good.clone();
        hostile["files"][0]["path"] = json!(path);
        hostile["files"][0]["before"] = Value::Null;
        write_manifest(&rig, &hostile);
        assert_refused(&rig, path, &[], code);
    }
    for (field, value) in
        [("mode", json!("120000")), ("mode", json!("100644,x")), ("before", json!("a".repeat(40)))]
    {
        let mut hostile = good.clone();
        hostile["files"][0][field] = value;
        write_manifest(&rig, &hostile);
        assert_refused(&rig, field, &[], "ERR_BUNDLE_TAMPERED");
    }
    for id in ["../../../outside", "", "a\nPapayu-Attempt: 0"] {
        let mut hostile = good.clone();
        hostile["run_id"] = json!(id);
        write_manifest(&rig, &hostile);
        assert_refused(&rig, id, &[], "ERR_BUNDLE_UNREADABLE");
    }
    for branch in ["-rf", "--upload-pack=x", "../../HEAD", "a b", "main^{tree}", ""] {
        let mut hostile = good.clone();
        hostile["base_branch"] = json!(branch);
        write_manifest(&rig, &hostile);
        assert_refused(&rig, branch, &[], "ERR_BUNDLE_UNREADABLE");
    }
    // A test that is made to pass is no fix, whoever let it through.
    let weaker = b"import unittest\n";
    let name = Sha256::of(weaker).to_string();
    fs::write(rig.at("out/bundle/files").join(&name), weaker).unwrap();
    let mut hostile = good.clone();
    let blob = rig.git(&["rev-parse", "HEAD:test_value.py"]);
    hostile["gates"]["allow"] = json!(["tests"]);
    hostile["files"] = json!([
        good["files"][0],
        { "path": "test_value.py", "mode": "100644", "before": blob, "after_sha256": name },
    ]);
    write_manifest(&rig, &hostile);
    assert_refused(&rig, "a weakened test", &[], "ERR_TEST_EDIT_NOT_ALLOWED");
}

#[test]
fn a_base_that_moved_and_a_fix_that_is_none_are_refused() {
    let rig = Rig::new();
    bundled(&rig);
    let mut red: Value =
        serde_json::from_str(&fs::read_to_string(rig.at("out/bundle/outcome.json")).unwrap())
            .unwrap();
    red["verify"]["after"]["exit_code"] = json!(1);
    let (red, before) = (red.to_string(), fs::read(rig.at("out/bundle/outcome.json")).unwrap());
    let good = manifest(&rig);
    let mut unproved = good.clone();
    unproved["outcome_sha256"] = json!(Sha256::of(red.as_bytes()).to_string());
    write_manifest(&rig, &unproved);
    fs::write(rig.at("out/bundle/outcome.json"), red).unwrap();
    assert_refused(&rig, "still red", &[], "ERR_BUNDLE_UNPROVED");
    write_manifest(&rig, &good);
    fs::write(rig.at("out/bundle/outcome.json"), before).unwrap();
    rig.human_commit("main");
    assert_refused(&rig, "moved", &[], "ERR_BASE_MOVED");
    assert_refused(&rig, "gone", &["--base", "none"], "ERR_BASE_MOVED");
}

#[test]
fn the_schema_of_bundles_is_that_of_the_code() {
    assert_committed(
        "schemas/bundle.schema.json",
        &schemars::schema_for!(BundleManifest).to_value(),
    );
}
