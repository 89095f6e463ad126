//! Secrets made for one test, and the forms in which programs print a value.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::support::project_file;

/// A text with a secret in it.
pub(super) struct Sample {
    /// The text.
    pub(super) text: String,
    /// The longest part that was made, which must not be shown.
    pub(super) secret: String,
}

/// Returns every text of `tests/attacks/secret_forms.txt`, with other secrets for each seed.
pub(super) fn samples(seed: u64) -> Vec<Sample> {
    let table = project_file("tests/attacks/secret_forms.txt");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.zip(1_u64..).map(|(row, number)| fill(row, seed * 1_000 + number)).collect()
}

fn fill(row: &str, seed: u64) -> Sample {
    let (mut text, mut secret, mut state) = (String::new(), String::new(), seed);
    let mut rest = row;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let spec = after.split_once('}').filter(|(spec, _)| is_spec(spec));
        let Some((spec, after)) = spec else {
            text.push('{');
            rest = after;
            continue;
        };
        let piece = random_text(spec, &mut state);
        text.push_str(&piece);
        if piece.len() > secret.len() {
            secret = piece;
        }
        rest = after;
    }
    let text = (text + rest).replace(r"\n", "\n").replace("\\\n", r"\n");
    Sample { text, secret }
}

fn is_spec(spec: &str) -> bool {
    spec.len() > 1 && spec.get(1..).is_some_and(|count| count.parse::<usize>().is_ok())
}

/// Returns random characters, such as 8 lower case letters and digits for `l8`.
pub(super) fn random_text(spec: &str, state: &mut u64) -> String {
    let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let (lower, digits) = (upper.to_lowercase(), "0123456789");
    let class = match spec.chars().next() {
        Some('A') => format!("{upper}{lower}{digits}"),
        Some('U') => format!("{upper}234567"),
        Some('l') => format!("{lower}{digits}"),
        Some('x') => format!("abcdef{digits}"),
        Some('X') => format!("ABCDEF{digits}"),
        Some('d') => digits.to_owned(),
        Some('b') => format!("{upper}{lower}{digits}+/"),
        _ => format!("{upper}{lower}{digits}-_"),
    };
    let count: usize = spec.get(1..).unwrap().parse().unwrap();
    let next = |_| {
        // The constants of Knuth's MMIX generator.
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(*state >> 33).unwrap() % class.len();
        class.chars().nth(at).unwrap()
    };
    (0..count).map(next).collect()
}

/// Returns values that no form betrays: passwords of people and of generators, with every character that some encoding writes differently.
pub(super) fn plain_values(count: u64) -> Vec<String> {
    let odd = ["-", "/", "+&=", " ", "<\">", "'", "\\", "é", "#?:@", "$%", "_", "~", ",;", "😀"];
    (0..count)
        .map(|number| {
            let mut state = number * 7_919 + 3;
            let between = odd.get(usize::try_from(number).unwrap() % odd.len()).unwrap();
            let (one, two) = (random_text("l5", &mut state), random_text("A7", &mut state));
            format!("{one}{between}{two}")
        })
        .collect()
}

/// How a program prints a value: the text, and the part of it that must not be shown.
pub(super) struct Printed {
    pub(super) form: &'static str,
    pub(super) text: String,
    pub(super) part: String,
}

/// Returns the value as programs print it.
pub(super) fn printed(value: &str) -> Vec<Printed> {
    let mut all: Vec<Printed> = whole_forms(value)
        .into_iter()
        .map(|(form, text)| Printed { form, part: text.clone(), text })
        .collect();
    for (form, mark) in
        [("quoted lines", "\n> "), ("boxed lines", " │\n│ "), ("lines of pytest", "\nE       ")]
    {
        // Pieces of five characters say little; the rest of the lines must not be shown.
        let text = wrapped_at(value, 8, mark);
        all.push(Printed { form, part: text.clone(), text });
    }
    all.extend(base64_forms(value));
    // A backslash before an escape makes another escape of it.
    all.retain(|it| !(value.contains('\\') && it.form.starts_with("escaped")));
    all
}

/// Returns the forms of which nothing may be shown.
fn whole_forms(value: &str) -> Vec<(&'static str, String)> {
    let each = |form: &dyn Fn(u8) -> String, between: &str| {
        value.bytes().map(form).collect::<Vec<_>>().join(between)
    };
    let chars = |form: &dyn Fn(u32) -> String| value.chars().map(|c| form(c.into())).collect();
    let json = serde_json::to_string(value).unwrap();
    let json = json.get(1..json.len() - 1).unwrap();
    let html = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    vec![
        ("plain", value.to_owned()),
        ("reversed", value.chars().rev().collect()),
        ("JSON", json.to_owned()),
        ("JSON in JSON", json.replace('\\', r"\\").replace('"', "\\\"")),
        ("HTML", html.replace('"', "&quot;").replace('\'', "&#39;")),
        ("references", chars(&|c| format!("&#{c};"))),
        ("hexadecimal references", chars(&|c| format!("&#x{c:x};"))),
        ("URL", url::form_urlencoded::byte_serialize(value.as_bytes()).collect()),
        ("URL, every byte", each(&|byte| format!("%{byte:02X}"), "")),
        ("URL, every byte, small", each(&|byte| format!("%{byte:02x}"), "")),
        ("hex", each(&|byte| format!("{byte:02x}"), "")),
        ("hex, capital", each(&|byte| format!("{byte:02X}"), "")),
        ("hex, colons", each(&|byte| format!("{byte:02x}"), ":")),
        ("hex, spaces", each(&|byte| format!("{byte:02x}"), " ")),
        ("escapes", each(&|byte| format!("\\x{byte:02x}"), "")),
        ("octal", each(&|byte| format!("\\{byte:03o}"), "")),
        ("a list of bytes", each(&|byte| byte.to_string(), ", ")),
        ("an array of C", each(&|byte| format!("0x{byte:02x}"), ", ")),
        ("shell quotes", value.replace('\'', r"'\''")),
        ("spaces between", value.chars().map(|c| format!("{c} ")).collect()),
        ("zero-width between", value.chars().map(|c| format!("{c}\u{200b}")).collect()),
        ("colors between", value.chars().map(|c| format!("{c}\u{1b}[3{}m", 1)).collect()),
        ("escaped colors", value.chars().map(|c| format!("{c}\\u001b[1m")).collect()),
        ("cursor moves", wrapped(value, "\u{1b}[K\u{1b}[5G")),
        ("lines", wrapped(value, "\n")),
        ("lines of Windows, indented", wrapped(value, "\r\n        ")),
        ("escaped lines", wrapped(value, r"\n")),
    ]
}

/// Returns forms of which the first and last characters also encode what is around the value.
fn base64_forms(value: &str) -> Vec<Printed> {
    let mut all = Vec::new();
    for (form, before) in [("base64", ""), ("base64 of a pair", "bob:"), ("base64, shifted", "xx")]
    {
        for encoded in [
            STANDARD.encode(format!("{before}{value}")),
            URL_SAFE.encode(format!("{before}{value}")),
        ] {
            // The first and last characters also encode what is around the value.
            let part = encoded.get(before.len().div_ceil(3) * 4..encoded.len() - 6).unwrap();
            all.push(Printed { form, part: part.to_owned(), text: encoded.clone() });
        }
    }
    let twice = STANDARD.encode(STANDARD.encode(value));
    all.push(Printed {
        form: "base64 of base64",
        part: twice.get(..twice.len() - 10).unwrap().to_owned(),
        text: twice,
    });
    let utf_16: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let encoded = STANDARD.encode(utf_16);
    all.push(Printed {
        form: "base64 of UTF-16",
        part: encoded.get(..encoded.len() - 6).unwrap().to_owned(),
        text: encoded,
    });
    all
}

fn wrapped(value: &str, mark: &str) -> String {
    wrapped_at(value, 5, mark)
}

fn wrapped_at(value: &str, width: usize, mark: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    let lines: Vec<String> = chars.chunks(width).map(|line| line.iter().collect()).collect();
    lines.join(mark)
}
