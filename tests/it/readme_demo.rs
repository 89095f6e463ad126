//! The picture in the README is what a real run shows on a terminal.
#![expect(
    clippy::disallowed_methods,
    reason = "the test writes the picture and uses the real cargo"
)]

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;

use crate::examples::rust_homes;
use crate::support::{TestEnv, project_path};

const PICTURE: &str = "docs/first-fix.svg";
const COLUMNS: u16 = 88;
const ROWS: u16 = 60;
const CALL: &str = "papayu-batch fix --run 'cargo test'";
/// Runs a shell line on a terminal of its own and copies everything that appears there to stdout.
const TERMINAL: &str =
    "import pty, sys\npty.spawn(['sh', '-c', sys.argv[1]], stdin_read=lambda fd: b'')";

/// Returns the last screen of a run, one string of text and colours for each row.
fn record_screen(env: &TestEnv) -> Vec<String> {
    env.write("terminal.py", TERMINAL);
    let mut line = "export TERM=xterm-256color; ".to_owned();
    for (name, value) in rust_homes() {
        let _ = write!(line, "export {name}='{value}'; ");
    }
    let call = CALL.replace("papayu-batch", "\\$BIN");
    let _ =
        write!(line, "python3 terminal.py \"stty cols {COLUMNS} rows {ROWS}; {call}\" </dev/null");
    let ran = env.shell(&line);
    let (rows, columns) = (NonZero::new(ROWS).unwrap(), NonZero::new(COLUMNS).unwrap());
    let mut terminal = vt100::Parser::new(rows, columns, 0);
    terminal.process(ran.stdout.as_bytes());
    let screen = terminal.screen();
    let plain: Vec<String> = screen.rows(0, COLUMNS).collect();
    assert!(plain.concat().contains("✓ fixed"), "{ran:?}");
    let used = plain.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
    screen.rows_formatted(0, COLUMNS).take(used).collect()
}

/// Replaces what differs in each run: ids of runs and times.
fn redact(row: &str) -> String {
    let words = row.split(' ').map(|word| {
        let is_time = word.ends_with(|c: char| c.is_ascii_digit())
            && word
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            && word.contains('.');
        let parts: Vec<_> =
            word.split('/').map(|part| if is_run_id(part) { "…" } else { part }).collect();
        if is_time { "…".to_owned() } else { parts.join("/") }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_run_id(part: &str) -> bool {
    part.len() == 36 && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[test]
fn the_picture_of_the_first_fix_is_a_real_run() {
    let env = TestEnv::new();
    env.copy_example("rust-typo");
    let rows: Vec<String> = record_screen(&env).iter().map(|row| redact(row)).collect();
    let shown = format!("\x1b[1m$ {CALL}\x1b[0m\n{}", rows.join("\x1b[0m\n"));
    let picture = anstyle_svg::Term::new().min_width_px(760).render_svg(&shown);
    let path = project_path(PICTURE);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &picture).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == picture,
        "{PICTURE} is stale: run the tests with BLESS=1 and look at it\n{shown}"
    );
}
