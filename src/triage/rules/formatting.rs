//! Formatters that were only to check.

use super::SignalRule;
use crate::domain::FailureClass;

const BASE: SignalRule = SignalRule::of(FailureClass::Formatting);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "black-summary",
        cue: "would be reformatted",
        pattern: r"^\d+ files? would be reformatted\b",
        source: "black and ruff format",
        sample: "1 file would be reformatted.",
        next: "run the formatter",
        ..BASE
    },
    SignalRule {
        name: "prettier-summary",
        cue: "Code style issues found in",
        pattern: r"^(?:\[warn\] |\[error\] )?Code style issues (?:found in|were found)",
        source: "prettier.io, CLI",
        sample: "[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
        next: "run the formatter",
        ..BASE
    },
    SignalRule {
        name: "cargo-fmt",
        cue: "Diff in ",
        pattern: r"^Diff in \S.*(?::\d+:| at line \d+:)$",
        source: "rustfmt --check",
        sample: "Diff in /work/src/main.rs:1:",
        next: "run the formatter",
        ..BASE
    },
    SignalRule {
        name: "terraform-fmt",
        cue: "Terraform exited with code 3",
        pattern: r"^Error: Terraform exited with code 3\.$",
        source: "hashicorp/setup-terraform, fmt -check",
        sample: "Error: Terraform exited with code 3.",
        next: "run the formatter",
        ..BASE
    },
    SignalRule {
        name: "spotless",
        cue: "have format violations",
        pattern: r"The following files had format violations:|Run \'\S*gradlew? ?:?\S*spotlessApply\' to fix",
        source: "Spotless",
        sample: "Run './gradlew spotlessApply' to fix all violations: files have format violations",
        next: "run the formatter",
        ..BASE
    },
    SignalRule {
        name: "clang-format",
        cue: "code should be clang-formatted",
        pattern: "(?:error|warning): code should be clang-formatted",
        source: "clang.llvm.org, clang-format --dry-run",
        sample: "a.c:1:10: error: code should be clang-formatted [-Wclang-format-violations]",
        next: "run the formatter",
        ..BASE
    },
];
