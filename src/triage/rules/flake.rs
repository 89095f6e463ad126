//! Rules for messages of failing tests whose failure may be chance.
//!
//! They apply to the first lines of a test's message only: the same words elsewhere in a log mean the network or the
//! machine.

use super::SignalRule;
use crate::domain::FailureClass;

const BASE: SignalRule = SignalRule::of(FailureClass::TestFlake);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "jest-timeout",
        cue: "Exceeded timeout of",
        pattern: r#"^(?:thrown: ")?Exceeded timeout of \d+ ms for a (?:test|hook)"#,
        source: "jestjs.io, jest-circus",
        sample: r#"thrown: "Exceeded timeout of 5000 ms for a test."#,
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "mocha-timeout",
        cue: "Timeout of ",
        pattern: r"^(?:Error: )?Timeout of \d+ms exceeded\. For async tests and hooks",
        source: "mochajs.org",
        sample: r#"Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves."#,
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "vitest-timeout",
        cue: " timed out in ",
        pattern: r"^(?:Error: )?(?:Test|Hook) timed out in \d+ms\.",
        source: "vitest.dev",
        sample: "Error: Test timed out in 5000ms.",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "node-test-timeout",
        cue: "test timed out after",
        pattern: r"^(?:\[?Error(?: \[ERR_TEST_FAILURE\])?: )?'?test timed out after \d+ms'?",
        source: "nodejs.org, node:test",
        sample: "test timed out after 200ms",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "pytest-timeout",
        cue: "Timeout",
        pattern: r"^(?:E +)?Failed: Timeout \(?>? ?\d+(?:\.\d+)?s\)?",
        source: "pytest-timeout",
        sample: "Failed: Timeout (>1.0s) from pytest-timeout.",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "playwright-timeout",
        cue: "Test timeout of",
        pattern: r"^(?:Error: )?Test timeout of \d+ms exceeded",
        source: "playwright.dev, timeouts",
        sample: "Test timeout of 30000ms exceeded.",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "junit-timeout",
        cue: "timed out after",
        pattern: r"^(?:java\.util\.concurrent\.TimeoutException|org\.junit\.runners\.model\.TestTimedOutException): .*timed out after \d+ (?:milli)?seconds",
        source: "JUnit",
        sample: "org.junit.runners.model.TestTimedOutException: test timed out after 5000 milliseconds",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "nextest-timeout",
        cue: "TIMEOUT [",
        pattern: r"^\s*TIMEOUT \[\s*\d",
        source: "nexte.st, slow tests",
        sample: "     TIMEOUT [  60.001s] app tests::slow",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "port-in-use-node",
        cue: "EADDRINUSE",
        pattern: r"^(?:Error: |\[?Error\]?: )?listen EADDRINUSE: address already in use",
        source: "nodejs.org, common system errors",
        sample: "Error: listen EADDRINUSE: address already in use :::3000",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
    SignalRule {
        name: "port-in-use",
        cue: "ddress already in use",
        pattern: r#"^(?:E +)?(?:OSError: \[Errno 98\] Address already in use|.*Os \{ code: 98, kind: AddrInUse, message: "Address already in use" \}.*|java\.net\.BindException: Address already in use.*|.*listen tcp \S+: bind: address already in use.*|Errno::EADDRINUSE: Address already in use.*)"#,
        source: "errno(3) EADDRINUSE",
        sample: "OSError: [Errno 98] Address already in use",
        next: "look at the test: it depends on time, order or a shared resource",
        ..BASE
    },
];
