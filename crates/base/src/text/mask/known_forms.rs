//! Writes a secret in the forms in which programs print it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use data_encoding::{BASE32_NOPAD, BASE32HEX_NOPAD};

use super::wording::MIN_CHARS;

/// Shorter lines of a secret are not secret by themselves.
const MIN_LINE_CHARS: usize = 8;

/// Longer values, such as keys in several lines, are not written in the forms that only short ones are printed in.
const MAX_SHORT_BYTES: usize = 300;

/// Longer values are not looked for as a whole, only by their lines and by their first bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Returns the value and its forms: encoded, escaped, reversed, by its lines.
pub(super) fn forms_of(value: &str) -> Vec<String> {
    let value = value.trim();
    let value = value.get(..value.floor_char_boundary(MAX_BYTES)).unwrap_or(value);
    let lines = value.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE_CHARS);
    let lines: Vec<_> = lines.filter(|line| *line != value && !is_armour(line)).collect();
    let mut forms = Vec::new();
    for text in std::iter::once(value).chain(lines) {
        forms.push(text.to_owned());
        forms.push(text.chars().rev().collect());
        forms.extend(base64_forms(text.as_bytes()));
        forms.push(hex(text.as_bytes(), "", false));
        forms.push(hex(text.as_bytes(), "", true));
        forms.push(hex(text.as_bytes(), r"\x", false));
        for upper in [false, true] {
            forms.push(hex(text.as_bytes(), "%", upper));
            // The characters that RFC 3986, `encodeURIComponent`, `encodeURI`, forms of HTML, and PHP do not encode.
            for plain in ["-._~", "-._~!'()*", "-._~!'()*;/?:@&=+$,#", "-._*", "-._", "-._~/"] {
                let encoded = percent_encoded(text, plain, upper);
                forms.push(encoded.replace("%20", "+"));
                forms.push(encoded);
            }
        }
        forms.extend(json_forms(text));
        forms.extend(html_forms(text));
        forms.push(text.replace('\'', r"'\''"));
        forms.push(text.replace('\'', r"\'"));
        if text.len() <= MAX_SHORT_BYTES {
            forms.extend(byte_lists(text.as_bytes()));
            forms.extend(rare_encodings(text));
        }
    }
    forms.retain(|form| form.len() >= MIN_CHARS);
    forms.sort();
    forms.dedup();
    forms
}

/// Returns `true` for the first and last line of a key block, which all keys share.
fn is_armour(line: &str) -> bool {
    line.starts_with("-----")
}

/// Returns what is common to all base64 texts with the bytes in them, for each of three alignments.
fn base64_forms(bytes: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for (before, partial) in [(0, 0), (1, 2), (2, 3)] {
        let padded = [&[0; 2][..before], bytes].concat();
        // The last character also carries bits of what follows.
        let whole = padded.len() * 8 / 6;
        for encoded in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            forms.extend(encoded.get(partial..whole).map(str::to_owned));
            if before == 0 {
                forms.push(encoded);
            }
        }
    }
    forms
}

/// Returns the bytes as lists of numbers, as debuggers, dumps and languages print them.
fn byte_lists(bytes: &[u8]) -> Vec<String> {
    let list = |number: &dyn Fn(u8) -> String, between: &str| {
        bytes.iter().map(|byte| number(*byte)).collect::<Vec<_>>().join(between)
    };
    let mut forms = vec![
        list(&|byte| byte.to_string(), ","),
        list(&|byte| byte.to_string(), ""),
        list(&|byte| format!("0x{byte:02x}"), ","),
        list(&|byte| format!("0x{byte:02X}"), ","),
        list(&|byte| format!(r"\x{byte:02X}"), ""),
        list(&|byte| format!(r"\{byte:03o}"), ""),
    ];
    for between in [":", "-"] {
        forms.push(list(&|byte| format!("{byte:02x}"), between));
        forms.push(list(&|byte| format!("{byte:02X}"), between));
    }
    forms
}

/// Returns the text with every character as a reference or an escape, and encoded twice or in UTF-16.
fn rare_encodings(text: &str) -> Vec<String> {
    let each = |form: &dyn Fn(u32) -> String| text.chars().map(|c| form(c.into())).collect();
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut forms = vec![
        each(&|c| format!("&#{c};")),
        each(&|c| format!("&#x{c:x};")),
        each(&|c| format!("&#x{c:X};")),
        each(&|c| format!(r"\u{c:04x}")),
        each(&|c| format!(r"\u{c:04X}")),
        hex(text.as_bytes(), "%25", true),
        percent_encoded(&percent_encoded(text, "-._~", true), "-._~", true),
        hex(text.as_bytes(), "%25", false),
        hex(&utf_16, "", false),
        hex(&utf_16, "", true),
        hex(&utf_16_of(text), "", false),
        hex(&utf_16_of(text), "", true),
    ];
    for encoding in [&BASE32_NOPAD, &BASE32HEX_NOPAD] {
        let encode = |bytes: &[u8]| encoding.encode(bytes);
        let upper = group_forms(text.as_bytes(), 5, &encode);
        forms.extend(upper.iter().map(|form| form.to_lowercase()));
        forms.extend(upper);
    }
    for digits in [ASCII_85, RFC_1924, Z_85] {
        forms.extend(group_forms(text.as_bytes(), 4, &|bytes| base85(bytes, digits)));
    }
    forms.extend(base64_forms(&utf_16_of(text)));
    let backwards = [
        hex(text.as_bytes(), "", false),
        hex(text.as_bytes(), "", true),
        percent_encoded(text, "-._~", true),
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
    ];
    forms.extend(backwards.map(|form| form.chars().rev().collect()));
    forms.extend(base64_forms(&utf_16));
    for once in [STANDARD.encode(text), STANDARD_NO_PAD.encode(text)] {
        forms.extend(base64_forms(once.as_bytes()));
    }
    forms
}

/// Returns the text in UTF-16 with the upper byte of each unit first.
fn utf_16_of(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Returns what an encoding of groups of bytes has for the bytes, wherever in a group they begin.
fn group_forms(bytes: &[u8], group: usize, encode: &dyn Fn(&[u8]) -> String) -> Vec<String> {
    let mut forms = vec![encode(bytes)];
    for skipped in 0..group {
        let rest = bytes.get(skipped..).unwrap_or_default();
        let whole = rest.len() - rest.len() % group;
        // Less than two groups would be found by chance.
        if whole >= 2 * group {
            forms.extend(rest.get(..whole).map(encode));
        }
    }
    forms
}

/// The digits of base 85: those of Adobe, of RFC 1924 (git and Python), and of `ZeroMQ`.
const ASCII_85: &[u8; 85] =
    b"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu";
const RFC_1924: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const Z_85: &[u8; 85] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/// Returns bytes in base 85: five digits for four bytes, and one more digit than there are bytes for the rest.
fn base85(bytes: &[u8], digits: &[u8; 85]) -> String {
    let mut text = String::with_capacity(bytes.len() * 5 / 4 + 5);
    for group in bytes.chunks(4) {
        let mut number = [0; 4];
        for (place, byte) in number.iter_mut().zip(group) {
            *place = *byte;
        }
        let mut rest = u32::from_be_bytes(number);
        let mut group_digits = ['\0'; 5];
        for place in group_digits.iter_mut().rev() {
            let digit = usize::try_from(rest % 85).ok().and_then(|at| digits.get(at));
            *place = digit.map_or('\0', |digit| char::from(*digit));
            rest /= 85;
        }
        text.extend(group_digits.into_iter().take(group.len() + 1));
    }
    text
}

/// Returns bytes in hex, each with a mark before it: none, `%` or `\x`.
fn hex(bytes: &[u8], mark: &str, upper: bool) -> String {
    let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let mut text = String::with_capacity(bytes.len() * (mark.len() + 2));
    for byte in bytes {
        text.push_str(mark);
        for digit in [byte >> 4, byte & 15] {
            text.extend(digits.get(usize::from(digit)).map(|digit| char::from(*digit)));
        }
    }
    text
}

/// Returns the text with all but letters, digits and `plain` as `%41`.
fn percent_encoded(text: &str, plain: &str, upper: bool) -> String {
    let mut encoded = String::with_capacity(text.len() * 3);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || plain.contains(c) {
            encoded.push(c);
        } else {
            encoded.push_str(&hex(c.encode_utf8(&mut [0; 4]).as_bytes(), "%", upper));
        }
    }
    encoded
}

/// Returns the text as the inside of a JSON string, also one inside another, with and without escapes for `/` and for other scripts.
fn json_forms(text: &str) -> Vec<String> {
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json.get(1..json.len() - 1).unwrap_or_default().to_owned()
    };
    let once = quoted(text);
    let mut ascii = String::new();
    for c in once.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                ascii.push_str(r"\u");
                ascii.push_str(&hex(&unit.to_be_bytes(), "", false));
            }
        }
    }
    // Go and Rails write these as escapes, for pages that embed JSON.
    let for_pages = ascii.replace('&', r"\u0026").replace('<', r"\u003c").replace('>', r"\u003e");
    let for_pages_with_quotes = for_pages.replace('\'', r"\u0027");
    vec![quoted(&once), once.replace('/', r"\/"), once, ascii, for_pages, for_pages_with_quotes]
}

/// Returns the text with the escapes of HTML and XML, as different programs write quotes.
fn html_forms(text: &str) -> Vec<String> {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut forms = vec![escaped.clone()];
    for (double, single) in [
        ("&quot;", "&#39;"),
        ("&quot;", "&#x27;"),
        ("&#34;", "&#39;"),
        ("&quot;", "&apos;"),
        ("&quot;", "'"),
    ] {
        forms.push(escaped.replace('"', double).replace('\'', single));
    }
    forms.push(forms.last().map(|form| form.replace('/', "&#x2F;")).unwrap_or_default());
    forms
}
