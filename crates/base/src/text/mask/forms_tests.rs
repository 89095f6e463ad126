//! Secrets in the ways in which people and programs write them: what of them is masked.
#![expect(clippy::print_stdout, reason = "the counts are printed with `--nocapture`")]

use super::mask;

/// The table, which other tests of attacks read too.
const TABLE: &str = include_str!("../../../../../tests/attacks/written_forms.txt");

/// A character, and whether it is made, so that it may not be shown.
type Made = (char, bool);

/// The characters of a secret that may not be shown one after the other.
const WINDOW: usize = 6;
/// The same where they are encoded.
const ENCODED_WINDOW: usize = 20;
/// The texts that are made of each row.
const SEEDS: u64 = 13;

/// The text of a row.
struct Filler<'r> {
    rest: std::iter::Peekable<std::str::Chars<'r>>,
    state: u64,
    /// The pieces that were made, without their encoding.
    pieces: Vec<String>,
    is_encoded: bool,
}

impl Filler<'_> {
    /// Returns the text up to the brace that ends it.
    fn fill(&mut self, is_inner: bool) -> Vec<Made> {
        let mut out = Vec::new();
        while let Some(c) = self.rest.next() {
            match c {
                '}' if is_inner => break,
                '\\' => out.push((self.escaped(), false)),
                '{' => self.fill_brace(&mut out),
                c => out.push((c, false)),
            }
        }
        out
    }

    fn escaped(&mut self) -> char {
        match self.rest.peek() {
            Some('n') => self.rest.next().map_or('\n', |_| '\n'),
            Some('\\') => self.rest.next().unwrap(),
            _ => '\\',
        }
    }

    fn fill_brace(&mut self, out: &mut Vec<Made>) {
        let ahead: String = self.rest.clone().take_while(|c| !"|}".contains(*c)).collect();
        let end = self.rest.clone().nth(ahead.chars().count());
        let control = match ahead.as_str() {
            "tab" => '\t',
            "esc" => '\u{1b}',
            "cr" => '\r',
            "bs" => '\u{8}',
            "bel" => '\u{7}',
            _ => '\0',
        };
        let is_spec =
            ahead.len() > 1 && ahead.get(1..).is_some_and(|it| it.parse::<usize>().is_ok());
        if end == Some('}') && control != '\0' {
            self.rest.nth(ahead.len());
            out.push((control, false));
        } else if end == Some('}') && is_spec {
            self.rest.nth(ahead.len());
            let piece = random_text(&ahead, &mut self.state);
            out.extend(piece.chars().map(|c| (c, true)));
            self.pieces.push(piece);
        } else if end == Some('|') && is_encoding(&ahead) {
            self.rest.nth(ahead.len());
            let inner = self.fill(true);
            self.is_encoded = true;
            out.extend(encode(&ahead, &inner));
        } else {
            out.push(('{', false));
            let inner = self.fill(true);
            out.extend(inner);
            out.push(('}', false));
        }
    }
}

fn is_encoding(name: &str) -> bool {
    "b64 b64u b64w hex HEX pct u x ent entx qp xxd hexdump xxdp od zw shy color bs osc"
        .split(' ')
        .any(|it| it == name)
}

/// Writes each character by itself.
fn each(text: &[Made], write: impl Fn(char) -> String) -> Vec<Made> {
    text.iter()
        .flat_map(|(c, made)| write(*c).chars().map(|c| (c, *made)).collect::<Vec<_>>())
        .collect()
}

fn encode(name: &str, text: &[Made]) -> Vec<Made> {
    let plain = |text: &str| text.chars().map(|c| (c, false)).collect::<Vec<_>>();
    match name {
        "b64" | "b64u" => base64(text, name == "b64u"),
        "b64w" => base64(text, false).chunks(76).collect::<Vec<_>>().join(&('\n', false)),
        "hex" => each(text, |c| format!("{:02x}", u32::from(c))),
        "HEX" => each(text, |c| format!("{:02X}", u32::from(c))),
        "pct" => each(text, |c| format!("%{:02X}", u32::from(c))),
        "u" => each(text, |c| format!("\\u{:04x}", u32::from(c))),
        "x" => each(text, |c| format!("\\x{:02x}", u32::from(c))),
        "ent" => each(text, |c| format!("&#{};", u32::from(c))),
        "entx" => each(text, |c| format!("&#x{:x};", u32::from(c))),
        "qp" => each(text, |c| format!("={:02X}", u32::from(c))),
        "zw" => each(text, |c| format!("{c}\u{200b}")),
        "shy" => each(text, |c| format!("{c}\u{ad}")),
        "color" => each(text, |c| format!("\u{1b}[3{}m{c}", 1)),
        "bs" => each(text, |c| format!("x\u{8}{c}")),
        "osc" => {
            [plain("\u{1b}]8;;https://x.example\u{7}"), text.to_vec(), plain("\u{1b}]8;;\u{7}")]
                .concat()
        }
        "xxdp" => {
            let hex = each(text, |c| format!("{:02x}", u32::from(c)));
            hex.chunks(60).collect::<Vec<_>>().join(&('\n', false))
        }
        "xxd" | "hexdump" | "od" => dump(name, text),
        other => panic!("{other}"),
    }
}

fn dump(name: &str, text: &[Made]) -> Vec<Made> {
    let mut out = Vec::new();
    let plain = |out: &mut Vec<Made>, text: &str| out.extend(text.chars().map(|c| (c, false)));
    for (row, line) in text.chunks(16).enumerate() {
        plain(
            &mut out,
            &match name {
                "xxd" => format!("{:08x}: ", row * 16),
                "od" => format!("{:07o}", row * 16),
                _ => format!("{:08x}  ", row * 16),
            },
        );
        for (at, (c, made)) in line.iter().enumerate() {
            let cell = match name {
                "od" if *c == '\n' => "  \\n".to_owned(),
                "od" => format!("   {c}"),
                _ => format!("{:02x}", u32::from(*c)),
            };
            out.extend(cell.chars().map(|c| (c, *made)));
            let space = if name == "xxd" { at % 2 == 1 } else { name == "hexdump" };
            plain(&mut out, if space { " " } else { "" });
        }
        let shown = line.iter().map(|(c, made)| (if c.is_control() { '.' } else { *c }, *made));
        match name {
            "xxd" => {
                plain(&mut out, &" ".repeat((16 - line.len()) * 5 / 2 + 1));
                out.extend(shown);
            }
            "hexdump" => {
                plain(&mut out, &format!("{} |", " ".repeat((16 - line.len()) * 3 + 1)));
                out.extend(shown);
                plain(&mut out, "|");
            }
            _ => {}
        }
        plain(&mut out, "\n");
    }
    out
}

fn base64(text: &[Made], is_url: bool) -> Vec<Made> {
    let table = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let table: Vec<char> =
        table.chars().chain(if is_url { "-_".chars() } else { "+/".chars() }).collect();
    let mut out = Vec::new();
    for group in text.chunks(3) {
        let byte = |at: usize| group.get(at).map_or(0, |it| u32::from(it.0));
        let made = |at: usize| group.get(at).is_some_and(|it| it.1);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let marks = [made(0), made(0) && made(1), made(1) && made(2), made(2)];
        for (at, mark) in marks.into_iter().enumerate() {
            if at <= group.len() {
                let digit = (bits >> (18 - 6 * at)) & 63;
                out.push((*table.get(usize::try_from(digit).unwrap()).unwrap(), mark));
            } else if !is_url {
                out.push(('=', false));
            }
        }
    }
    out
}

fn random_text(spec: &str, state: &mut u64) -> String {
    let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let (lower, digits) = (upper.to_lowercase(), "0123456789");
    let class = match spec.chars().next() {
        Some('A') => format!("{upper}{lower}{digits}"),
        Some('U') => format!("{upper}234567"),
        Some('l') => format!("{lower}{digits}"),
        Some('c') => lower,
        Some('C') => format!("{upper}{lower}"),
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

/// Returns a part of the secrets that the masked text still has.
fn shown_part(row: &str, seed: u64, surround: (&str, &str)) -> Option<String> {
    let rest = row.chars().peekable();
    let mut filler = Filler { rest, state: seed, pieces: Vec::new(), is_encoded: false };
    let made = filler.fill(false);
    let text: String = made.iter().map(|(c, _)| *c).collect();
    let text = format!("{}{text}{}", surround.0, surround.1);
    let masked = mask(&text);
    let leak = |part: &str| masked.contains(part).then(|| format!("{text:?} -> {masked:?}"));
    for piece in &filler.pieces {
        let chars: Vec<char> = piece.chars().collect();
        let found = chars
            .windows(WINDOW.min(chars.len()))
            .find_map(|window| leak(&window.iter().collect::<String>()));
        if found.is_some() {
            return found;
        }
    }
    if !filler.is_encoded {
        return None;
    }
    let places: Vec<usize> =
        (0..made.len()).filter(|at| made.get(*at).is_some_and(|it| it.1)).collect();
    places.windows(ENCODED_WINDOW).find_map(|window| {
        let (first, last) = (*window.first()?, *window.last()?);
        // Other text in between belongs to another secret.
        let part = made.get(first..=last).filter(|part| part.len() < 5 * ENCODED_WINDOW)?;
        leak(&part.iter().map(|(c, _)| *c).collect::<String>())
    })
}

#[test]
fn at_most_two_in_a_hundred_written_forms_are_shown() {
    let (mut known, mut held_out) = ((0, Vec::new()), (0, Vec::new()));
    // The head of the table is a comment; some rows are one too.
    let rows = TABLE.lines().skip_while(|line| line.starts_with("# ") && !line.contains('='));
    for (number, row) in (1..).zip(rows) {
        let (tried, shown) = if number % 4 == 0 { &mut held_out } else { &mut known };
        for seed in 1..SEEDS {
            *tried += 1;
            let parts = [("", ""), ("step 3 failed\n", "\nexit status 1\n")];
            let mut parts = parts.into_iter().map(|it| shown_part(row, seed * 1_000 + number, it));
            shown.extend(parts.find_map(|part| Some(format!("{row}\n      {}", part?))));
        }
    }
    for (name, count) in [("known", &known), ("set apart", &held_out)] {
        println!("{name}: {} of {} texts of written forms shown", count.1.len(), count.0);
    }
    let (tried, shown) = (known.0 + held_out.0, [known.1, held_out.1].concat());
    assert!(tried > 500 * usize::try_from(SEEDS).unwrap());
    assert!(shown.len() * 100 <= tried * 2, "{} of {tried}:\n{}", shown.len(), shown.join("\n"));
}

/// Rows of kinds that no list of services or words has.
const GENERAL: [&str; 26] = [
    "connected with npg_{A14} to the branch",
    "pk_84021337_{U32}",
    "export X=re_{A8}_{A24}",
    "zz_{A22} was used",
    "{\"key\": \"qx_{A32}\"}",
    "M{A23}.G{w5}.{A38}",
    "bot started as M{A25}.{w6}.{A38}",
    "{A32}.{A8}.{A43}",
    "API_KEY = \"{A10}\" \\\n    \"{A12}\"",
    "api_key = \"{A8}\" + \"{A9}\"",
    "const token = '{A12}' +\n  '{A12}';",
    "$secret = '{A9}' . '{A9}';",
    "SECRET = (\n    \"{A14}\"\n    \"{A14}\"\n)",
    "password = \"{A7}\" & \"{A7}\"",
    "local token = \"{A10}\" .. \"{A10}\"",
    "TOKEN={A14}\\\n{A14}",
    "TOKEN=\"{A14}\\\n{A14}\"",
    "CF_API_KEY is {x37}",
    "the auth token is now {A24}",
    "DEPLOY_SECRET was {A20}, before",
    "api_key → {A24}",
    "API_KEY： {A24}",
    "ＡＰＩ＿ＫＥＹ＝{A24}",
    "ｐａｓｓｗｏｒｄ: {A12}",
    "SECRET_TOKEN ⇒ {A24}",
    "api_key is set to `{A24}`",
];

#[test]
fn secrets_of_unknown_services_and_in_several_pieces_are_masked() {
    let mut shown = Vec::new();
    for (number, row) in (1..).zip(GENERAL) {
        // The table of written forms has its own escape for a line break.
        let row = row.replace('\\', r"\\").replace('\n', r"\n");
        shown.extend(
            (1..SEEDS).filter_map(|seed| shown_part(&row, seed * 1_000 + number, ("", ""))),
        );
    }
    let tried = GENERAL.len() * usize::try_from(SEEDS - 1).unwrap();
    // Few random texts have no digit, or the order of words.
    assert!(shown.len() * 100 <= tried * 4, "{} of {tried}:\n{}", shown.len(), shown.join("\n"));
}
