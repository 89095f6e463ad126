//! Hostile lines against the ear's bounds, and what a judge makes of pieces of evidence that disagree.

mod red_builds;

use super::signals::Signals;
use super::*;
use papayu_base::domain::{Failure, FailureClass, FailureKind, FailureReport};

fn signals(lines: &[&str]) -> Signals {
    let mut collector = SignalCollector::default();
    for line in lines {
        collector.push_line(line, false);
    }
    collector.finish()
}

fn report(failures: &[(FailureKind, Option<&str>, &str)]) -> FailureReport {
    let failures = failures.iter().map(|(kind, test, message)| Failure {
        kind: *kind,
        toolchain: "node".into(),
        test: test.map(str::to_owned),
        code: None,
        message: (*message).to_owned(),
        locations: vec![],
        ..Failure::default()
    });
    FailureReport { failures: failures.collect(), ..FailureReport::default() }
}

fn class(lines: &[&str], failures: &[(FailureKind, Option<&str>, &str)]) -> FailureClass {
    classify(&signals(lines), &report(failures), CommandEnd::Unknown).class
}

const NETWORK: &str = "npm error code ETIMEDOUT";
const DISK: &str = "cp: error writing 'x': No space left on device";

#[test]
fn memory_does_not_grow_with_the_log() {
    let mut collector = SignalCollector::default();
    for _ in 0..100_000 {
        collector.push_line(NETWORK, false);
    }
    collector.push_line(&format!("npm error code ETIMEDOUT{}", "x".repeat(1_000_000)), false);
    collector.push_line(&"\0\u{fffd}[".repeat(100_000), false);
    let signals = collector.finish();
    assert!(signals.hits.len() <= 64, "{}", signals.hits.len());
}

#[test]
fn a_failed_test_is_the_codes_whatever_else_the_log_says() {
    let test = (FailureKind::Test, Some("a"), "expected 1");
    assert_eq!(class(&[NETWORK, DISK], &[test]), FailureClass::Code);
    let shown = (FailureKind::Test, Some("a"), "npm error code ETIMEDOUT");
    assert_eq!(class(&[], &[shown]), FailureClass::Code);
}

#[test]
fn beside_a_compilers_error_only_a_decisive_line_counts() {
    let compile = (FailureKind::Compile, None, "cannot find value `x`");
    assert_eq!(class(&[NETWORK], &[compile]), FailureClass::Code);
    assert_eq!(class(&[DISK], &[compile]), FailureClass::Infrastructure);
}

#[test]
fn a_vague_error_leaves_the_word_to_the_lines_and_no_line_leaves_it_unknown() {
    let vague = (FailureKind::Unknown, None, "something");
    assert_eq!(class(&[NETWORK], &[vague]), FailureClass::Infrastructure);
    assert_eq!(class(&["ETIMEDOUT"], &[vague]), FailureClass::Unknown);
    assert_eq!(class(&[], &[]), FailureClass::Unknown);
}

#[test]
fn tests_that_failed_in_a_runner_nobody_knows_are_the_codes() {
    assert_eq!(class(&[NETWORK, "3 tests failed"], &[]), FailureClass::Code);
    assert_eq!(class(&["Failures: 2", NETWORK], &[]), FailureClass::Code);
    assert_eq!(class(&["0 failed, 3 passed", NETWORK], &[]), FailureClass::Infrastructure);
}

#[test]
fn what_went_well_at_last_and_what_lies_far_above_the_end_do_not_count() {
    assert_eq!(class(&[NETWORK, "added 12 packages in 3s"], &[]), FailureClass::Unknown);
    let mut long = vec![NETWORK];
    long.extend(["a step"; 1_000]);
    assert_eq!(class(&long, &[]), FailureClass::Unknown);
    let mut cleaned = vec![NETWORK, "##[error]Process completed with exit code 1."];
    cleaned.extend(["cleaning up"; 1_000]);
    assert_eq!(class(&cleaned, &[]), FailureClass::Infrastructure);
}

#[test]
fn a_kill_without_a_word_is_one_of_memory_and_only_without_a_failure() {
    let none = report(&[]);
    for (ending, expected) in [
        (CommandEnd::Signal(9), FailureClass::Infrastructure),
        (CommandEnd::Code(137), FailureClass::Infrastructure),
        (CommandEnd::Signal(6), FailureClass::Unknown),
        (CommandEnd::Code(1), FailureClass::Unknown),
    ] {
        assert_eq!(classify(&Signals::default(), &none, ending).class, expected, "{ending:?}");
    }
    let test = report(&[(FailureKind::Test, Some("a"), "expected 1")]);
    assert_eq!(
        classify(&Signals::default(), &test, CommandEnd::Code(137)).class,
        FailureClass::Code
    );
}

#[test]
fn a_flake_is_suspected_only_where_few_tests_show_it_and_others_pass() {
    let slow = |name| (FailureKind::Test, Some(name), "Test timed out in 5000ms.");
    let fine = &["12 passed"][..];
    assert_eq!(class(fine, &[slow("a")]), FailureClass::TestFlake);
    assert_eq!(class(&[], &[slow("a")]), FailureClass::Code);
    assert_eq!(class(fine, &[slow("a"), slow("b"), slow("c")]), FailureClass::Code);
    let other = (FailureKind::Test, Some("b"), "expected 1, got 2");
    assert_eq!(class(fine, &[slow("a"), other]), FailureClass::Code);
    let compile = (FailureKind::Compile, None, "no such name");
    assert_eq!(class(fine, &[slow("a"), compile]), FailureClass::Code);
}

#[test]
fn a_failed_step_of_a_build_tool_is_no_failed_test() {
    for line in ["BUILD FAILED", "> Task :app:compile FAILED", "INSTALLATION FAILED"] {
        assert_eq!(class(&[line], &[]), FailureClass::Unknown, "{line}");
    }
    let artifact = "   > Could not find org.x:y:99.";
    assert_eq!(class(&["BUILD FAILED", artifact], &[]), FailureClass::Dependency);
}

#[test]
fn a_goal_of_maven_names_the_cause_where_no_parser_found_one() {
    let goal = |plugin: &str, text: &str| {
        format!(
            "[ERROR] Failed to execute goal org.x:{plugin}:1:check (default) on project app: {text} -> [Help 1]"
        )
    };
    for (plugin, text, cause) in [
        ("maven-checkstyle-plugin", "You have 5 Checkstyle violations.", FailureClass::Code),
        ("maven-enforcer-plugin", "Some Enforcer rules have failed.", FailureClass::Dependency),
        ("maven-hpi-plugin", "Dependency a:b requires Jenkins 2.361", FailureClass::Dependency),
        ("exec-maven-plugin", "Command execution failed.", FailureClass::Unknown),
    ] {
        assert_eq!(class(&[&goal(plugin, text)], &[]), cause, "{plugin}");
    }
    let transfer = |host: &str| {
        format!(
            "[ERROR] Failed to execute goal on project a: Could not transfer artifact x:y:jar:1-SNAPSHOT from/to r (https://{host}/repo): {host}: Unknown host {host}"
        )
    };
    let cause = class(&[&transfer("gone.example")], &[]);
    assert_eq!(cause, FailureClass::Dependency);
    let cause = class(&[&transfer("repo.maven.apache.org")], &[]);
    assert_eq!(cause, FailureClass::Infrastructure);
}

#[test]
fn a_submodule_that_needs_a_key_is_a_setting_of_the_repository() {
    let denied = "git@github.com: Permission denied (publickey).";
    let clone =
        "fatal: clone of 'git@github.com:acme/lib.git' into submodule path '/src/lib' failed";
    assert_eq!(class(&[denied], &[]), FailureClass::Environment);
    assert_eq!(class(&[denied, clone], &[]), FailureClass::Code);
}
