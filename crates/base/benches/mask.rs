//! How fast secrets are masked, and how much of ordinary logs is masked by mistake: `cargo bench -p papayu-base`.
//!
//! 20 MB of lines as CI prints them and of the logs of `tests/logs`, or else the files that are named after `--`, go through a masker
//! with 40 known values. It fails below 100 MB/s, and when more than one line in 5,000 is masked.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reads its input and prints its result"
)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use papayu_base::text::{Masker, mask};

/// The length of the text, in bytes.
const LENGTH: usize = 20_000_000;
/// The least rate, in megabytes a second.
const LEAST_RATE: f64 = 100.0;
/// The largest share of masked lines.
const MOST_MASKED: f64 = 0.000_2;
/// The fastest of so many rounds counts: other programs take the processor from some.
const ROUNDS: usize = 7;
/// Texts are masked in pieces of this length, as requests and files are.
const PIECE: usize = 200_000;

fn main() {
    let values =
        (0..40_u32).map(|number| format!("Kq{:x}zT{}vu", number * 7_919 + 65_537, number * 31));
    let masker = Masker::new(values);
    let mut slow = false;
    let named = env::args().skip(1).filter(|word| !word.starts_with("--")).map(|path| {
        let bytes = fs::read(&path).expect("a file");
        (path, String::from_utf8_lossy(&bytes).into_owned())
    });
    let own = [("ordinary", ordinary_text()), ("real logs", real_logs())];
    let own = own.into_iter().map(|(name, text)| (name.to_owned(), text));
    let named: Vec<(String, String)> = named.collect();
    let texts = if named.is_empty() { own.collect() } else { named };
    for (name, text) in texts {
        let pieces: Vec<&str> = pieces(&text);
        // The tables are made once in a process.
        let _ = masker.mask(&text);
        let (mut masked, mut seconds) = (0, f64::MAX);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            masked = pieces.iter().map(|piece| masker.mask(piece).len()).sum();
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
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

/// Lines of builds, tests, package managers and source code: `①` and `②` are words, `#` is a number, `§` are 16 hexadecimal digits.
const LINES: [&str; 20] = [
    "2026-03-01T10:11:12.#0000Z   Compiling ①-② v1.#.#",
    "test ①::②::keeps_the_① ... ok",
    "npm warn deprecated ①-②@#.#.#: use ② instead",
    "Downloaded https://registry.example.org/①/-/①-②-#.#.tgz",
    "\u{1b}[32m✓\u{1b}[0m ① returns the ② of the ① (# ms)",
    "  at ①.② (/home/runner/work/app/src/①/②.ts:#:#)",
    "digest: sha256:§§§§",
    "commit §§",
    "    let ① = parse_②(&②[#..])?;",
    "error[E0308]: mismatched types in `①_②`, expected `u32`, found `&str`",
    "①.② = Some(#), ②: Option<String>,",
    "    \"integrity\": \"sha512-§§§§§\",",
    "## #.# CACHED [① #/#] RUN make ②",
    "src/①/②.py:#: DeprecationWarning: ①_key is deprecated, use ②_id",
    "ok   github.com/org/app/①/②  #.#s  coverage: #.#% of statements",
    "FAILED tests/test_①.py::test_②[①-#] - AssertionError: assert # == #",
    "Authorization failed for ①: the ② has expired, request a new ②",
    "const { ①, ② } = require('./①-②'); // ①: ②",
    "[#/999] ① ② ① … # kB in # ms",
    "   --> src/①_②.rs:#:#",
];

/// Words of the lines: one line of five has the name of a secret, where one of 300 has in the logs of `tests/logs`.
const WORDS: [&str; 36] = [
    "resolve", "fetch", "link", "token", "key", "secret", "module", "cache", "layer", "password",
    "queue", "worker", "parser", "index", "render", "stream", "buffer", "socket", "client",
    "server", "router", "schema", "record", "column", "vector", "matrix", "branch", "commit",
    "folder", "volume", "signal", "thread", "packet", "widget", "invoice", "account",
];

/// Returns the lines again and again, with other words and numbers.
fn ordinary_text() -> String {
    let mut text = String::with_capacity(LENGTH + 200);
    let mut state = 1_u64;
    let mut next = || {
        // The constants of Knuth's MMIX generator.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for line in LINES.iter().cycle() {
        let mut word = || {
            let at = usize::try_from(next()).unwrap_or_default();
            WORDS.get(at % WORDS.len()).copied().unwrap_or_default()
        };
        let (one, two) = (word(), word());
        for c in line.chars() {
            // Writing to a string cannot fail.
            let _ = match c {
                '①' => write!(text, "{one}"),
                '②' => write!(text, "{two}"),
                '#' => write!(text, "{}", next() % 1_000),
                '§' => write!(text, "{:08x}{:08x}", next(), next()),
                c => write!(text, "{c}"),
            };
        }
        text.push('\n');
        if text.len() >= LENGTH {
            break;
        }
    }
    text
}

/// Returns the logs of `tests/logs`, repeated.
fn real_logs() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs");
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the logs").flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "log") {
            let bytes = fs::read(entry.path()).expect("a log");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text.repeat(LENGTH / text.len() + 1)
}
