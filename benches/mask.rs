//! How fast secrets are masked, and how much of ordinary logs is masked by mistake: `cargo bench --bench mask`.
//!
//! 20 MB of lines as CI prints them, and of the logs of `tests/logs`, go through a masker with 40 known values. It fails below
//! 100 MB/s, and when more than one line in 200 is masked.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reads its input and prints its result"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use papayu_batch::text::{Masker, mask};

/// The length of the text, in bytes.
const LENGTH: usize = 20_000_000;
/// The least rate, in megabytes a second.
const LEAST_RATE: f64 = 100.0;
/// The largest share of masked lines.
const MOST_MASKED: f64 = 0.005;
/// Texts are masked in pieces of this length, as requests and files are.
const PIECE: usize = 200_000;

fn main() {
    let values =
        (0..40_u32).map(|number| format!("Kq{:x}zT{}vu", number * 7_919 + 65_537, number * 31));
    let masker = Masker::new(values);
    let mut slow = false;
    for (name, text) in [("ordinary", ordinary_text()), ("real logs", real_logs())] {
        let pieces: Vec<&str> = pieces(&text);
        // The automaton is built once in a process.
        let _ = masker.mask(&text);
        let start = Instant::now();
        let masked: usize = pieces.iter().map(|piece| masker.mask(piece).len()).sum();
        let seconds = start.elapsed().as_secs_f64();
        let rate = as_f64(text.len()) / 1e6 / seconds;
        let (mut lines, mut changed) = (0, Vec::new());
        for line in text.lines() {
            lines += 1;
            if mask(line) != line {
                changed.push(line);
            }
        }
        let share = as_f64(changed.len()) / as_f64(lines);
        println!(
            "{name}: {rate:.0} MB/s, {} of {lines} lines masked ({:.3} %), {masked} bytes left",
            changed.len(),
            share * 100.0
        );
        changed.sort_unstable();
        changed.dedup();
        for line in changed.iter().take(10) {
            println!("  masked: {line}");
        }
        slow |= rate < LEAST_RATE || share > MOST_MASKED;
    }
    assert!(!slow, "masking is slower than {LEAST_RATE} MB/s, or masks more than it should");
}

#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than seven digits")]
fn as_f64(number: usize) -> f64 {
    number as f64
}

fn pieces(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Returns lines of builds, tests, package managers and source code, with numbers, digests and paths.
fn ordinary_text() -> String {
    let words = [
        "resolve", "fetch", "link", "token", "key", "secret", "module", "cache", "layer",
        "password", "queue", "worker",
    ];
    let mut text = String::with_capacity(LENGTH + 200);
    let mut state = 1_u64;
    let mut next = || {
        // The constants of Knuth's MMIX generator.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    while text.len() < LENGTH {
        let (a, b, c) = (next(), next(), next());
        let word = |number: u64| {
            usize::try_from(number % 12).map_or("", |at| words.get(at).copied().unwrap_or_default())
        };
        let (one, two) = (word(a), word(b));
        let written = match a % 20 {
            0 => writeln!(
                text,
                "2026-03-01T10:{:02}:{:02}.{:07}Z   Compiling {one}-{two} v1.{}.{}",
                b % 60,
                c % 60,
                c,
                a % 40,
                b % 40
            ),
            1 => writeln!(text, "test {one}::{two}::keeps_the_{one} ... ok"),
            2 => writeln!(
                text,
                "npm warn deprecated {one}-{two}@{}.{}.{}: use {two} instead",
                a % 9,
                b % 30,
                c % 30
            ),
            3 => writeln!(
                text,
                "Downloaded https://registry.example.org/{one}/-/{one}-{two}-{}.{}.tgz",
                a % 9,
                b % 99
            ),
            4 => writeln!(
                text,
                "\u{1b}[32m✓\u{1b}[0m {one} returns the {two} of the {one} ({} ms)",
                b % 900
            ),
            5 => writeln!(
                text,
                "  at {one}.{two} (/home/runner/work/app/src/{one}/{two}.ts:{}:{})",
                b % 900,
                c % 80
            ),
            6 => writeln!(text, "digest: sha256:{a:016x}{b:016x}{c:016x}{:016x}", a ^ b),
            7 => writeln!(text, "commit {a:016x}{b:016x}{:08x}", c % 0xffff_ffff),
            8 => writeln!(text, "    let {one} = parse_{two}(&{two}[{}..])?;", b % 90),
            9 => writeln!(
                text,
                "error[E0308]: mismatched types in `{one}_{two}`, expected `u32`, found `&str`"
            ),
            10 => writeln!(text, "{one}.{two} = Some({}), {two}: Option<String>,", b % 1_000),
            11 => writeln!(
                text,
                "    \"integrity\": \"sha512-{}\",",
                format!("{a:x}{b:x}{c:x}").repeat(3)
            ),
            12 => writeln!(
                text,
                "#{} {}.{} CACHED [{one} {}/{}] RUN make {two}",
                a % 30,
                b % 99,
                c % 9,
                a % 9,
                b % 20
            ),
            13 => writeln!(
                text,
                "src/{one}/{two}.py:{}: DeprecationWarning: {one}_key is deprecated, use {two}_id",
                b % 500
            ),
            14 => writeln!(
                text,
                "ok   github.com/org/app/{one}/{two}  {}.{}s  coverage: {}.{}% of statements",
                b % 9,
                c % 999,
                a % 99,
                b % 9
            ),
            15 => writeln!(
                text,
                "uuid {:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
                a % 0xffff_ffff,
                b % 0xffff,
                c % 0xfff,
                a % 0xfff,
                b
            ),
            16 => writeln!(
                text,
                "FAILED tests/test_{one}.py::test_{two}[{one}-{}] - AssertionError: assert {} == {}",
                a % 9,
                b % 99,
                c % 99
            ),
            17 => writeln!(
                text,
                "Authorization failed for {one}: the {two} has expired, request a new {two}"
            ),
            18 => writeln!(
                text,
                "const {{ {one}, {two} }} = require('./{one}-{two}'); // {one}: {two}"
            ),
            _ => writeln!(
                text,
                "[{}/{}] {one} {two} {one} … {} kB in {} ms",
                a % 900,
                900,
                b % 9_000,
                c % 9_000
            ),
        };
        // Writing to a string cannot fail.
        let _ = written;
    }
    text
}

/// Returns the logs of `tests/logs`, repeated.
fn real_logs() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the logs").flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "log") {
            let bytes = fs::read(entry.path()).expect("a log");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text.repeat(LENGTH / text.len() + 1)
}
