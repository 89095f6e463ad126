//! Real logs against their reports, and hostile bytes against the reader's bounds.

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use proptest::strategy::Strategy;

use super::draft::{MAX_LOCATIONS, MAX_MESSAGE_CHARS, MAX_QUOTED_CHARS};
use super::expected_actual::MAX_VALUE_CHARS;
use super::findings::{MAX_FAILURES, MAX_MENTIONS};
use super::*;
use papayu_base::domain::{FailureKind, FailureReport};

fn read(log: &[u8]) -> FailureReport {
    let mut reader = LogReader::new(ReportLimits::default());
    reader.push(log);
    reader.finish()
}

macro_rules! logs {
    ($($name:ident)*) => {
        const LOGS: &[(&str, &[u8])] = &[$((
            stringify!($name),
            include_bytes!(concat!("../../../../tests/logs/", stringify!($name), ".log")),
        )),*];
    };
}

logs! {
    c_clang c_clang_cpp c_cmake c_ctest c_gcc c_gcc_cpp c_link dotnet_build dotnet_test generic_compose generic_gitlab
    generic_two_jobs go_build go_compile go_fmt go_json go_panic go_panic_old go_race go_test
    go_test_verbose_panic go_vet go_vet_old java_gradle java_javac java_junit_console java_surefire
    lint_biome_v1 lint_biome_v2 lint_eslint_compact lint_eslint_max_warnings lint_eslint_stylish
    lint_eslint_stylish_github lint_eslint_unix lint_prettier_v2 lint_prettier_v3 lint_ruff_concise
    lint_ruff_format lint_ruff_full lint_ruff_github lint_ruff_old node_ava_v4 node_ava_v6_github
    node_crash node_esm_v20 node_jest node_jest_v27 node_jest_v30 node_mocha node_mocha_v10 node_mocha_v11_github
    node_mocha_v8 node_test_spec node_test_tap node_test_v20_tap node_test_v22_github node_vitest
    node_vitest_v1 node_vitest_v3_github php_phpunit php_syntax python_mypy python_mypy_old
    python_mypy_pretty python_pytest python_pytest_long python_pytest_short python_pytest_v6
    python_pytest_v7 python_syntax python_traceback python_unittest report_biome_v1 report_biome_v2 report_eslint
    report_jest report_junit_node report_junit_phpunit report_junit_vitest report_mocha report_ruff
    report_sarif report_vitest ruby_minitest ruby_minitest_github ruby_rspec ruby_rspec_github
    ruby_rspec_load ruby_syntax rust_clippy rust_compile_github rust_fmt rust_json rust_nextest
    rust_panic rust_test swift_build swift_test typescript_plain typescript_pretty typescript_v4_pretty
}

#[test]
fn every_log_gives_the_report_beside_it() {
    insta::with_settings!({ snapshot_path => "../../../../tests/logs", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (name, log) in LOGS {
            insta::assert_json_snapshot!(*name, read(log));
        }
    });
}

#[test]
fn every_log_file_is_read_by_a_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/logs");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".log").map(str::to_owned))
        .collect();
    files.sort();
    let named: Vec<&str> = LOGS.iter().map(|(name, _)| *name).collect();
    assert_eq!(files, named);
}

#[test]
fn a_line_without_an_end_is_read_in_bounded_memory() {
    let mut reader = LogReader::new(ReportLimits::default());
    let chunk = vec![b'x'; 64 * 1024];
    for _ in 0..1_600 {
        reader.push(&chunk);
    }
    reader.push(b"\nerror[E0425]: cannot find value\n --> src/a.rs:1:2\n");
    let report = reader.finish();
    assert_eq!(report.failures.len(), 1);
    assert_eq!(report.log_bytes, 1_600 * 64 * 1024 + 51);
    assert!(report.excerpt.chars().count() <= 12_000);
}

#[test]
fn the_warnings_of_javac_are_failures_only_if_they_end_the_build() {
    let warning = "./App.java:5: warning: [deprecation] pad(String,int) in Text has been deprecated\n        return Text.pad(s, 5);\n                   ^\n";
    let end = "error: warnings found and -Werror specified\n1 error\n1 warning\n";
    let report = read(format!("{warning}{end}").as_bytes());
    let first = &report.failures[0];
    assert_eq!((first.kind, first.code.as_deref()), (FailureKind::Lint, Some("deprecation")));
    assert_eq!(first.locations[0].line, Some(5));
    assert!(first.message.starts_with("pad(String,int)"), "{}", first.message);
    assert!(read(format!("{warning}1 warning\n").as_bytes()).failures.is_empty());
}

#[test]
fn a_progress_line_longer_than_any_buffer_keeps_its_last_words() {
    let mut log = b"10% of it\r".repeat(100_000);
    log.extend_from_slice(b"all of it\n");
    assert!(read(&log).excerpt.ends_with("all of it"));
}

#[test]
fn lines_that_end_in_a_carriage_return_alone_are_read_one_by_one() {
    let log =
        "   Compiling a\rerror[E0425]: cannot find value `x`\r  --> src/a.rs:1:2\r   |\r\rdone\r";
    let report = read(log.as_bytes());
    assert_eq!(report.failures.len(), 1);
    assert_eq!(report.failures[0].locations[0].path, "src/a.rs");
    assert_eq!(read(b"10% of it\r20% of it\r30% of it\n").excerpt, "30% of it");
}

#[test]
fn a_failure_in_the_middle_of_a_long_log_is_found_and_shown() {
    let mut log = b"   Compiling some-crate v1.0.0\nok so far\n".repeat(50_000);
    log.extend_from_slice(b"error[E0425]: cannot find value `x`\n  --> src/a.rs:1:2\n   |\n\n");
    log.extend(b"another thing happened\nand another\n".repeat(50_000));
    let report = read(&log);
    assert_eq!(report.failures.len(), 1);
    assert!(report.excerpt.contains("cannot find value `x`\n  --> src/a.rs:1:2"));
    assert!(report.excerpt.ends_with("and another"));
}

#[test]
fn floods_stay_within_the_caps() {
    let one = |n: usize| {
        let spans: Vec<_> = (0..80).map(|line| format!("  --> src/f{n}.rs:{line}:1")).collect();
        let spans = spans.join("\n");
        format!("error[E0001]: {} {n}\n{spans}\n\nsee lib/x{n}.c:{n}\n", "long ".repeat(800))
    };
    let log: String = (0..3_000).map(one).collect();
    let report = read(log.as_bytes());
    assert_eq!((report.failures.len(), report.mentions.len()), (MAX_FAILURES, MAX_MENTIONS));
    assert_bounded(&report);
}

#[test]
fn warnings_are_no_failures_and_their_spans_no_locations() {
    let log = "warning: unused import: `a`\n  --> src/w.rs:1:2\n   |\n1  | use a;\n   |     ^\n\nsrc/c.c:1:2: warning: x\n";
    let report = read(log.as_bytes());
    assert_eq!((report.failures, report.mentions), (vec![], vec![]));
}

#[test]
fn compile_errors_come_before_the_tests_that_follow_from_them() {
    let log = "--- FAIL: TestX (0.00s)\nerror[E0425]: no\n --> a.rs:1:1\n\n";
    let kinds: Vec<_> = read(log.as_bytes()).failures.iter().map(|failure| failure.kind).collect();
    assert_eq!(kinds, [FailureKind::Compile, FailureKind::Test]);
}

#[test]
fn json_messages_are_read_and_never_shown_as_json() {
    let log = [
        r#"{"reason":"compiler-artifact","target":{"name":"x"}}"#,
        r#"{"reason":"compiler-message","message":{"message":"cut off in the mid"#,
        &format!(r#"{{"reason":"{}"#, "[".repeat(10_000)),
        r#"{"$message_type":"diagnostic","message":"bad","code":null,"level":"error","spans":[{"file_name":"src/a.rs","line_start":1,"column_start":2,"is_primary":true}],"children":[],"rendered":"error: bad\n --> src/a.rs:1:2\n"}"#,
        "{ not json",
    ]
    .join("\n");
    let report = read(log.as_bytes());
    assert_eq!(report.excerpt, "error: bad\n --> src/a.rs:1:2\n{ not json");
    assert_eq!(report.failures.len(), 1);
}

#[test]
fn a_lone_bracket_in_a_log_is_no_report_and_hides_nothing() {
    for start in ["{", "[", "<testsuites>", "<?xml version=\"1.0\"?>"] {
        let log = format!("{start}\nerror[E0425]: no\n --> a.rs:1:1\n\nsrc/a.c:1:2: error: bad\n");
        let report = read(log.as_bytes());
        assert_eq!(report.failures.len(), 2, "{start}");
        assert!(report.excerpt.starts_with(start), "{}", report.excerpt);
    }
}

#[test]
fn a_report_that_was_cut_off_is_read_as_text_or_as_far_as_it_goes() {
    let json = "[\n  {\n    \"filename\": \"a.py\",\nsrc/a.c:1:2: error: bad\n";
    assert_eq!(read(json.as_bytes()).failures.len(), 1);
    let xml = "<testsuites>\n<testsuite>\n<testcase name=\"t\"><failure message=\"no\"/></testcase>\n<testcase na";
    let failures = read(xml.as_bytes()).failures;
    assert_eq!(failures[0].test.as_deref(), Some("t"));
}

#[test]
fn a_report_on_one_line_is_read_past_what_text_may_be_long() {
    let message = r#"{"ruleId":"r","severity":2,"message":"m","line":1,"column":2}"#;
    let quiet =
        format!(r#"{{"filePath":"/q.js","messages":[],"source":"{}"}}"#, "x".repeat(1_000_000));
    let log = format!("2026-01-01T00:00:00.0000000Z [{quiet},{quiet}]\n");
    assert_eq!(read(log.as_bytes()).failures, []);
    let loud = format!(r#"[{quiet},{{"filePath":"/a.js","messages":[{message}]}}]"#);
    assert_eq!(read(loud.as_bytes()).failures[0].code.as_deref(), Some("r"));
}

#[test]
fn nested_and_endless_reports_stay_bounded() {
    let deep = format!("{{\n  \"a\": {}\n}}\n", "[".repeat(200_000));
    assert_eq!(read(deep.as_bytes()).failures, []);
    let mut endless = b"<testsuites>\n".to_vec();
    endless.extend(b"<testsuite><a b='c'>\n".repeat(1_000_000));
    endless.extend(b"src/a.c:1:2: error: bad\n");
    assert_eq!(read(&endless).failures.len(), 1);
}

#[test]
fn hostile_lines_are_read_in_linear_time() {
    // Were one of them read in quadratic time, this would not end.
    let nasty = [
        format!("  1:1  error  {}", "  a".repeat(80_000)),
        format!("src/a.c:1:2: error: {}", " [-W".repeat(60_000)),
        format!("PHP Parse error: {} on line x", " in ".repeat(60_000)),
        format!("{}.js: line 1, col 2, Error - {}", "a:".repeat(60_000), "(".repeat(60_000)),
        format!("::error file=a,{}::", "line=1,".repeat(30_000)),
        format!("at {}(", "a.b(".repeat(60_000)),
        format!("CalcTest > {} FAILED", " > ".repeat(60_000)),
        format!("{}━━━━", "src/a.js lint/".repeat(20_000)),
        format!("Diff in {}", " at line 1".repeat(20_000)),
        "\0".repeat(200_000),
    ];
    for line in &nasty {
        assert_bounded(&read(format!("src/a.js\n{line}\n{line}\n").as_bytes()));
    }
}

fn assert_bounded(report: &FailureReport) {
    assert!(report.failures.len() <= MAX_FAILURES && report.mentions.len() <= MAX_MENTIONS);
    for failure in &report.failures {
        assert!(failure.locations.len() <= MAX_LOCATIONS + 1);
        assert!(failure.message.chars().count() <= MAX_MESSAGE_CHARS);
        assert!(failure.quoted.chars().count() <= MAX_QUOTED_CHARS);
        let values = [&failure.expected, &failure.actual].into_iter().flatten();
        values.for_each(|value| assert!(value.chars().count() <= MAX_VALUE_CHARS));
    }
    assert!(report.excerpt.chars().count() <= ReportLimits::default().excerpt_chars);
}

/// Lines of real logs, shuffled, with noise between them.
fn shuffled() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<&'static [u8]> =
        LOGS.iter().flat_map(|(_, log)| log.split_inclusive(|b| *b == b'\n')).collect();
    let line = prop::sample::select(lines).prop_map(<[u8]>::to_vec);
    let noise = prop::collection::vec(any::<u8>(), 0..40);
    prop::collection::vec(proptest::prop_oneof![4 => line, 1 => noise], 0..120)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_in_any_chunks_give_one_bounded_report(log in shuffled(), cuts in prop::collection::vec(1_usize..300, 1..20)) {
        let whole = read(&log);
        assert_bounded(&whole);
        let mut reader = LogReader::new(ReportLimits::default());
        let mut rest = log.as_slice();
        for size in cuts.iter().cycle() {
            let (chunk, later) = rest.split_at((*size).min(rest.len()));
            reader.push(chunk);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        assert_eq!(reader.finish(), whole);
    }
}

#[test]
fn two_jobs_line_by_line_are_read_as_if_each_stood_alone() {
    let named = |log: &[u8]| {
        let failures = read(log).failures.into_iter();
        let mut named: Vec<_> = failures.map(|failure| (failure.test, failure.message)).collect();
        named.sort();
        named
    };
    let log = |name: &str| LOGS.iter().find(|(known, _)| *known == name).unwrap().1;
    let alone = [log("python_pytest_v7"), log("node_mocha_v10")].map(named);
    let mut together = alone.concat();
    together.sort();
    assert_eq!(named(log("generic_two_jobs")), together);
}

#[test]
fn cut_colours_and_reports_and_floods_stay_bounded() {
    for (_, log) in LOGS {
        for end in [log.len() / 3, log.len() / 2, log.len().saturating_sub(7)] {
            assert_bounded(&read(log.split_at(end).0));
        }
    }
    let flood = b"\x1b[31merror: it broke\x1b[0\nFAIL x\n\x1b[3".repeat(60_000);
    assert_bounded(&read(&flood));
}

/// Returns 50 suites of ten passing tests each, a line by `test` for each.
fn passing_suites(test: impl Fn(u32) -> String) -> String {
    let suite = |suite: u32| {
        let tests = (0..10).map(|n| test(suite * 10 + n)).collect::<Vec<_>>().concat();
        format!("  suite {suite}\n{tests}")
    };
    (0..50).map(suite).collect::<Vec<_>>().concat()
}

#[test]
fn of_500_passing_tests_nothing_is_shown_and_of_the_failure_everything() {
    let mocha = "\n> mocha\n\n\n".to_owned()
        + &passing_suites(|n| format!("    ✔ works {n} (1ms)\n"))
        + "  Cart\n    1) adds\n\n\n  500 passing (2s)\n  1 failing\n\n  1) Cart\n       adds:\n\n      \
           AssertionError [ERR_ASSERTION]: 3 == 4\n      + expected - actual\n\n      -3\n      +4\n\n      \
           at Context.<anonymous> (test/cart.js:7:12)\n\n\n";
    let unittest = (0..500)
        .map(|n| format!("test_{n} (tests.test_a.A.test_{n}) ... ok\n"))
        .collect::<Vec<_>>()
        .concat()
        + "test_adds (tests.test_a.A.test_adds) ... FAIL\n\n"
        + &"=".repeat(70)
        + "\nFAIL: test_adds (tests.test_a.A.test_adds)\n"
        + &"-".repeat(70)
        + "\nTraceback (most recent call last):\n  File \"/r/tests/test_a.py\", line 5, in test_adds\n    \
           self.assertEqual(add(1, 2), 4)\nAssertionError: 3 != 4\n\n"
        + &"-".repeat(70)
        + "\nRan 501 tests in 0.1s\n\nFAILED (failures=1)\n";
    let details = "  AssertionError [ERR_ASSERTION]: 3 == 4\n      \
                   at TestContext.<anonymous> (file:///r/test/cart.test.js:7:10)\n";
    let node = passing_suites(|n| format!("    ✔ works {n} (0.1ms)\n"))
        + &format!(
            "✖ adds (1.1ms)\n{details}ℹ tests 501\nℹ pass 500\nℹ fail 1\n\n✖ failing tests:\n\n"
        )
        + &format!("test at test/cart.test.js:6:1\n✖ adds (1.1ms)\n{details}");
    for (log, message) in [(mocha, "3 == 4"), (unittest, "3 != 4"), (node, "3 == 4")] {
        let report = read(log.as_bytes());
        assert_eq!(report.failures.len(), 1, "{:?}", report.failures);
        assert!(report.failures[0].message.contains(message), "{:?}", report.failures);
        let excerpt = &report.excerpt;
        assert!(!excerpt.contains("works") && !excerpt.contains("suite "), "{excerpt}");
        assert!(!excerpt.contains("... ok") && excerpt.lines().count() < 32, "{excerpt}");
        assert!(excerpt.matches(message).count() <= 2, "{excerpt}");
        assert_eq!(excerpt.lines().last(), log.trim_end().lines().last(), "{excerpt}");
        assert!(excerpt.contains("lines about passing tests"), "{excerpt}");
        assert!(list_failures(&report).contains(message));
    }
}

#[test]
fn the_expected_and_the_actual_value_of_testify_are_part_of_the_failure() {
    let log = "=== RUN   TestTotal\n    total_test.go:9: \n        \tError Trace:\t/r/total_test.go:9\n        \tError:      \t\
               Not equal: \n        \t            \texpected: 42\n        \t            \tactual  : 41\n        \tTest:       \t\
               TestTotal\n--- FAIL: TestTotal (0.00s)\nFAIL\nFAIL\tshop\t0.1s\n";
    let report = read(log.as_bytes());
    let failure = &report.failures[0];
    let values = (failure.expected.as_deref(), failure.actual.as_deref());
    assert_eq!(values, (Some("42"), Some("41")), "{failure:?}");
    let listed = list_failures(&report);
    assert!(listed.contains("42") && listed.contains("41"), "{listed}");
    assert!(report.excerpt.contains("expected: 42") && report.excerpt.contains("actual  : 41"));
}
