//! Calls: of functions, of constructors, of components.

use oxc_ast::ast::{
    CallExpression, ChainElement, Expression, JSXElementName, JSXOpeningElement,
    TaggedTemplateExpression,
};
use oxc_span::{GetSpan as _, Span};

use super::reader::{Typed, bare};
use crate::index::facts::ImportKind;

impl<'a> Typed<'a, '_> {
    /// Reads a call; returns whether it opened a test.
    pub(super) fn call(&mut self, it: &CallExpression<'a>) -> bool {
        let callee = bare(&it.callee);
        match callee {
            Expression::Identifier(name) if name.name == "require" => {
                let first = it.arguments.first().and_then(|first| first.as_expression());
                self.taken_by_call(it.span, ImportKind::Require, first);
                return false;
            }
            Expression::StaticMemberExpression(member)
                if member.property.name == "defineProperty"
                    && self.text(member.span) == "Object.defineProperty" =>
            {
                self.defined(it);
            }
            _ if self.open_test(it, callee) => return true,
            _ => {}
        }
        self.called(it.span, callee);
        false
    }

    /// Reads a template that is given to a function.
    pub(super) fn tagged(&mut self, it: &TaggedTemplateExpression<'a>) {
        let tag = bare(&it.tag);
        if !matches!(tag, Expression::Identifier(name) if name.name == "require") {
            self.called(it.span, tag);
        }
    }

    /// Reads an element: one with a capital letter or a dot is a component, a function or class of somebody.
    pub(super) fn element(&mut self, it: &JSXOpeningElement<'a>) {
        let name = match &it.name {
            JSXElementName::MemberExpression(name) => name.property.span,
            JSXElementName::NamespacedName(_) => return,
            name => name.span(),
        };
        let text = self.text(name);
        let is_member = matches!(it.name, JSXElementName::MemberExpression(_));
        if is_member || text.starts_with(|c: char| c.is_uppercase()) {
            let rows = &self.rows;
            self.kept.call(text, || rows.row(it.span.start));
        }
    }

    /// Adds a call of what stands there.
    pub(super) fn called(&mut self, at: Span, callee: &Expression<'a>) {
        if let Some(name) = last_name(bare(callee)) {
            let text = self.text(name);
            let rows = &self.rows;
            self.kept.call(text, || rows.row(at.start));
        }
    }
}

/// Returns where the last name of what is called stands.
fn last_name(callee: &Expression<'_>) -> Option<Span> {
    match callee {
        Expression::Identifier(it) if it.name != "undefined" => Some(it.span),
        Expression::StaticMemberExpression(it) => Some(it.property.span),
        Expression::PrivateFieldExpression(it) => Some(it.field.span),
        Expression::ChainExpression(it) => match &it.expression {
            ChainElement::StaticMemberExpression(it) => Some(it.property.span),
            ChainElement::PrivateFieldExpression(it) => Some(it.field.span),
            _ => None,
        },
        _ => None,
    }
}
