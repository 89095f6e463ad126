//! Real logs against their reports, and hostile bytes against the reader's bounds.

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use proptest::strategy::Strategy;

use super::draft::{MAX_LOCATIONS, MAX_MESSAGE_CHARS};
use super::findings::{MAX_FAILURES, MAX_MENTIONS};
use super::*;
use crate::domain::{FailureKind, FailureReport};

fn read(log: &[u8]) -> FailureReport {
    let mut reader = LogReader::new(Limits::default());
    reader.push(log);
    reader.finish()
}

macro_rules! logs {
    ($($name:ident)*) => {
        const LOGS: &[(&str, &[u8])] = &[$((
            stringify!($name),
            include_bytes!(concat!("../../tests/logs/", stringify!($name), ".log")),
        )),*];
    };
}

logs! {
    c_clang c_clang_cpp c_gcc c_gcc_cpp c_link generic_gitlab go_compile go_fmt go_test go_test_verbose_panic
    lint_biome_v1 lint_biome_v2 lint_eslint_compact lint_eslint_stylish lint_eslint_stylish_github
    lint_eslint_unix lint_prettier_v2 lint_prettier_v3 lint_ruff_concise lint_ruff_format lint_ruff_full
    lint_ruff_github lint_ruff_old node_crash node_jest node_mocha node_test_spec node_test_tap node_vitest
    python_mypy python_mypy_old python_mypy_pretty python_pytest python_pytest_long python_pytest_short
    python_syntax python_traceback python_unittest rust_clippy rust_compile_github rust_fmt rust_json
    rust_nextest rust_panic rust_test typescript_plain typescript_pretty
}

#[test]
fn every_log_gives_the_report_beside_it() {
    insta::with_settings!({ snapshot_path => "../../tests/logs", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (name, log) in LOGS {
            insta::assert_json_snapshot!(*name, read(log));
        }
    });
}

#[test]
fn every_log_file_is_read_by_a_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/logs");
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
    let mut reader = LogReader::new(Limits::default());
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
fn a_progress_line_longer_than_any_buffer_keeps_its_last_words() {
    let mut log = b"10% of it\r".repeat(100_000);
    log.extend_from_slice(b"all of it\n");
    assert!(read(&log).excerpt.ends_with("all of it"));
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

fn assert_bounded(report: &FailureReport) {
    assert!(report.failures.len() <= MAX_FAILURES && report.mentions.len() <= MAX_MENTIONS);
    for failure in &report.failures {
        assert!(failure.locations.len() <= MAX_LOCATIONS + 1);
        assert!(failure.message.chars().count() <= MAX_MESSAGE_CHARS);
    }
    assert!(report.excerpt.chars().count() <= Limits::default().excerpt_chars);
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
        let mut reader = LogReader::new(Limits::default());
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
