//! Tests of the readers and of the comparison.

use super::*;
use papayu_base::domain::outcome::{ProofLevel, TestCounts};

fn read(output: &str) -> TestResults {
    let mut reader = ResultReader::default();
    // Chunks end anywhere.
    output.as_bytes().chunks(7).for_each(|chunk| reader.push(chunk));
    reader.finish()
}

/// The totals, and whether every test is known by name.
fn totals(output: &str) -> (u64, u64, u64, bool) {
    let results = read(output);
    let TestCounts { passed, failed, skipped } = results.totals.unwrap();
    (passed, failed, skipped, results.is_complete())
}

const CARGO: &str = "   Compiling a v0.1.0
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.3s
     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)

running 3 tests
test tests::one ... ok
test tests::two - should panic ... ok
test tests::slow ... ignored, takes long

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/a.rs (target/debug/deps/a-fedcba9876543210)

running 1 test
test tests::one ... FAILED

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

const NEXTEST: &str = "    Starting 3 tests across 1 binary
        PASS [   0.004s] (1/3) a tests::one
  TRY 1 FAIL [   0.004s] (2/3) a tests::two
  TRY 2 PASS [   0.004s] (2/3) a tests::two
     SIGABRT [   0.008s] (3/3) a tests::three
────────────
     Summary [   0.009s] 3 tests run: 2 passed (1 flaky), 1 failed, 1 skipped
     SIGABRT [   0.008s] (3/3) a tests::three
";

const PYTEST: &str = "F.s.x..E                                     [100%]
=========================== short test summary info ============================
FAILED test_a.py::test_bad - AssertionError: a - b
ERROR test_a.py::test_e - ValueError
PASSED test_a.py::test_ok
PASSED test_a.py::test_p[a - b]
PASSED test_a.py::T::test_m
SKIPPED [1] test_a.py:4: why
XFAIL test_a.py::test_x - later
1 failed, 3 passed, 1 skipped, 1 xfailed, 1 error in 0.04s
";

const PYTEST_VERBOSE: &str = "test_a.py::test_ok PASSED                   [ 50%]
test_a.py::test_bad FAILED                                                [100%]
FAILED test_a.py::test_bad - assert 1 == 2
========================= 1 failed, 1 passed in 0.12s =========================
";

const UNITTEST: &str = "test_f (test_a.T.test_f) ... FAIL
test_k (test_a.T.test_k) ... skipped 'no'
test_m (test_a.T.test_m)
Says something. ... ok
test_print (test_a.T.test_print) ... hello
ok

======================================================================
FAIL: test_f (test_a.T.test_f)
----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1, skipped=1)
";

const GO: &str = "=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/sub
    b_test.go:9: no
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/sub (0.00s)
FAIL
FAIL\texample.org/a\t0.003s
--- SKIP: TestC (0.00s)
ok  \texample.org/b\t(cached)
?   \texample.org/c\t[no test files]
";

const NODE: &str = "✔ top ok (1.003746ms)
✖ top bad (0.902467ms)
  AssertionError [ERR_ASSERTION]: 1 == 2

﹣ sk (0.113949ms) # SKIP
▶ suite
  ✔ in ok (0.14191ms)
✔ suite (1.278924ms)
ℹ tests 4
ℹ suites 1
ℹ pass 2
ℹ fail 1
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0
ℹ duration_ms 60.1

✖ failing tests:

test at a.test.mjs:2:27
✖ top bad (0.902467ms)
";

const NODE_TAP: &str = "TAP version 13
# Subtest: top bad
not ok 1 - top bad
  ---
  duration_ms: 0.876988
  ...
# Subtest: suite
    # Subtest: in ok
    ok 1 - in ok
    1..1
ok 2 - suite
1..2
# tests 2
# suites 1
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
";

const BATS: &str = "1..3
ok 1 adds
not ok 2 subtracts
# (in test file a.bats, line 3)
ok 3 divides # skip later
";

const MOCHA: &str = "
  calc
    ✔ adds
    ✔ waits (102ms)
    1) subtracts
    - divides

  2 passing (110ms)
  1 pending
  1 failing

  1) calc
       subtracts:
     AssertionError: 1 == 2
";

const JEST: &str = "FAIL ./calc.test.js
  calc
    ✓ adds (2 ms)
    ✕ subtracts (1 ms)
    ○ skipped divides

  ● calc › subtracts

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 skipped, 1 passed, 3 total
Snapshots:   0 total
Time:        0.5 s
";

const VITEST: &str = " ❯ calc.test.ts (3 tests | 1 failed) 4ms
   ✓ calc > adds 1ms
   × calc > subtracts 2ms
   ↓ calc > divides
 ✓ other.test.ts (1 test) 2ms
   ✓ works 1ms

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 2 passed | 1 skipped (4)
";

const AVA: &str = "
  ✔ adds
  ✘ [fail]: subtracts Error thrown in test
  ─

  subtracts

  1 test failed
  1 test passed
";

#[test]
fn each_runners_tests_are_read_by_name_and_agree_with_its_totals() {
    for (output, expected) in [
        (CARGO, (2, 1, 1, true)),
        (NEXTEST, (2, 1, 1, true)),
        (PYTEST, (3, 1, 2, true)),
        (PYTEST_VERBOSE, (1, 1, 0, true)),
        (UNITTEST, (2, 1, 1, true)),
        (GO, (1, 2, 1, true)),
        (NODE, (2, 1, 1, true)),
        (NODE_TAP, (1, 1, 0, true)),
        (BATS, (1, 1, 1, true)),
        (MOCHA, (2, 1, 1, true)),
        (JEST, (1, 1, 1, true)),
        (VITEST, (2, 1, 1, true)),
        (AVA, (1, 1, 0, true)),
    ] {
        assert_eq!(totals(output), expected, "{output}\n{:?}", read(output).tests);
    }
}

#[test]
fn runners_without_names_give_their_totals() {
    for (line, expected) in [
        ("Tests run: 5, Failures: 1, Errors: 1, Skipped: 1", (2, 2, 1)),
        ("[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", (4, 1, 0)),
        (
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms",
            (3, 1, 0),
        ),
        ("5 examples, 1 failure, 2 pending", (2, 1, 2)),
        ("5 runs, 7 assertions, 1 failures, 1 errors, 1 skips", (2, 2, 1)),
        ("OK (5 tests, 7 assertions)", (5, 0, 0)),
        ("Tests: 5, Assertions: 7, Errors: 1, Failures: 1, Skipped: 1.", (2, 2, 1)),
        ("67% tests passed, 1 tests failed out of 3", (2, 1, 0)),
        ("3 tests, 1 failure, 1 skipped", (1, 1, 1)),
        ("=== no tests ran in 0.01s ===", (0, 0, 0)),
        ("ok | 3 passed | 0 failed (5ms)", (3, 0, 0)),
        ("Ran 3 tests in 0.1s\n\nOK", (3, 0, 0)),
    ] {
        let (passed, failed, skipped, _) = totals(line);
        assert_eq!((passed, failed, skipped), expected, "{line}");
    }
    // A line for one class, and a package of go without `-v`.
    assert_eq!(
        read("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s").totals,
        None
    );
    assert!(!read("ok  \texample.org/a\t0.003s").is_complete());
}

#[test]
fn ordinary_text_is_no_test() {
    let text =
        "✓ built in 1.2s\n- a list\n  1) first\n1 error in a.c\ntest the door ... maybe\nok then\n";
    let results = read(text);
    assert_eq!(results.totals, None);
    assert!(!results.is_complete());
}

#[test]
fn a_fix_seen_test_by_test_has_the_strongest_proof() {
    for (red, change) in [
        (
            CARGO,
            &[
                ("tests::one ... FAILED", "tests::one ... ok"),
                ("FAILED. 0 passed; 1", "ok. 1 passed; 0"),
            ][..],
        ),
        (NODE, &[("✖ top bad", "✔ top bad"), ("pass 2", "pass 3"), ("fail 1", "fail 0")]),
        (
            MOCHA,
            &[
                ("1) subtracts\n    -", "✔ subtracts\n    -"),
                ("2 passing", "3 passing"),
                ("  1 failing\n", ""),
            ],
        ),
        (
            PYTEST_VERBOSE,
            &[
                ("bad FAILED", "bad PASSED"),
                ("FAILED test_a.py::test_bad - assert 1 == 2\n", ""),
                ("1 failed, 1 passed", "2 passed"),
            ],
        ),
        (
            AVA,
            &[
                ("✘ [fail]: subtracts Error thrown in test", "✔ subtracts"),
                ("1 test failed\n", ""),
                ("  1 test passed", "  2 tests passed"),
            ],
        ),
    ] {
        let green = change.iter().fold(red.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let compared = compare_results(Some(&read(red)), &read(&green));
        let expected = Comparison { level: ProofLevel::Tests, contradictions: Vec::new() };
        assert_eq!(compared, expected, "{green}");
    }
}

#[test]
fn tests_that_are_gone_skipped_or_still_fail_contradict_the_exit_code() {
    let red = "test_a.py::test_ok PASSED\ntest_a.py::test_bad FAILED\n1 failed, 1 passed in 0.1s\n";
    let compare = |green: &str| compare_results(Some(&read(red)), &read(green)).contradictions;
    for (green, reason) in [
        ("test_a.py::test_ok PASSED\n1 passed in 0.1s", "1 test ran, 2 before the change"),
        (
            "test_a.py::test_ok PASSED\ntest_a.py::test_bad SKIPPED\n1 passed, 1 skipped in 0.1s",
            "failed before and is not seen passing: `test_a.py::test_bad` (skipped now)",
        ),
        (
            "test_a.py::test_new PASSED\ntest_a.py::test_bad PASSED\n2 passed in 0.1s",
            "passed before and is not seen passing: `test_a.py::test_ok`",
        ),
        (
            "test_a.py::test_ok PASSED\ntest_a.py::test_bad XFAIL\n1 passed, 1 xfailed in 0.1s",
            "1 test ran, 2 before the change",
        ),
        ("no tests ran in 0.01s", "no test ran"),
        ("", "2 tests ran before, none is seen now"),
        ("2 failed in 0.1s", "2 tests failed although the exit code is 0"),
    ] {
        let found = compare(green);
        assert!(found.iter().any(|found| found == reason), "{green}: {found:?}");
    }
}

#[test]
fn an_error_before_the_tests_ran_needs_no_test_to_be_seen_again() {
    let green = "test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    for red in [
        "error[E0425]: cannot find value `x`",
        "ERROR test_a.py - ImportError\n1 error in 0.1s",
        "✖ a.test.mjs (50ms)\nℹ pass 0\nℹ fail 1\n",
    ] {
        let compared = compare_results(Some(&read(red)), &read(green));
        assert_eq!(compared.level, ProofLevel::Tests, "{red}");
        assert!(compared.contradictions.is_empty(), "{red}: {compared:?}");
    }
}

#[test]
fn totals_or_a_checkers_word_prove_less_than_names_and_silence_least() {
    for (red, green, level) in [
        ("Ran 2 tests in 0.1s\nFAILED (failures=1)", "Ran 2 tests in 0.1s\nOK", ProofLevel::Counts),
        (
            "Found 1 error in 1 file (checked 3 source files)",
            "Success: no issues found in 3 source files",
            ProofLevel::Counts,
        ),
        ("src/a.ts(1,1): error TS2304", "", ProofLevel::ExitCode),
    ] {
        let compared = compare_results(Some(&read(red)), &read(green));
        assert_eq!((compared.level, compared.contradictions.len()), (level, 0), "{green}");
    }
}

#[test]
fn durations_and_line_numbers_do_not_make_another_test() {
    let (one, other) = (
        read("test src/lib.rs - add (line 5) ... ok\n  ✔ waits (102ms)\n"),
        read("test src/lib.rs - add (line 9) ... ok\n  ✔ waits (99ms)\n"),
    );
    assert_eq!(one.tests, other.tests);
    assert_eq!(one.tests.len(), 2);
}

#[test]
fn ctest_dotnet_and_verbose_minitest_name_their_tests() {
    let ctest = "1/3 Test #1: good .............................   Passed    0.00 sec\n\
        2/3 Test #2: math.adds ........................***Failed    0.00 sec\n\
        3/3 Test #3: crashes ..........................Subprocess aborted***Exception:   0.00 sec\n\n\
        33% tests passed, 2 tests failed out of 3\n";
    let dotnet = "  Passed Calc.Tests.CalcTests.Adds [4 ms]\n  Failed Calc.Tests.CalcTests.Divides(a: 1, b: 0) [< 1 ms]\n\
        \x20 Skipped Calc.Tests.CalcTests.Later [1 ms]\n\n\
        Failed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 12 ms - Calc.Tests.dll (net8.0)\n";
    let minitest = "CalcTest#test_adds = 0.00 s = .\nCalcTest#test_divides = 0.01 s = E\n\
        2 runs, 1 assertions, 0 failures, 1 errors, 0 skips\n";
    for (text, names) in [
        (ctest, &["crashes", "good", "math.adds"][..]),
        (
            dotnet,
            &[
                "Calc.Tests.CalcTests.Adds",
                "Calc.Tests.CalcTests.Divides(a: 1, b: 0)",
                "Calc.Tests.CalcTests.Later",
            ],
        ),
        (minitest, &["CalcTest#test_adds", "CalcTest#test_divides"]),
    ] {
        let results = read(text);
        assert!(results.is_complete(), "{results:?}");
        assert_eq!(results.tests.keys().collect::<Vec<_>>(), names);
    }
    assert!(!read("5 runs, 2 assertions, 1 failures, 2 errors, 1 skips\n").is_complete());
}

#[test]
fn the_letters_of_pytest_count_where_it_prints_no_totals() {
    let red = "..F                                                                      [100%]\n\
        =========================== short test summary info ============================\n\
        FAILED test_a.py::test_c - assert 0\nPASSED test_a.py::test_a\nPASSED test_a.py::test_b\n";
    let green = red
        .replace("..F", "...")
        .replace("FAILED test_a.py::test_c - assert 0", "PASSED test_a.py::test_c");
    let read_red = read(red);
    assert_eq!(read_red.totals, Some(TestCounts { passed: 2, failed: 1, skipped: 0 }));
    let compared = compare_results(Some(&read_red), &read(&green));
    assert_eq!(compared, Comparison { level: ProofLevel::Tests, contradictions: Vec::new() });
    let folders = "tests/test_a.py .s [ 50%]\ntests/test_b.py xE [100%]\n";
    let found = read(folders);
    assert_eq!(found.totals, Some(TestCounts { passed: 1, failed: 0, skipped: 2 }));
    assert_eq!(found.load_errors, 1);
    let both = read(&format!("{folders}1 passed, 1 skipped, 1 xfailed, 1 error in 0.1s\n"));
    assert_eq!((both.totals, both.load_errors), (found.totals, 1));
}
