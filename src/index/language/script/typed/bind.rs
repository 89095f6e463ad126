//! Variables: functions and classes bound to a name, and what a file keeps at its top.

use oxc_ast::ast::{BindingPattern, Expression, VariableDeclaration, VariableDeclarator};
use oxc_ast_visit::Visit as _;
use oxc_span::{GetSpan as _, Span};

use super::place::Place;
use super::reader::{Sketch, Typed, bare, head_end, is_function};
use crate::index::facts::SymbolKind;
use crate::index::language::script::bind::MAX_NAMES;

impl<'a> Typed<'a, '_> {
    /// Reads a statement of variables that stands there.
    pub(super) fn variables(&mut self, it: &VariableDeclaration<'a>, place: Place) {
        let whole = (it.declarations.len() == 1).then(|| {
            let head = self.undeclared(it.span.start, it.declare);
            (place.export.unwrap_or(it.span), head)
        });
        for declarator in &it.declarations {
            let (range, head) = whole.unwrap_or((declarator.span, declarator.span.start));
            self.declarator(declarator, place, range, head);
        }
    }

    fn declarator(&mut self, it: &VariableDeclarator<'a>, place: Place, whole: Span, head: u32) {
        let value = it.init.as_ref().map(bare);
        let takes = value.is_some_and(|value| self.is_require(value));
        let mut is_open = false;
        if let BindingPattern::BindingIdentifier(name) = &it.id {
            let kind = match value {
                Some(value) if is_function(value) => Some(SymbolKind::Function),
                Some(Expression::ClassExpression(_)) => Some(SymbolKind::Class),
                _ if !place.is_top() || takes => None,
                _ => Some(SymbolKind::Variable),
            };
            if let Some(kind) = kind {
                let sketch = Sketch {
                    kind,
                    name: self.text(name.span),
                    at: name.span.start,
                    whole,
                    head,
                    body: value.and_then(head_end),
                    exported: place.export.is_some(),
                };
                is_open = self.open(sketch, it.span.start);
                self.bind(kind, value);
            }
        } else if place.is_top() && !takes {
            for name in names(&it.id) {
                let sketch = Sketch {
                    kind: SymbolKind::Variable,
                    name: self.text(name),
                    at: name.start,
                    whole: it.span,
                    head: it.span.start,
                    body: None,
                    exported: place.export.is_some(),
                };
                self.define(sketch, it.span.start);
            }
        }
        self.values(it);
        self.close(is_open);
    }

    fn values(&mut self, it: &VariableDeclarator<'a>) {
        // What a pattern holds is no value of the name.
        if !matches!(it.id, BindingPattern::BindingIdentifier(_)) {
            self.visit_binding_pattern(&it.id);
        }
        if let Some(annotation) = &it.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(init) = &it.init {
            self.take_bound(init, &it.id);
            self.visit_expression(init);
        }
    }

    /// Notes that the value that comes next is that of the symbol just opened.
    pub(super) fn bind(&mut self, kind: SymbolKind, value: Option<&Expression<'a>>) {
        self.bound = None;
        self.object = None;
        match value {
            Some(Expression::ObjectExpression(it)) if kind == SymbolKind::Variable => {
                self.object = Some(it.span.start);
            }
            Some(value)
                if is_function(value) || matches!(value, Expression::ClassExpression(_)) =>
            {
                self.bound = Some(value.span().start);
            }
            _ => {}
        }
    }

    fn is_require(&self, value: &Expression<'a>) -> bool {
        let Expression::CallExpression(call) = value else { return false };
        let first = call.arguments.first().and_then(|first| first.as_expression());
        self.text(call.callee.span()) == "require"
            && first.is_some_and(|first| self.literal(first).is_some())
    }
}

/// Returns the places of the identifiers that a pattern binds, in source order.
pub(super) fn names(pattern: &BindingPattern<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open = vec![pattern];
    while let Some(pattern) = open.pop() {
        if found.len() >= MAX_NAMES {
            break;
        }
        match pattern {
            BindingPattern::BindingIdentifier(it) => found.push(it.span),
            BindingPattern::ObjectPattern(it) => {
                open.extend(it.rest.as_ref().map(|rest| &rest.argument));
                open.extend(it.properties.iter().rev().map(|property| &property.value));
            }
            BindingPattern::ArrayPattern(it) => {
                open.extend(it.rest.as_ref().map(|rest| &rest.argument));
                open.extend(it.elements.iter().rev().flatten());
            }
            BindingPattern::AssignmentPattern(it) => open.push(&it.left),
        }
    }
    found
}
