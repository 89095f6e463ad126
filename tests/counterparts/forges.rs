//! Every request to Gitea and Bitbucket, and every answer of the stand-in, compared with their own descriptions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use papayu_base::domain::{AccessToken, NoEvents};
use papayu_base::text::Masker;
use papayu_forge::{Forge, ForgeConfig, ForgeFault, ForgeKind, Outside, PullClosing, StickyText};
use papayu_system::System;
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};
use crate::github::Prism;

/// Returns a rig with the proxy before its stand-in.
fn rig_of(forge: &'static str) -> (Rig, Prism) {
    let mut rig = Rig::at_forge(forge);
    let prism = Prism::before(&mut rig, forge);
    (rig, prism)
}

/// Asks the forge as the program does.
fn ask(rig: &Rig, kind: ForgeKind, question: impl FnOnce(&dyn Forge)) {
    let flag = Arc::<AtomicBool>::default();
    let (process, http) = (OsProcess::new(flag.clone(), Vec::new()), OsHttp::new(flag.clone()));
    let (disk, clock) = (OsDisk, OsClock::new(flag));
    let system = System { disk: &disk, process: &process, http: &http, clock: &clock };
    let config = ForgeConfig {
        api_url: rig.api_url.clone(),
        repository: "o/r".to_owned(),
        token: Some(AccessToken::new(&TOKEN.into())),
        ..ForgeConfig::default()
    };
    let masker = Masker::new(Vec::new());
    let outside = Outside { system, events: &NoEvents, masker: &masker };
    question(&*kind.open_repository(&config, outside).unwrap());
}

#[test]
fn pull_requests_comments_and_statuses_of_gitea_are_by_the_book() {
    let (rig, prism) = rig_of("gitea");
    let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
    let extras = ["--draft", "--label", "ci", "--reviewer", "ann", "--check-run"];
    let run = rig.fix_with(&[&["--emit", "pr"], &extras[..]].concat(), &token);
    assert_eq!((run.end(), &run.outcome["notices"]), ((0, "fixed", None), &json!([])), "{run:?}");
    rig.reply("return 1 + 1");
    let run = rig.fix_with(&["--emit", "pr"], &token);
    assert_eq!((run.end(), &run.outcome["pr_number"]), ((0, "fixed", None), &json!(1)), "{run:?}");
    ask(&rig, ForgeKind::Gitea, check_comments);
    assert_eq!(rig.state()["pulls"][0]["state"], "closed");
    prism.assert_satisfied();
}

#[test]
fn pull_requests_comments_and_logs_of_bitbucket_are_by_the_book() {
    let (rig, prism) = rig_of("bitbucket");
    let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
    let extras = ["--draft", "--reviewer", "{8d6a5b1e-0000-4000-8000-000000000001}", "--check-run"];
    let run = rig.fix_with(&[&["--emit", "pr"], &extras[..]].concat(), &token);
    assert_eq!((run.end(), &run.outcome["notices"]), ((0, "fixed", None), &json!([])), "{run:?}");
    rig.reply("return 1 + 1");
    let run = rig.fix_with(&["--emit", "pr"], &token);
    assert_eq!((run.end(), &run.outcome["pr_number"]), ((0, "fixed", None), &json!(1)), "{run:?}");
    ask(&rig, ForgeKind::Bitbucket, check_comments);
    assert_eq!(rig.state()["pulls"][0]["state"], "closed");
    prism.assert_satisfied();
}

/// Comments twice and closes the pull request.
fn check_comments(forge: &dyn Forge) {
    for (body, is_update) in [("<!-- mine --> one", false), ("<!-- mine --> two", true)] {
        let posted = forge.comment(1, StickyText { marker: "<!-- mine -->", body }).unwrap();
        assert_eq!(posted.is_update, is_update);
    }
    let open = forge.open_pull_requests("papayu/").unwrap();
    assert_eq!(open.len(), 1);
    match forge.update_branch(&open[0]) {
        Ok(()) => {}
        Err(error) => assert_eq!(error.fault, ForgeFault::Unsupported, "{error}"),
    }
    match forge.open_labelled("papayu-pause", None) {
        Ok(found) => assert_eq!(found, None),
        Err(error) => assert_eq!(error.fault, ForgeFault::Unsupported, "{error}"),
    }
    let [comment, body] = ["no longer needed", "closed"].map(str::to_owned);
    forge.close(1, &PullClosing { comment, body }).unwrap();
    assert_eq!(forge.pull_requests("papayu/none").unwrap(), []);
}
