//! The values of expressions that are made of constants only: `25 * 2`, `0x32`, `int("50")`.

use tree_sitter::Node;

/// Most nested levels of an expression; deeper ones have no value here, which bounds the
/// recursion.
const MAX_DEPTH: usize = 12;

/// A value of such an expression.
enum ConstantValue {
    /// Every number is a float, as in JavaScript; the values of tests are rarely larger than
    /// 2^53.
    Number(f64),
    Text(String),
}

/// Returns the value of an expression of constants, such as `50` for `25 * 2` and `int("50")`.
///
/// A change can hide an expected value in such an expression, so it is compared by value.
/// Returns `None` if the node contains anything else.
pub(super) fn evaluate(node: Node<'_>, text: &str) -> Option<String> {
    Some(match read_value(node, text, 0)? {
        ConstantValue::Number(number) => show(number),
        ConstantValue::Text(text) => text,
    })
}

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

/// Returns the value of a node, or `None` if it is not constant.
fn read_value(node: Node<'_>, text: &str, depth: usize) -> Option<ConstantValue> {
    if depth > MAX_DEPTH {
        return None;
    }
    // The quotes are compared as a pair: an f-string or a template has none of these at both
    // ends.
    let own = text.get(node.byte_range())?;
    if is_literal(node) {
        let quoted = ["\"", "'", "`"].iter().find_map(|it| own.strip_prefix(it)?.strip_suffix(it));
        return match quoted {
            Some(inner) => Some(ConstantValue::Text(inner.to_owned())),
            None => parse_number(own).map(ConstantValue::Number),
        };
    }
    let kind = node.kind();
    let inner = |node| read_value(node, text, depth + 1);
    if kind.starts_with("binary") {
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        let operator = text.get(node.child_by_field_name("operator")?.byte_range())?;
        return combine(inner(left)?, operator, inner(right)?);
    }
    if kind.starts_with("unary") {
        return match inner(node.named_child(0)?)? {
            ConstantValue::Number(number) if own.starts_with('-') => {
                Some(ConstantValue::Number(-number))
            }
            ConstantValue::Number(number) if own.starts_with('+') => {
                Some(ConstantValue::Number(number))
            }
            _ => None,
        };
    }
    if kind == "parenthesized_expression" {
        return inner(node.named_child(0)?);
    }
    let is_call = kind == "call" || kind.contains("call_expression") || kind.contains("invocation");
    let arguments = node.child_by_field_name("arguments").filter(|_| is_call)?;
    let first = inner(arguments.named_child(0)?)?;
    let head = text.get(node.start_byte()..arguments.start_byte())?;
    // Only the last part of the name counts: `Math.floor` and `math.floor` are `floor`.
    call(head.rsplit(['.', ':']).next()?.trim(), first)
}

/// Returns the result of an operator on two values; `None` if it does not apply or is not
/// finite.
fn combine(left: ConstantValue, operator: &str, right: ConstantValue) -> Option<ConstantValue> {
    let (left, right) = match (left, right) {
        (ConstantValue::Number(left), ConstantValue::Number(right)) => (left, right),
        (ConstantValue::Text(left), ConstantValue::Text(right)) if operator == "+" => {
            return Some(ConstantValue::Text(left + &right));
        }
        // A repeated text is built step by step, up to a small count.
        (ConstantValue::Text(text), ConstantValue::Number(count))
            if operator == "*" && count <= 1_000.0 =>
        {
            // A bounded loop instead of `repeat`, so that `"x" * 1e9` cannot exhaust the
            // memory.
            let mut all = String::new();
            let mut done = 0.0;
            while done < count {
                all.push_str(&text);
                done += 1.0;
            }
            return Some(ConstantValue::Text(all));
        }
        _ => return None,
    };
    let value = match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => (left / right).floor(),
        "%" => left % right,
        "**" => left.powf(right),
        "<<" => left * right.exp2(),
        ">>" => (left / right.exp2()).floor(),
        _ => return None,
    };
    value.is_finite().then_some(ConstantValue::Number(value))
}

/// Returns the value of a known conversion or rounding function of one constant.
fn call(name: &str, argument: ConstantValue) -> Option<ConstantValue> {
    Some(match (name, argument) {
        (
            "int" | "float" | "Number" | "parseInt" | "parseFloat" | "Atoi" | "valueOf",
            ConstantValue::Text(text),
        ) => ConstantValue::Number(parse_number(text.trim())?),
        ("round" | "Round" | "rint", ConstantValue::Number(number)) => {
            ConstantValue::Number(number.round())
        }
        ("int" | "floor" | "trunc" | "Floor", ConstantValue::Number(number)) => {
            ConstantValue::Number(number.floor())
        }
        ("ceil" | "Ceil", ConstantValue::Number(number)) => ConstantValue::Number(number.ceil()),
        ("abs" | "Abs" | "float" | "Number", ConstantValue::Number(number)) => {
            ConstantValue::Number(number.abs())
        }
        ("str" | "String" | "valueOf" | "toString", ConstantValue::Number(number)) => {
            ConstantValue::Text(show(number))
        }
        ("len", ConstantValue::Text(text)) => {
            ConstantValue::Number(u32::try_from(text.chars().count()).ok().map(f64::from)?)
        }
        ("ord", ConstantValue::Text(text)) => {
            ConstantValue::Number(text.chars().next().map(u32::from)?.into())
        }
        _ => return None,
    })
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
