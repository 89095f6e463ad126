//! Smaller attacks: names, servers and words.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};
use crate::support::TestEnv;

#[test]
fn a_key_that_is_sent_without_encryption_to_another_machine_is_named() {
    for (address, is_named) in [
        ("http://192.0.2.1:9/v1", true),
        ("http://127.0.0.1:9/v1", false),
        ("http://[::1]:9/v1", false),
    ] {
        let env = TestEnv::new();
        env.write("a.py", "a = 1\n");
        let variables = [
            ("PAPAYU_LLM_PROVIDER", "openai"),
            ("PAPAYU_LLM_API_URL", address),
            ("PAPAYU_LLM_API_KEY", "tin7violet9harbour"),
            ("PAPAYU_LLM_MODEL", "m"),
        ];
        let ran = env.run_with(&["fix", "--run", "true", "--out", "results"], &variables);
        assert_eq!(ran.code, 0, "{ran:?}");
        let outcome = env.read("results/outcome.json");
        for text in [&ran.stderr, &outcome] {
            assert_eq!(text.contains("`llm.api_url` is not https"), is_named, "{address}: {text}");
        }
    }
}

#[test]
fn every_command_removes_the_temporary_folders_of_a_killed_run() {
    for words in [
        &["runs", "list"][..],
        &["explain", "--log", "build.log"],
        &["batch", "list.txt", "--run", "true"],
        &["worker", "--queue", "redis://127.0.0.1:9"],
        &["doctor"],
    ] {
        let env = TestEnv::new();
        env.write("build.log", "error: test failed\n");
        env.write("list.txt", ".\n");
        let temp = env.repo().parent().unwrap().join("temp");
        fs::create_dir_all(temp.join("papayu-1234dead/tmp")).unwrap();
        fs::write(temp.join("papayu-1234dead/tmp/file"), "left").unwrap();
        fs::write(temp.join("papayu-1234dead.lock"), "").unwrap();
        // A user may give such a name, and lock the folder in the same way.
        fs::create_dir(temp.join("papayu-nightly")).unwrap();
        fs::write(temp.join("papayu-nightly.lock"), "").unwrap();
        let ran = env.run_with(words, &[("TMPDIR", temp.to_str().unwrap())]);
        let left: BTreeSet<_> =
            fs::read_dir(&temp).unwrap().flatten().map(|entry| entry.file_name()).collect();
        let stays = ["papayu-nightly".into(), "papayu-nightly.lock".into()];
        assert_eq!(left, BTreeSet::from(stays), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_task_of_a_batch_is_not_hidden_from_itself() {
    let env = TestEnv::new();
    env.write("list.txt", ".\n");
    let required = ["--run", "true", "--sandbox", "required"];
    // The machine may have no sandbox.
    if env.run(&[&["fix"][..], &required].concat()).code != 0 {
        return;
    }
    let out = env.repo().parent().unwrap().join("out").display().to_string();
    let ran = env.run(&[&["batch", "list.txt", "--out", &out][..], &required].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// A server that counts its visitors.
fn bystander() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let visits = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&visits);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            seen.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\ninternal");
        }
    });
    (address, visits)
}

#[test]
fn the_redirect_of_a_log_into_a_private_network_is_not_followed() {
    let (address, visits) = bystander();
    let port = address.rsplit(':').next().unwrap().to_owned();
    let rig = Rig::new();
    rig.set_state(&json!({ "jobs": { "77": [{ "id": 2, "name": "test", "conclusion": "failure" }] }, "logs": { "2": "x" } }));
    for place in [
        format!("http://{address}/x"),
        format!("http://localhost:{port}/x"),
        format!("http://[::ffff:127.0.0.1]:{port}/x"),
        format!("http://2130706433:{port}/x"),
        format!("http://0:{port}/x"),
        format!("//{address}/x"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://metadata.google.internal/computeMetadata/v1/".to_owned(),
        "https://10.0.0.1/x".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/x".to_owned(),
    ] {
        rig.faults(
            &json!([{ "method": "GET", "path": "/actions/jobs/2/logs", "status": 302, "times": 9,
            "headers": { "Location": place }, "body": {} }]),
        );
        let run = rig.call(
            &["fix", "--github-run", "77", "--provider", "suggestions"],
            &[("GITHUB_TOKEN", TOKEN)],
        );
        assert_ne!(run.code, 0, "{place}: {run:?}");
        assert!(run.text("reason").contains("redirect"), "{place}: {run:?}");
        assert_eq!(visits.load(Ordering::SeqCst), 0, "{place}");
    }
}
