//! Tests and suites, which have a text for a name: `describe("…")`, `it.each(…)("…")`.

use oxc_ast::ast::{Argument, CallExpression, Expression};
use oxc_span::GetSpan as _;

use super::reader::{Sketch, Typed, head_end};
use crate::index::facts::SymbolKind;
use crate::index::language::script::suite::{MAKERS, MAX_CHAIN, WAYS, is_test, unescape};

impl<'a> Typed<'a, '_> {
    /// Opens the test that a call makes; returns whether it is one.
    pub(super) fn open_test(&mut self, it: &CallExpression<'a>, callee: &Expression<'a>) -> bool {
        let Some(ways) = ways(callee) else { return false };
        let Some(title) = it.arguments.first().and_then(Argument::as_expression) else {
            return false;
        };
        let text = match title {
            Expression::TemplateLiteral(title) => Some(self.unquoted(title.span)),
            title => self.literal(title),
        };
        let Some(text) = text.filter(|text| is_test(&ways, text, it.arguments.len())) else {
            return false;
        };
        let bodies = it.arguments.iter().filter_map(|argument| match argument.as_expression()? {
            Expression::ObjectExpression(_)
            | Expression::ArrayExpression(_)
            | Expression::TemplateLiteral(_) => None,
            argument => head_end(argument),
        });
        let sketch = Sketch {
            kind: SymbolKind::Test,
            name: text,
            at: title.span().start,
            whole: it.span,
            head: it.span.start,
            body: { bodies }.next(),
            exported: false,
        };
        let is_open = self.open(sketch, it.span.start);
        if is_open {
            unescape(self.kept.facts.symbols.last_mut(), text);
        }
        is_open
    }
}

/// Returns the names of what is called, the maker first; `None` when it makes no test.
fn ways<'a>(callee: &Expression<'a>) -> Option<Vec<&'a str>> {
    let mut ways = Vec::new();
    let mut part = callee;
    for _ in 0..MAX_CHAIN {
        match part {
            Expression::Identifier(maker) => {
                let maker = maker.name.as_str();
                if !MAKERS.contains(&maker) {
                    return None;
                }
                ways.push(maker);
                ways.reverse();
                return Some(ways);
            }
            Expression::StaticMemberExpression(member) => {
                let way = member.property.name.as_str();
                if !WAYS.contains(&way) {
                    return None;
                }
                ways.push(way);
                part = &member.object;
            }
            // `it.each(table)` and `it.skipIf(flag)` return what makes the test.
            Expression::CallExpression(call) => part = &call.callee,
            Expression::TaggedTemplateExpression(call) => part = &call.tag,
            _ => return None,
        }
    }
    None
}
