//! Commands that look for the secrets of the program in the places where the kernel shows them.

use std::fs;

use super::run;
use crate::support::TestEnv;

const SECRETS: [(&str, &str); 3] = [
    ("PAPAYU_LLM_API_KEY", "sk-attack-0123456789abcdef"),
    ("GITHUB_TOKEN", "sk-attack-forge-0123456789"),
    ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "sk-attack-oidc-0123456789"),
];

/// Runs a command in a failing check and returns what it wrote into `found`.
fn found_by(command: &str) -> String {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let command = format!("{command} > found 2>/dev/null; false");
    let run = run(&env, &["fix", "--provider", "suggestions", "--run", &command], &SECRETS);
    assert_ne!(run.ran.code, 0, "{run:?}");
    env.read("found")
}

#[test]
fn no_process_shows_the_environment_of_the_program() {
    assert_eq!(found_by("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a sk-attack"), "");
}

#[test]
fn no_descriptor_that_a_command_inherits_has_the_environment() {
    assert_eq!(
        found_by(
            "cat /proc/self/fd/[3-9] /proc/self/fd/[1-9][0-9] < /dev/null | grep -a sk-attack"
        ),
        ""
    );
}

#[test]
fn the_program_reads_every_variable_after_its_second_start() {
    let env = TestEnv::new();
    let model = ("PAPAYU_LLM_MODEL", "model-of-the-environment");
    let ran = env.run_with(&["doctor"], &[model, SECRETS[0]]);
    assert!(ran.stdout.contains(model.1), "{ran:?}");
    assert!(ran.stdout.contains("other processes of the user cannot read it"), "{ran:?}");
    assert!(!ran.stdout.contains("sk-attack"), "{ran:?}");
}

#[test]
fn a_forged_handover_is_not_read() {
    let env = TestEnv::new();
    env.write("../home/variables", "PAPAYU_LLM_MODEL=forged\0");
    let ran = env.shell("PAPAYU_HANDOVER=9 \"$BIN\" doctor 9<> ../home/variables");
    assert!(!ran.stdout.contains("forged"), "{ran:?}");
    assert!(ran.stdout.contains("other processes of the user can read it"), "{ran:?}");
    assert_eq!(
        fs::read_to_string(env.home().join("variables")).unwrap(),
        "PAPAYU_LLM_MODEL=forged\0"
    );
}
