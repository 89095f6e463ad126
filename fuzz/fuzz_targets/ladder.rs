//! A file, edits to it, and a damaged diff of them: it lands or is refused, and never panics; the
//! diff that is not damaged gives the edited text.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use papayu_patch::apply_patch;

/// Lines that are alike, so that places compete.
const WORDS: [&str; 12] = [
    "",
    "}",
    "    }",
    "end",
    "\treturn total",
    "    return total",
    "fn add(one, two) {",
    "// keep this",
    "let limit = 10;",
    "let limit = 20;",
    "say(\"hello\")",
    "say('hello') ",
];

#[derive(Arbitrary, Debug)]
struct Input {
    file: Vec<u8>,
    /// Old line, lines that go, words that come.
    edits: Vec<(u8, u8, Vec<u8>)>,
    numbers: bool,
    context: u8,
    /// Line of the diff, and what happens to it.
    damage: Vec<(u8, u8)>,
}

fn word(byte: u8) -> &'static str {
    WORDS[usize::from(byte) % WORDS.len()]
}

fuzz_target!(|input: Input| {
    let before: Vec<&str> = input.file.iter().take(400).map(|byte| word(*byte)).collect();
    let mut edits = input.edits;
    edits.truncate(6);
    edits.sort_by_key(|(at, ..)| *at);
    let (mut after, mut diff, mut next) =
        (Vec::new(), vec!["--- a/f".to_owned(), "+++ b/f".to_owned()], 0);
    for (at, gone, come) in edits {
        let start = usize::from(at).min(before.len());
        let end = (start + usize::from(gone % 4)).min(before.len());
        let context = usize::from(input.context % 4);
        // Two hunks at one place would be one hunk, or the same one twice.
        if start < next || (start == next && diff.len() > 2) {
            continue;
        }
        let above = start.saturating_sub(context).max(next);
        let below = (end + context).min(before.len());
        after.extend_from_slice(&before[next..start]);
        after.extend(come.iter().take(5).map(|byte| word(*byte)));
        diff.push(if input.numbers {
            let first = if below == above { above } else { above + 1 };
            format!("@@ -{first},{} +{first} @@", below - above)
        } else {
            "@@ ... @@".to_owned()
        });
        diff.extend(before[above..start].iter().map(|line| format!(" {line}")));
        diff.extend(before[start..end].iter().map(|line| format!("-{line}")));
        diff.extend(come.iter().take(5).map(|byte| format!("+{}", word(*byte))));
        diff.extend(before[end..below].iter().map(|line| format!(" {line}")));
        after.extend_from_slice(&before[end..below]);
        next = below;
    }
    after.extend_from_slice(&before[next..]);
    let join = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (before, after) = (join(&before), join(&after));
    let whole = diff.join("\n") + "\n";
    if let Ok(landed) = apply_patch(&before, &whole, "f") {
        assert!(!input.numbers || landed.after == after, "{before}\n{whole}\n{}", landed.after);
    }
    for (line, kind) in input.damage.into_iter().take(4) {
        let index = usize::from(line) % diff.len();
        match kind % 5 {
            0 => drop(diff.remove(index)),
            1 => diff[index].push(' '),
            2 => diff[index] = diff[index].replacen('t', "r", 1),
            3 => {
                let at = 1.min(diff[index].len());
                diff[index].insert(at, ' ');
            }
            _ => diff.insert(index, diff[index].clone()),
        }
        if diff.is_empty() {
            return;
        }
    }
    let _ = apply_patch(&before, &diff.join("\n"), "f");
});
