//! Tests of known values in the forms in which programs print them; the forms are written here by other means than the masker's.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::Masker;
use crate::text::Html;

/// A text, and the part of it that must not survive.
type Printed = (String, String);

const KEY_BODY: [&str; 3] = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
    "AgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4/M2",
    "bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZH",
];

fn secrets() -> Vec<String> {
    let mut secrets: Vec<String> = (0..24_u32)
        .map(|n| {
            let odd = ["", "/", "+&=", " %", "<\">", "'\\", "é;", "#?:@"];
            let piece = odd.get(usize::try_from(n).unwrap() % odd.len()).unwrap();
            format!(
                "{}{piece}Kq{:x}zTvu{}",
                ["v", "Wm"][usize::from(n % 2 == 0)],
                n * 7_919 + 65_537,
                n * 31
            )
        })
        .collect();
    secrets.push(format!("{}\n", KEY_BODY.join("\n")));
    secrets
}

/// Returns the text without its first and last characters, which encodings share with the text around the secret.
fn core(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.get(4..chars.len().saturating_sub(6)).unwrap().iter().collect()
}

fn percent(secret: &str, upper: bool) -> String {
    let all = secret.bytes().map(|b| if upper { format!("%{b:02X}") } else { format!("%{b:02x}") });
    all.collect()
}

fn printed(secret: &str) -> Vec<Printed> {
    let secret = secret.trim_end();
    let same = |text: String| (text.clone(), text);
    let mut all = vec![
        same(secret.to_owned()),
        same(secret.chars().rev().collect()),
        same(percent(secret, false).replace('%', "")),
        same(percent(secret, true).replace('%', "")),
        same(percent(secret, true)),
        same(percent(secret, false)),
        same(url::form_urlencoded::byte_serialize(secret.as_bytes()).collect()),
        same(serde_json::to_string(secret).unwrap().trim_matches('"').to_owned()),
        same(Html::default().text(secret).clone().into_string()),
        same(quick_xml::escape::escape(secret).into_owned()),
    ];
    for before in ["", "u", "us", "use", "user:"] {
        for engine in [&STANDARD, &URL_SAFE] {
            let encoded = engine.encode(format!("{before}{secret}"));
            let tail = engine.encode(secret);
            all.push((
                encoded.clone(),
                if before.is_empty() { core(&tail) } else { core(encoded.get(8..).unwrap()) },
            ));
        }
    }
    let wrapped = |break_with: &str| {
        let chars: Vec<char> = secret.chars().collect();
        let pieces = chars.chunks(5).map(|piece| piece.iter().collect::<String>());
        pieces.collect::<Vec<_>>().join(break_with)
    };
    for break_with in ["\n", "\r\n    ", "\x1b[31m", "\x1b[0m\x1b[1;32m", "\x1b[K\n\t"] {
        all.push(same(wrapped(break_with)));
    }
    let encoded = STANDARD.encode(secret.repeat(3));
    let lines: Vec<_> =
        encoded.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line)).collect();
    all.push((lines.join("\n"), core(&encoded)));
    all
}

#[test]
fn a_known_value_survives_in_no_form() {
    let secrets = secrets();
    let masker = Masker::new(secrets.clone());
    let mut tried = 0;
    for secret in &secrets {
        for (text, part) in printed(secret) {
            for (before, after) in
                [("", ""), ("x = ", " end"), ("{\"a\":\"", "\"}"), ("größe→", "←")]
            {
                let text = format!("{before}{text}{after}");
                let masked = masker.mask(&text);
                assert!(!masked.contains(&part), "{secret:?} in {text:?} -> {masked:?}");
                assert!(masked.contains("***"), "{secret:?} in {text:?}");
                assert_eq!(masker.mask(&masked), masked, "{text:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
}

#[test]
fn each_line_of_a_known_key_is_masked_and_the_armour_of_keys_is_not() {
    let key = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        KEY_BODY.join("\n")
    );
    let masker = Masker::new([key]);
    for line in KEY_BODY {
        assert_eq!(masker.mask(&format!("  > {line} <")), "  > *** <");
    }
    assert_eq!(masker.mask("-----BEGIN CERTIFICATE-----"), "-----BEGIN CERTIFICATE-----");
}

#[test]
fn ordinary_text_beside_known_values_is_not_changed() {
    let masker = Masker::new(secrets());
    let text = include_str!("rule.rs");
    assert_eq!(masker.mask(text), text);
}

#[test]
fn a_value_that_begins_in_what_a_terminal_does_not_show_is_masked() {
    let value = "UvLXb9Kq72wZ";
    let masker = Masker::new([value.to_owned()]);
    for before in ["\u{1b})", "\u{1b}[", "\u{1b}[1;3", "\u{1b}]0;", "\u{9b}", "\u{1b}]0;title "] {
        for after in ["", "\u{7} rest", "m\n"] {
            let text = format!("x{before}{value}{after}");
            assert!(!masker.mask(&text).contains("vLXb9Kq72wZ"), "{text:?}");
        }
    }
}

#[test]
fn a_known_value_is_found_in_rare_encodings() {
    let masker = Masker::new(["Kq72wZ-vL9Xb+tR4uN8s".to_owned()]);
    // Made with Python; those of the second half are of `user:` and the value.
    for encoded in [
        "OK~?ccUmoWOgUI$D|Avcbxt^Q",
        r"95umGG?QSA9K?3a.s+ZGF\Xo;",
        "ok#)CCuMOwoGui:d%aVCBXT]q",
        "jnytomtxliwxmtbzlbrcw5csgr2u4odt",
        "9DOJECJNB8MNCJ1PB1H2MT2I6HQKSE3J",
        "b#rBMI!kdkGIv@nc1$@~Vk>k~G<8lma{",
        r#"F`V,73_OHO13ZnRG"anu@OlOu1j)PQEr"#,
        "B-Rbmi.KDKgiV[NC1:[#vK(K#g<8LMA@",
        "ovzwk4r2jnytomtxliwxmtbzlbrcw5csgr2u4odt",
        "ELPMASHQ9DOJECJNB8MNCJ1PB1H2MT2I6HQKSE3J",
        "%254b%2571%2537%2532%2577%255a%252d%2576%254c%2539%2558%2562%252b%2574%2552%2534%2575%254e%2538%2573",
        "004b0071003700320077005a002d0076004c003900580062002b0074005200340075004e00380073",
        "4B0071003700320077005A002D0076004C003900580062002B0074005200340075004E0038007300",
        "3783e457432547b2268593c467d2a577237317b4",
        "=MHOOVHNSR3KihVOMZXLadnM3E3S",
        "AEsAcQA3ADIAdwBaAC0AdgBMADkAWABiACsAdABSADQAdQBOADgAcw==",
        "s8Nu4RtB2%bX9Lv-Zw27qK",
    ] {
        let text = format!("x = {encoded} end");
        let masked = masker.mask(&text);
        let shown = masked.strip_prefix("x = ").and_then(|rest| rest.strip_suffix(" end"));
        // The first and last characters depend also on the text around the value.
        assert!(
            shown.is_some_and(|shown| shown.contains("***") && shown.len() < 18),
            "{text} -> {masked}"
        );
    }
}
