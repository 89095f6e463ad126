//! Reads JSON, strictly or with comments.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;

use super::node::{ConfigValue, FaultKind, Field, LineTable, MAX_DEPTH, Node, ParsedConfig};

/// Returns the value of a text; none of a text that is no JSON at all.
pub(super) fn parse_json(text: &str) -> ParsedConfig {
    let lines = LineTable::new(text);
    let mut parsed = ParsedConfig::default();
    match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()) {
        // The parser's default options allow comments, trailing commas and single quotes.
        Ok(ast) => {
            let mut reader = JsonReader { lines, parsed: &mut parsed };
            // A text of comments only has no value and no fault.
            let root = ast.value.map(|value| reader.read_value(&value, 0));
            parsed.documents.extend(root);
        }
        Err(error) => {
            let line = lines.line(error.range().start);
            let kind = match error.kind() {
                // The depth is a fault of its own, because the text may be valid.
                ParseErrorKind::NestingDepthExceeded => FaultKind::TooDeep,
                kind => FaultKind::Syntax(kind.to_string()),
            };
            parsed.add_fault(line, kind);
        }
    }
    parsed
}

/// Returns the value of a text that is nothing but JSON.
pub(super) fn parse_strict_json(text: &str) -> ParsedConfig {
    // The tolerant parser has no strict mode for numbers and escapes, so serde's checks the text first.
    // A second pass reads the values: serde's parser gives no lines of keys.
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else { return parse_json(text) };
    let message = error.to_string();
    // serde appends ` at line 1 column 5`, which the fault has in a field.
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    let mut parsed = ParsedConfig::default();
    parsed.add_fault(error.line().max(1), FaultKind::Syntax(message));
    parsed
}

struct JsonReader<'p> {
    lines: LineTable,
    parsed: &'p mut ParsedConfig,
}

impl JsonReader<'_> {
    /// Returns a value with its line. Values that nest too deeply are a fault, so that no input
    /// exhausts the stack.
    fn read_value(&mut self, ast: &Ast<'_>, depth: usize) -> Node {
        let line = self.lines.line(ast.start());
        let value = match ast {
            // Checked before the recursion, which the depth bounds.
            Ast::Array(_) | Ast::Object(_) if depth >= MAX_DEPTH => {
                self.parsed.add_fault(line, FaultKind::TooDeep);
                ConfigValue::Nothing
            }
            Ast::StringLit(text) => ConfigValue::Text(text.value.to_string()),
            Ast::NumberLit(number) => read_number(number.value),
            Ast::BooleanLit(switch) => ConfigValue::Switch(switch.value),
            Ast::NullKeyword(_) => ConfigValue::Nothing,
            Ast::Array(array) => {
                let items = array.elements.iter();
                ConfigValue::List(items.map(|item| self.read_value(item, depth + 1)).collect())
            }
            Ast::Object(object) => {
                let mut fields = Vec::with_capacity(object.properties.len());
                for property in &object.properties {
                    let name = property.name.as_str().to_owned();
                    // The line of the key and not of the value: messages point to what the user
                    // searches.
                    let line = self.lines.line(property.name.start());
                    fields.push(Field {
                        name,
                        line,
                        value: self.read_value(&property.value, depth + 1),
                    });
                }
                ConfigValue::Table(fields)
            }
        };
        Node { line, value }
    }
}

/// `0xFF` and `+1` are JSON5's.
fn read_number(text: &str) -> ConfigValue {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match hexadecimal {
        // Large hexadecimal numbers are no settings; they become nothing.
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
        None => text.parse().ok(),
    };
    number.map_or(ConfigValue::Nothing, ConfigValue::Number)
}
