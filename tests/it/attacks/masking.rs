//! The figures of masking: what is shown of secrets, and what is masked of ordinary texts.
#![expect(clippy::print_stdout, reason = "the counts are printed with `--nocapture`")]

use std::fs;
use std::time::{Duration, Instant};

use papayu_base::text::{MASK, Masker, mask};

use super::forms::{plain_values, printed, samples};
use crate::support::{TestEnv, project_path};

#[test]
fn no_known_value_is_shown_in_any_form() {
    let made = samples(1).into_iter().map(|sample| sample.secret).filter(|it| it.len() >= 12);
    let values: Vec<String> = plain_values(120).into_iter().chain(made.take(120)).collect();
    assert!(values.len() >= 200);
    let masker = Masker::new(values.clone());
    let (mut tried, mut shown) = (0, Vec::new());
    for value in &values {
        for printed in printed(value) {
            for (before, after) in
                [("", ""), ("x = ", " end"), ("{\"a\":\"", "\"}"), ("größe→", "←")]
            {
                let text = format!("{before}{}{after}", printed.text);
                let masked = masker.mask(&text);
                tried += 1;
                if masked.contains(&printed.part) || !masked.contains(MASK) {
                    shown.push(format!("{}: {text:?} -> {masked:?}", printed.form));
                }
            }
        }
    }
    println!("known values: {} of {tried} shown", shown.len());
    assert!(
        shown.is_empty(),
        "{} shown, such as {:#?}",
        shown.len(),
        shown.get(..5.min(shown.len()))
    );
}

#[test]
fn the_start_of_a_known_value_is_not_shown_where_a_line_or_text_is_cut() {
    for value in plain_values(60) {
        let value = format!("{value}-{value}");
        let masker = Masker::new([value.clone()]);
        for printed in printed(&value).into_iter().take(4) {
            for cut in printed.text.char_indices().map(|(at, _)| at).filter(|at| *at >= 14) {
                let start = printed.text.get(..cut).unwrap();
                for text in [format!("error: {start}"), format!("error: {start}\nnext line")] {
                    let masked = masker.mask(&text);
                    let head = start.get(..start.ceil_char_boundary(9)).unwrap();
                    assert!(!masked.contains(head), "{}: {text:?} -> {masked:?}", printed.form);
                }
            }
        }
    }
}

#[test]
fn at_most_two_in_a_hundred_keys_of_services_are_shown() {
    let (mut tried, mut shown) = (0, Vec::new());
    for seed in 1..5 {
        for sample in samples(seed) {
            let json = serde_json::to_string(&sample.text).unwrap();
            for text in [sample.text.clone(), format!("see {} there", sample.text), json] {
                tried += 1;
                if mask(&text).contains(&sample.secret) {
                    shown.push(text);
                }
            }
        }
    }
    println!("keys of services: {} of {tried} shown", shown.len());
    assert!(tried > 5_000, "{tried}");
    assert!(shown.len() * 100 <= tried * 2, "{} of {tried}: {shown:#?}", shown.len());
}

#[test]
fn at_most_one_line_in_five_thousand_of_ordinary_logs_is_masked() {
    let (mut lines, mut masked) = (0, Vec::new());
    for entry in fs::read_dir(project_path("tests/logs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "log") {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            for line in text.lines() {
                lines += 1;
                let shown = mask(line);
                if shown != line {
                    masked.push(format!("{}: {line} -> {shown}", path.display()));
                }
            }
        }
    }
    println!("ordinary logs: {} of {lines} lines masked", masked.len());
    assert!(lines > 5_000, "{lines}");
    assert!(masked.len() * 5_000 <= lines, "{} of {lines}: {masked:#?}", masked.len());
}

/// Starts of secrets, which a hostile text repeats.
const STARTS: &[&str] = &[
    "sk-",
    "token",
    "token:",
    "password.",
    "bearer",
    "eyJaaaaaa-",
    "-----BEGIN PRIVATE KEY-----\n",
    "://a:",
    "cookie:",
    "aws_",
    "KEY=",
    "ghp_",
    "glpat-",
    "xoxb-",
    "azdo",
    "a",
    "tin7vi",
    "tin7vi\n",
    "::add-mask::\t",
    "::add-mask::abcdefghij\t",
    "login ",
    "--token ",
    "-u a:b ",
    "secret=\"",
    "authorization: ",
    "\u{1b}[",
    "\u{1b}]",
    "q~",
    "$ANSIBLE_VAULT;1.1;AES256\n",
    "\"auth\"",
    "twilio=",
    "A3-",
    "***",
    "token=***",
    "password: |\n ",
    "secret = (",
    "<password>",
    "\"token\", ",
    "name: api_key\n",
    "00000000: 00",
    "0000000",
    "%70",
    "%2570",
    "\\u0070",
    "&#112;",
    "=3D",
    "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\n",
    "kq3Zp0Xw9Lr2 ",
    "private key-----",
    "-----END PRIVATE KEY-----\n",
    "x\u{8}",
    "\u{200b}",
    "//a:b@",
];

#[test]
fn a_text_of_nothing_but_starts_of_secrets_is_read_in_linear_time() {
    let periodic = format!("{}b", "a".repeat(3_000));
    let masker = Masker::new([periodic, "tin7violet9harbour".to_owned()]);
    let start = Instant::now();
    for piece in STARTS {
        let text = piece.repeat(40_000 / piece.len());
        let masked = masker.mask(&text);
        assert!(masked.len() <= text.len() + 100, "{piece:?}");
    }
    // A part of a second in a build with optimizations; hours where the time grows with the square.
    assert!(start.elapsed() < Duration::from_mins(10), "{:?}", start.elapsed());
}

#[test]
fn what_commands_print_for_programs_is_masked_as_what_they_print_for_people() {
    let secret = "Kx93hdSlq2Vw";
    let env = TestEnv::new();
    let line = format!("error: DB_PASSWORD={secret} and postgres://a:{secret}@db/x");
    env.write("a.py", &format!("# {line}\na = 1\n"));
    env.write("job.log", &format!("a.py:1: {line}\nFAILED test_a.py::test_a - {line}\n"));
    let case = format!("<testcase classname='a' name='b'><failure message='{line}'/></testcase>");
    env.write("j.xml", &format!("<testsuite name='s' tests='1' failures='1'>{case}</testsuite>"));
    let commands: [&[&str]; 6] = [
        &["explain", "--log", "job.log"],
        &["explain", "--junit", "j.xml"],
        &["context", "--log", "job.log", "--run", "false"],
        &["tool", "failure_context", "--log_path", "job.log"],
        &["tool", "read", "--path", "a.py"],
        &["tool", "grep", "--pattern", "DB_PASSWORD"],
    ];
    for command in commands {
        for format in ["text", "json"] {
            let ran = env.run(&[command, &["--format", format]].concat());
            let shown = format!("{}{}", ran.stdout, ran.stderr);
            let is_shown = shown.contains("DB_PASSWORD");
            assert!(!shown.contains(secret), "{command:?}: {ran:?}");
            assert_eq!(shown.contains("***"), is_shown, "{command:?}: {ran:?}");
        }
    }
}
