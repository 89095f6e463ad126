//! What stands in classes and object literals, and the parameters that make properties.

use oxc_ast::ast::{
    Class, ClassElement, Decorator, Expression, FormalParameter, MethodDefinition,
    ObjectExpression, ObjectProperty, ObjectPropertyKind, PropertyKey, PropertyKind,
    TSAccessibility, TSTypeAnnotation,
};
use oxc_ast_visit::{Visit as _, walk};
use oxc_span::{GetSpan as _, Span};

use super::place;
use super::reader::{Sketch, Typed, bare, head_end, is_function};
use crate::index::facts::SymbolKind;

/// A field of a class, of whatever sort.
struct Field<'b, 'a> {
    span: Span,
    decorators: &'b [Decorator<'a>],
    key: &'b PropertyKey<'a>,
    computed: bool,
    access: Option<TSAccessibility>,
    annotation: Option<&'b TSTypeAnnotation<'a>>,
    value: Option<&'b Expression<'a>>,
}

impl<'a> Typed<'a, '_> {
    /// Reads a class that is a value; one with a name of its own is a symbol.
    pub(super) fn class_value(&mut self, it: &Class<'a>) {
        let is_bound = self.bound.take_if(|bound| *bound == it.span.start).is_some();
        let name = it.id.as_ref().map(|id| id.span).filter(|_| !is_bound);
        let is_open = name.is_some_and(|name| {
            let sketch = Sketch {
                kind: SymbolKind::Class,
                name: self.text(name),
                at: name.start,
                whole: it.span,
                head: self.after_decorators(it.span, &it.decorators),
                body: Some(it.body.span.start),
                exported: false,
            };
            self.open(sketch, it.span.start)
        });
        self.in_class(it);
        self.close(is_open);
    }

    /// Reads what is in a class.
    pub(super) fn in_class(&mut self, it: &Class<'a>) {
        self.decorators(&it.decorators, true);
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_ts_class_implements_list(&it.implements);
        self.visit_class_body(&it.body);
    }

    /// Reads a member of a class.
    pub(super) fn member(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::MethodDefinition(it) => self.method(it),
            ClassElement::PropertyDefinition(it) => {
                self.field(&Field {
                    span: it.span,
                    decorators: &it.decorators,
                    key: &it.key,
                    computed: it.computed,
                    access: it.accessibility,
                    annotation: it.type_annotation.as_deref(),
                    value: it.value.as_ref(),
                });
            }
            ClassElement::AccessorProperty(it) => {
                self.field(&Field {
                    span: it.span,
                    decorators: &it.decorators,
                    key: &it.key,
                    computed: it.computed,
                    access: it.accessibility,
                    annotation: it.type_annotation.as_deref(),
                    value: it.value.as_ref(),
                });
            }
            ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => {
                walk::walk_class_element(self, it);
            }
        }
    }

    fn method(&mut self, it: &MethodDefinition<'a>) {
        let head = self.after_decorators(it.span, &it.decorators);
        let value = &it.value;
        let ends = value.return_type.as_ref().map_or(value.params.span.end, |it| it.span.end);
        let end = if value.body.is_some() { it.span.end } else { ends };
        // TypeScript's grammar has them before the method, that of JavaScript in it.
        let start = if self.is_typescript { head } else { it.span.start };
        if self.is_typescript {
            self.decorators(&it.decorators, false);
        }
        let whole = Span::new(start, end);
        let (name, at) = self.key(&it.key, it.computed);
        let sketch = Sketch {
            kind: SymbolKind::Method,
            name,
            at,
            whole,
            head,
            body: it.value.body.as_ref().map(|body| body.span.start),
            exported: !is_private(&it.key, it.accessibility),
        };
        let is_open = self.open(sketch, start);
        if !self.is_typescript {
            self.decorators(&it.decorators, true);
        }
        self.visit_property_key(&it.key);
        self.inside(value);
        self.close(is_open);
    }

    fn field(&mut self, it: &Field<'_, 'a>) {
        let value = it.value.map(bare);
        let calls = value.filter(|value| is_function(value));
        let (name, at) = self.key(it.key, it.computed);
        let sketch = Sketch {
            kind: if calls.is_some() { SymbolKind::Method } else { SymbolKind::Property },
            name,
            at,
            whole: self.field_span(it),
            head: self.after_decorators(it.span, it.decorators),
            body: value.and_then(head_end),
            exported: !is_private(it.key, it.access),
        };
        let is_open = self.open(sketch, it.span.start);
        self.decorators(it.decorators, true);
        self.visit_property_key(it.key);
        if let Some(annotation) = it.annotation {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(value) = it.value {
            self.bound = calls.filter(|_| is_open).map(|calls| calls.span().start);
            self.visit_expression(value);
        }
        self.close(is_open);
    }

    /// Returns a field without the semicolon and what stands before that.
    fn field_span(&self, it: &Field<'_, 'a>) -> Span {
        let end = it.value.map(|value| value.span().end);
        let end = end.or_else(|| it.annotation.map(|annotation| annotation.span.end));
        match end {
            Some(end) => Span::new(it.span.start, end),
            None => Span::new(it.span.start, self.key_end(it.key, it.computed)),
        }
    }

    /// Reads an object literal: the functions of one that is kept are methods.
    pub(super) fn object(&mut self, it: &ObjectExpression<'a>) {
        let is_kept = self.object.take_if(|object| *object == it.span.start).is_some();
        for property in &it.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(it) => self.visit_spread_element(it),
                ObjectPropertyKind::ObjectProperty(it) => self.property(it, is_kept),
            }
        }
    }

    fn property(&mut self, it: &ObjectProperty<'a>, is_kept: bool) {
        let is_method = it.method || it.kind != PropertyKind::Init;
        let calls = Some(bare(&it.value)).filter(|value| is_function(value));
        let is_open = is_kept && calls.is_some() && {
            let (name, at) = self.key(&it.key, it.computed);
            let sketch = Sketch {
                kind: SymbolKind::Method,
                name,
                at,
                whole: it.span,
                head: it.span.start,
                body: calls.and_then(head_end),
                exported: !is_private(&it.key, None),
            };
            self.open(sketch, it.span.start)
        };
        if !it.shorthand {
            self.visit_property_key(&it.key);
        }
        match &it.value {
            Expression::FunctionExpression(function) if is_method => {
                if !is_kept {
                    self.nest();
                }
                self.inside(function);
                if !is_kept {
                    self.unnest();
                }
            }
            value => {
                if is_open {
                    self.bound = calls.map(|calls| calls.span().start);
                }
                self.visit_expression(value);
            }
        }
        self.close(is_open);
    }

    /// Reads a parameter; `constructor(private x: X)` makes a property of the class.
    pub(super) fn parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let name = it.pattern.span();
            let sketch = Sketch {
                kind: SymbolKind::Property,
                name: self.text(name),
                at: name.start,
                whole: it.span,
                head: self.after_decorators(it.span, &it.decorators),
                body: None,
                exported: it.accessibility != Some(TSAccessibility::Private),
            };
            let place = self.define(sketch, it.span.start);
            self.kept.move_out(place);
        }
        self.decorators(&it.decorators, false);
        self.visit_binding_pattern(&it.pattern);
        if let Some(annotation) = &it.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(initializer) = &it.initializer {
            self.visit_expression(initializer);
        }
    }

    /// Returns the name of a key, quotes off and brackets left on, and where it begins.
    pub(super) fn key(&self, key: &PropertyKey<'a>, computed: bool) -> (&'a str, u32) {
        let span = key.span();
        if computed {
            let text = self.bracketed(span);
            let start = self.opening(span.start).unwrap_or(span.start);
            return (text, start);
        }
        let name = key.as_expression().and_then(|key| self.literal(key));
        (name.unwrap_or_else(|| self.text(span)), span.start)
    }

    /// Returns where a key ends, with the mark after it.
    pub(super) fn key_end(&self, key: &PropertyKey<'a>, computed: bool) -> u32 {
        let (name, at) = self.key(key, computed);
        let end = if computed { at + place::offset(name.len()) } else { key.span().end };
        let mark = place::skipped(self.text, end);
        let has_mark = matches!(self.text.as_bytes().get(mark as usize), Some(b'?' | b'!'));
        if has_mark { mark + 1 } else { end }
    }

    /// Returns what stands in brackets, with them.
    pub(super) fn bracketed(&self, span: Span) -> &'a str {
        let start = self.opening(span.start);
        let rest = self.text.get(span.end as usize..).unwrap_or_default();
        let end = rest.find(']').map(|end| span.end + place::offset(end + 1));
        match (start, end) {
            (Some(start), Some(end)) => self.text(Span::new(start, end)),
            _ => self.text(span),
        }
    }

    fn opening(&self, before: u32) -> Option<u32> {
        let before = self.text.as_bytes().get(..before as usize)?;
        memchr::memrchr(b'[', before).map(place::offset)
    }
}

fn is_private(key: &PropertyKey<'_>, access: Option<TSAccessibility>) -> bool {
    matches!(key, PropertyKey::PrivateIdentifier(_)) || access == Some(TSAccessibility::Private)
}
