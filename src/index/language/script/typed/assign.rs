//! Assignments that define or give away: `module.exports`, `exports.x`, `X.prototype.y`.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, CallExpression, Expression,
    ObjectExpression, ObjectPropertyKind, StaticMemberExpression,
};
use oxc_span::{GetSpan as _, Span};

use super::reader::{Sketch, Typed, bare, head_end, is_function, own_name};
use crate::index::facts::SymbolKind;

/// What an assignment is to.
enum Target {
    /// `module.exports`
    Module,
    /// `exports.x`, `module.exports.x`
    Export,
    /// `X.prototype.x`
    Prototype,
    /// `X.x`
    Static,
}

/// Where an assignment is, the statement of it alone, and the name it gives.
struct Places {
    own: Span,
    whole: Span,
    name: Span,
}

impl<'a> Typed<'a, '_> {
    /// Reads an assignment; returns whether it opened a symbol.
    pub(super) fn assignment(&mut self, it: &AssignmentExpression<'a>) -> bool {
        let statement = self.statement.take_if(|(statement, _)| statement.start == it.span.start);
        if it.operator != AssignmentOperator::Assign {
            return false;
        }
        let AssignmentTarget::StaticMemberExpression(left) = &it.left else { return false };
        let Some(target) = self.target(left, statement.is_some_and(|(_, is_top)| is_top)) else {
            return false;
        };
        let whole = statement.map_or(it.span, |(statement, _)| statement);
        let name = left.property.span;
        let value = bare(&it.right);
        let places = Places { own: it.span, whole, name };
        match target {
            Target::Module => self.whole(it.span, whole, value),
            Target::Export => {
                let local = own_name(value).filter(|_| matches!(value, Expression::Identifier(_)));
                let local = local.map(|local| self.text(local));
                self.export(it.span.start, self.text(name), local, None);
                let is_void = matches!(
                    value,
                    Expression::Identifier(_)
                        | Expression::UnaryExpression(_)
                        | Expression::AssignmentExpression(_)
                );
                let is_further = matches!(value, Expression::AssignmentExpression(inner) if inner.operator != AssignmentOperator::Assign);
                (!is_void || is_further) && self.assigned(&places, value, SymbolKind::Variable)
            }
            Target::Prototype => {
                is_function(value) && self.assigned(&places, value, SymbolKind::Method)
            }
            Target::Static => {
                is_function(value) && self.assigned(&places, value, SymbolKind::Function)
            }
        }
    }

    fn target(&self, left: &StaticMemberExpression<'a>, is_top: bool) -> Option<Target> {
        let object = self.text(left.object.span());
        match object {
            "module" if left.property.name == "exports" => Some(Target::Module),
            "exports" | "module.exports" => Some(Target::Export),
            _ if !is_top => None,
            _ if object.ends_with(".prototype") => Some(Target::Prototype),
            _ if matches!(left.object, Expression::Identifier(_)) => Some(Target::Static),
            _ => None,
        }
    }

    fn assigned(&mut self, places: &Places, value: &Expression<'a>, otherwise: SymbolKind) -> bool {
        let kind = match value {
            value if is_function(value) && otherwise == SymbolKind::Variable => {
                SymbolKind::Function
            }
            Expression::ClassExpression(_) => SymbolKind::Class,
            _ => otherwise,
        };
        let sketch = Sketch {
            kind,
            name: self.text(places.name),
            at: places.name.start,
            whole: places.whole,
            head: places.whole.start,
            body: head_end(value),
            exported: false,
        };
        let is_open = self.open(sketch, places.own.start);
        self.bind(kind, Some(value));
        is_open
    }

    /// Reads `module.exports = …`; returns whether it opened a symbol.
    fn whole(&mut self, own: Span, whole: Span, value: &Expression<'a>) -> bool {
        let local = own_name(value).map(|name| self.text(name));
        self.export(own.start, "default", local, None);
        if let Expression::ObjectExpression(object) = value {
            self.given(object);
        }
        local.is_none() && self.unnamed(own, whole, value, false)
    }

    /// Exports each member of an object literal.
    fn given(&mut self, object: &ObjectExpression<'a>) {
        for member in &object.properties {
            let ObjectPropertyKind::ObjectProperty(member) = member else { continue };
            let (name, _) = self.key(&member.key, member.computed);
            let local = match bare(&member.value) {
                Expression::Identifier(local) if !member.shorthand && local.name != "undefined" => {
                    Some(self.text(local.span))
                }
                _ => None,
            };
            self.export(member.span.start, name, local, None);
        }
    }

    /// Opens the symbol of a default that has no name of its own: a function, class or object literal.
    pub(super) fn unnamed(
        &mut self,
        own: Span,
        whole: Span,
        value: &Expression<'a>,
        exported: bool,
    ) -> bool {
        let kind = match value {
            value if is_function(value) => SymbolKind::Function,
            Expression::ClassExpression(_) => SymbolKind::Class,
            Expression::ObjectExpression(_) => SymbolKind::Variable,
            _ => return false,
        };
        let sketch = Sketch {
            kind,
            name: "default",
            at: own.start,
            whole,
            head: whole.start,
            body: head_end(value),
            exported,
        };
        let is_open = self.open(sketch, own.start);
        self.bind(kind, Some(value));
        is_open
    }

    /// Reads `Object.defineProperty(exports, "name", …)`, which compilers write.
    pub(super) fn defined(&mut self, call: &CallExpression<'a>) {
        if let [object, name, ..] = call.arguments.as_slice()
            && matches!(self.text(object.span()), "exports" | "module.exports")
            && let Some(name) = name.as_expression().and_then(|name| self.literal(name))
            && name != "__esModule"
        {
            self.export(call.span.start, name, None, None);
        }
    }
}
