//! How long patches take to land, in process: `cargo bench --bench patch`.
//!
//! `scenario` lands every folder of `tests/patches` once. `large` lands 50 hunks on a file of 100,000
//! lines. `drift` is the guard against quadratic search: a hunk, one line of which is misquoted, that fits
//! at as many places as are looked at; its time may grow with lines of the file times lines of the
//! hunk, and no faster.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a benchmark reads its input")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use divan::Bencher;
use papayu_patch::apply_patch;

fn main() {
    divan::main();
}

/// Returns the text and the patch of every scenario.
fn scenarios() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/patches");
    let mut found = Vec::new();
    for rung in fs::read_dir(root).expect("the scenarios").flatten() {
        for case in fs::read_dir(rung.path()).expect("a rung").flatten() {
            let read = |name: &str| fs::read_to_string(case.path().join(name)).expect("a file");
            found.push((read("before"), read("patch")));
        }
    }
    found
}

#[divan::bench]
fn scenario(bencher: Bencher<'_, '_>) {
    let scenarios = scenarios();
    bencher.counter(scenarios.len()).bench(|| {
        for (before, patch) in &scenarios {
            let _ = divan::black_box(apply_patch(before, patch, "src/file.py"));
        }
    });
}

/// What is wrong with the hunks.
const DAMAGES: [&str; 4] = ["exact", "offset", "unnumbered", "misquoted"];

const LARGE_LINES: usize = 100_000;
const LARGE_HUNKS: usize = 50;

/// A file of functions that differ in few words, and hunks over all of it.
fn large(damage: &str) -> (String, String) {
    let line = |index: usize| match index % 8 {
        0 => format!("def step_{index}(state, order):"),
        1 => "    if state is None:".to_owned(),
        2 => "        return None".to_owned(),
        3 => format!("    value = state.get('order', {index})"),
        4 => "    for item in value:".to_owned(),
        5 => format!("        item.price += {index}"),
        6 => "    return value".to_owned(),
        _ => String::new(),
    };
    let lines: Vec<String> = (0..LARGE_LINES).map(line).collect();
    let mut patch = "--- a/steps.py\n+++ b/steps.py\n".to_owned();
    for hunk in 0..LARGE_HUNKS {
        let at = 104 + hunk * (LARGE_LINES / LARGE_HUNKS - 8);
        let stated = if damage == "offset" { at + 1 + hunk * 7 } else { at + 1 };
        let header = match damage {
            "unnumbered" => "@@ ... @@\n".to_owned(),
            _ => format!("@@ -{stated},7 +{stated},7 @@\n"),
        };
        patch.push_str(&header);
        for (offset, line) in lines.iter().enumerate().skip(at).take(7) {
            let mark = if offset == at + 3 { '-' } else { ' ' };
            let misquoted = damage == "misquoted" && offset == at + 1;
            let line = if misquoted { line.replace("state", "stat") } else { line.clone() };
            let _ = writeln!(patch, "{mark}{line}");
            if mark == '-' {
                let _ = writeln!(patch, "+    value = {hunk}");
            }
        }
    }
    (lines.join("\n") + "\n", patch)
}

#[divan::bench(args = DAMAGES, sample_count = 20)]
fn large_file(bencher: Bencher<'_, '_>, damage: &str) {
    let (before, patch) = large(damage);
    assert!(apply_patch(&before, &patch, "steps.py").is_ok(), "{damage} does not land");
    bencher.bench(|| divan::black_box(apply_patch(&before, &patch, "steps.py")));
}

/// Lines of the file, lines of the hunk.
const SIZES: [(usize, usize); 6] =
    [(10_000, 100), (20_000, 100), (40_000, 100), (80_000, 100), (40_000, 200), (40_000, 400)];

#[divan::bench(args = SIZES, sample_count = 5)]
fn drift(bencher: Bencher<'_, '_>, (lines, hunk): (usize, usize)) {
    // As often as a line may stand and still tell something about the place.
    let line = |index: usize| format!("call_{}(one, two)", index % (lines / 60));
    let before: String = (0..lines).fold(String::new(), |text, index| text + &line(index) + "\n");
    let mut patch = "@@ ... @@\n".to_owned();
    for index in 0..hunk {
        let misquoted =
            if index == hunk / 2 { line(index).replace("two", "tow") } else { line(index) };
        let _ = writeln!(patch, " {misquoted}");
    }
    patch.push_str("+new()\n");
    bencher.bench(|| divan::black_box(apply_patch(&before, &patch, "file")));
}
