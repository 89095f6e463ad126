//! A run against the HTTP server of llama.cpp with a tiny model of random weights, which writes no sense.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::judges::{beside, home};
use crate::project::{COMMAND, Project};

#[test]
fn a_model_that_writes_no_sense_ends_the_run_with_an_outcome_in_time() {
    let project = Project::new();
    let folder = project.repo().with_file_name("llama");
    std::fs::create_dir(&folder).unwrap();
    let mut server = Command::new(home().join("venv/bin/python"))
        .arg(beside("llama_server.py"))
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).unwrap();
    for strict in ["true", "false"] {
        let started = Instant::now();
        let out = folder.join(strict);
        let status = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
            .args(["fix", "--run", COMMAND, "--provider", "openai", "--model", "tiny"])
            .args(["--api-url", &format!("{}/v1", address.trim()), "--timeout", "20", "--repo"])
            .arg(project.repo())
            .arg("--out")
            .arg(&out)
            .env("PAPAYU_LLM_STRICT_JSON", strict)
            .status()
            .unwrap();
        let outcome = std::fs::read(out.join("outcome.json")).unwrap();
        let outcome: Value = serde_json::from_slice(&outcome).unwrap();
        let name = outcome["outcome"].as_str().unwrap();
        assert!(
            ["over_budget", "provider_error", "rejected", "not_fixed"].contains(&name),
            "{outcome}"
        );
        assert_eq!(status.code().map(i64::from), outcome["exit_code"].as_i64());
        assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    }
    drop(server.stdin.take());
    server.wait().unwrap();
}
