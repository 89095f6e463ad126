//! Flags and the settings they carry.

use clap::{Args as _, CommandFactory as _, Parser};

use super::*;
use crate::settings::{FlagValue, KEYS, Settings, SettingsSources, load};

/// Parses words as one command's arguments.
fn parse<T: clap::Args>(words: &[&str]) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("probe"));
    let matches = command.try_get_matches_from([&["probe"], words].concat())?;
    T::from_arg_matches(&matches)
}

fn resolved(flags: &[FlagValue]) -> Settings {
    load(SettingsSources { flags, ..SettingsSources::default() }).unwrap()
}

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
    for augment in [FixArgs::augment_args, ApplyArgs::augment_args, ReplayArgs::augment_args] {
        augment(clap::Command::new("probe")).debug_assert();
    }
}

/// Every flag of `fix`, each with a value that is not the default.
const EVERY_FLAG: [&str; 36] = [
    "--run=make test",
    "--provider=ollama",
    "--model=m",
    "--second-model=n",
    "--reasoning-effort=low",
    "--api-url=http://127.0.0.1/api/chat",
    "--protocol=1",
    "--max-tokens=10",
    "--max-cost=0.5",
    "--max-requests=3",
    "--timeout=60",
    "--verify-timeout=30",
    "--max-attempts=4",
    "--emit=patch",
    "--emit=worktree",
    "--allow-delete",
    "--allow-ci-files",
    "--allow-test-edits",
    "--goal=fix it",
    "--log=-",
    "--green-log=ok.log",
    "--record=r.json",
    "--junit=reports/*.xml",
    "--sarif=found.sarif",
    "--github-run=77",
    "--issue=5",
    "--base=next",
    "--label=ci",
    "--reviewer=ann",
    "--draft",
    "--auto-merge",
    "--reopen",
    "--max-attempts-total=3",
    "--check-run",
    "--junit-out=j.xml",
    "--sarif-out=s.sarif",
];

#[test]
fn every_flag_of_fix_reaches_its_setting() {
    let args: FixArgs = parse(&EVERY_FLAG).unwrap();
    let settings = resolved(&args.flags());
    let set: Vec<_> = settings
        .rows()
        .filter(|row| *row.origin != crate::settings::ValueOrigin::Default)
        .map(|row| format!("{}={} ({})", row.key, row.shown_value, row.origin))
        .collect();
    assert_eq!(
        set,
        [
            "llm.provider=ollama (flag --provider)",
            "llm.api_url=http://127.0.0.1/api/chat (flag --api-url)",
            "llm.model=m (flag --model)",
            "llm.second_model=n (flag --second-model)",
            "llm.reasoning_effort=low (flag --reasoning-effort)",
            "protocol.version=1 (flag --protocol)",
            "run.command=make test (flag --run)",
            "run.max_attempts=4 (flag --max-attempts)",
            "run.timeout_sec=60 (flag --timeout)",
            "run.verify_timeout_sec=30 (flag --verify-timeout)",
            "run.emit=patch,worktree (flag --emit)",
            "run.max_attempts_total=3 (flag --max-attempts-total)",
            "budget.max_tokens=10 (flag --max-tokens)",
            "budget.max_cost=0.5 (flag --max-cost)",
            "budget.max_requests=3 (flag --max-requests)",
            "policy.allow_delete=true (flag --allow-delete)",
            "policy.allow_ci_files=true (flag --allow-ci-files)",
            "policy.allow_test_edits=true (flag --allow-test-edits)",
            "pr.base=next (flag --base)",
            "pr.labels=ci (flag --label)",
            "pr.reviewers=ann (flag --reviewer)",
            "pr.draft=true (flag --draft)",
            "pr.auto_merge=true (flag --auto-merge)",
            "pr.reopen=true (flag --reopen)",
            "pr.check_run=true (flag --check-run)",
            "out.junit=j.xml (flag --junit-out)",
            "out.sarif=s.sarif (flag --sarif-out)",
        ]
    );
}

#[test]
fn a_flag_that_was_not_written_leaves_the_setting_alone() {
    let fix: FixArgs = parse(&[]).unwrap();
    let plan: PlanArgs = parse(&[]).unwrap();
    let apply: ApplyArgs = parse(&["--plan", "plan.json"]).unwrap();
    assert_eq!([fix.flags(), plan.flags(), apply.flags()], [const { Vec::new() }; 3]);
}

#[test]
fn a_replay_names_its_recording_as_the_provider() {
    let args: ReplayArgs = parse(&["session.json", "--run", "make"]).unwrap();
    let (provider, why) = resolved(&args.flags()).provider(std::path::Path::new("."));
    assert_eq!((provider.name().as_str(), why.as_str()), ("replay:session.json", "flag FILE"));
}

#[test]
fn flags_name_settings_that_exist() {
    #[derive(Parser)]
    struct Probe {
        #[command(flatten)]
        global: GlobalArgs,
    }
    let probe = Probe::parse_from(["probe", "--out=o", "--log-format=json"]);
    let fix: FixArgs = parse(&EVERY_FLAG).unwrap();
    for (key, _, flag) in [probe.global.flags(), fix.flags()].concat() {
        assert!(KEYS.iter().any(|known| known.name == key), "{flag} carries `{key}`");
    }
}

#[test]
fn contradictions_and_what_is_public_are_refused() {
    for words in [
        &["--goal=x", "--goal-file=y"][..],
        &["--api-key=sk-1"],
        &["--emit=email"],
        &["--protocol=4"],
        &["--max-tokens=-1"],
    ] {
        assert!(parse::<FixArgs>(words).is_err(), "{words:?}");
    }
    assert!(parse::<ApplyArgs>(&[]).is_err());
}

#[test]
fn the_names_of_providers_are_completed_and_any_text_is_parsed() {
    let command = Cli::visible_command();
    let fix = command.find_subcommand("fix").unwrap();
    let provider = fix.get_arguments().find(|it| it.get_id() == "provider").unwrap();
    let names: Vec<String> =
        provider.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect();
    assert!(names.iter().any(|it| it == "command") && names.iter().any(|it| it == "suggestions"));
    assert!(Cli::try_parse_from(["papayu-batch", "fix", "--provider", "replay:a"]).is_ok());
}
