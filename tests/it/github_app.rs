//! Tokens of a GitHub App: obtained with its key, renewed when they end, used for pushes, and never shown.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and the processes themselves"
)]

use std::process::Command;

use serde_json::json;

use crate::forge_rig::{READER, Rig};

/// Makes a key as GitHub hands it out and returns the variables of the app.
fn make_app(rig: &Rig) -> Vec<(&'static str, String)> {
    let key = rig.at("app.pem").to_str().unwrap().to_owned();
    let made =
        Command::new("openssl").args(["genrsa", "-traditional", "-out", &key, "2048"]).output();
    assert!(made.expect("the tests of apps need openssl").status.success());
    vec![("PAPAYU_GITHUB_APP_ID", "123".to_owned()), ("PAPAYU_GITHUB_APP_KEY_FILE", key)]
}

fn borrow<'a>(variables: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Returns how many tokens were asked for.
fn count_tokens(rig: &Rig) -> usize {
    let requests = rig.state()["requests"].to_string();
    requests.matches("/access_tokens").count()
}

#[test]
fn an_app_opens_a_pull_request_with_one_token() {
    let rig = Rig::new();
    let app = make_app(&rig);
    let run = rig.fix_with(&["--emit", "pr", "--check-run"], &borrow(&app));
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let state = rig.state();
    assert_eq!(state["pulls"].as_array().unwrap().len(), 1);
    let key = std::fs::read_to_string(rig.at("app.pem")).unwrap();
    assert!(!run.outcome.to_string().contains(key.lines().nth(1).unwrap()));
}

#[test]
fn a_token_that_ends_soon_is_renewed_and_a_lasting_one_is_kept() {
    let rig = Rig::new();
    let app = make_app(&rig);
    rig.fix_with(&["--emit", "pr"], &borrow(&app));
    let lasting = count_tokens(&rig);
    rig.set_state(&json!({ "app_lifetime": 60 }));
    rig.reply("return 1 + 1");
    let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let short = count_tokens(&rig) - lasting;
    assert!(short > lasting + 1, "{lasting} and {short}");
}

#[test]
fn a_token_that_is_refused_in_the_middle_of_a_run_is_renewed_once() {
    let rig = Rig::new();
    let app = make_app(&rig);
    rig.fix_with(&["--emit", "pr"], &borrow(&app));
    let undisturbed = count_tokens(&rig);
    let rig = Rig::new();
    let app = make_app(&rig);
    let refusal = json!({ "message": "Bad credentials" });
    let refuse = |times: u32| json!([{ "method": "POST", "path": "/pulls", "status": 401, "body": refusal, "times": times }]);
    rig.faults(&refuse(1));
    let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert_eq!(count_tokens(&rig), undisturbed + 1);
    let rig = Rig::new();
    let app = make_app(&rig);
    rig.faults(&refuse(9));
    let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
    assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{run:?}");
    assert_eq!((count_tokens(&rig), &rig.state()["pulls"]), (undisturbed + 1, &json!([])));
}

#[test]
fn a_wrong_key_or_app_is_refused_before_anything_is_spent() {
    let rig = Rig::new();
    let mut app = make_app(&rig);
    app[0].1 = "124".to_owned();
    let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
    assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{run:?}");
    for text in
        ["", "words", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"]
    {
        std::fs::write(rig.at("bad.pem"), text).unwrap();
        app[1].1 = rig.at("bad.pem").to_str().unwrap().to_owned();
        let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
        assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{text}: {run:?}");
        assert!(
            run.text("reason").contains("`github.app_key_file` is no RSA private key"),
            "{run:?}"
        );
    }
    app[1].1 = rig.at("none.pem").to_str().unwrap().to_owned();
    let run = rig.fix_with(&["--emit", "pr"], &borrow(&app));
    assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new());
}

#[test]
fn the_app_comes_before_a_token_that_is_set_too() {
    let rig = Rig::new();
    let app = make_app(&rig);
    let variables = [&borrow(&app)[..], &[("GITHUB_TOKEN", READER)]].concat();
    let run = rig.fix_with(&["--emit", "pr"], &variables);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
}
