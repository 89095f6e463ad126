//! Literals in the trees of all languages, and numbers in one spelling.

use tree_sitter::Node;

/// Returns `true` if a node is a number or a string. The names of node kinds differ between the
/// grammars, so they are compared by parts.
pub(super) fn is_literal(node: Node<'_>) -> bool {
    let kind = node.kind();
    let is_number = kind.contains("integer")
        || kind.contains("float")
        || matches!(kind, "number" | "int_literal" | "number_literal" | "real_literal");
    let is_type = kind.ends_with("type") || kind.contains("specifier");
    let is_string = kind.contains("string")
        && !["content", "fragment", "start", "end", "array"].iter().any(|it| kind.contains(it));
    (is_number && !is_type) || is_string || kind == "preproc_arg"
}

/// Returns a number in its shortest decimal form: `50` for `0x32`, `5_0` and `50.0`; `None` for other texts.
pub(super) fn normalize_number(literal: &str) -> Option<String> {
    parse_number(literal).map(show)
}

/// Writes a number without a fraction if it has none: `50`, not `50.0`.
fn show(number: f64) -> String {
    format!("{number}")
}

/// Reads a number with separators, a prefix for its base and a suffix for its type: `0x32`,
/// `1_000u32`, `3L`.
fn parse_number(literal: &str) -> Option<f64> {
    // Separators and cases differ between languages and do not change the value.
    let plain: String = literal.chars().filter(|c| *c != '_').collect::<String>().to_lowercase();
    for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
        if let Some(digits) = plain.strip_prefix(prefix) {
            let digits = digits.trim_end_matches(['l', 'n', 'u']);
            return u32::from_str_radix(digits, radix).ok().map(f64::from);
        }
    }
    let is_suffix = |c: char| matches!(c, 'l' | 'n' | 'f' | 'd' | 'u' | 'm');
    let suffix =
        ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "f32", "f64"]
            .iter()
            .find_map(|suffix| plain.strip_suffix(suffix));
    let digits = suffix.unwrap_or(&plain).trim_end_matches(is_suffix);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_forms_have_one_spelling() {
        for (literal, expected) in [
            ("50", "50"),
            ("0x32", "50"),
            ("0b110010", "50"),
            ("5_0", "50"),
            ("50.0", "50"),
            ("50i64", "50"),
            ("50L", "50"),
            ("1.50", "1.5"),
        ] {
            assert_eq!(normalize_number(literal).as_deref(), Some(expected), "{literal}");
        }
        assert_eq!(normalize_number("fifty"), None);
    }
}
