//! What has been read of a typed tree so far, and what is around the part that comes next.

use oxc_ast::ast::{Comment, Decorator, Expression, Program};
use oxc_ast_visit::Visit as _;
use oxc_span::{GetSpan as _, Span};

use super::import::Taking;
use super::place::{self, Level, Place, Rows};
use crate::index::facts::SymbolKind;
use crate::index::language::collector::{Collector, Placed, Remark};
use crate::index::language::script::export::settle;
use crate::index::language::script::roles::documents;
use crate::index::language::{Language, Parsed};

/// Reads a typed tree. What a part of it must know of those around it is left here by them.
pub(super) struct Typed<'a, 'c> {
    pub(super) text: &'a str,
    pub(super) kept: Collector<'a>,
    pub(super) rows: Rows,
    /// Those that have not been read.
    comments: &'c [Comment],
    /// Levels of nesting around.
    nesting: u32,
    /// Whether a decorator is being read.
    in_prefix: bool,
    /// Whether it is not JavaScript.
    pub(super) is_typescript: bool,
    /// Whether types can hold anything to read.
    pub(super) reads_types: bool,
    /// Where the next statement stands.
    pub(super) place: Place,
    /// Where the function or class begins that has the name of what it is bound to.
    pub(super) bound: Option<u32>,
    /// Where the object literal begins whose functions are methods.
    pub(super) object: Option<u32>,
    /// The statement that is nothing but the expression that begins there, and whether it is one of the file.
    pub(super) statement: Option<(Span, bool)>,
    /// What is done with the module that a call takes.
    pub(super) taking: Option<Taking<'a>>,
}

/// A symbol as its part of the tree describes it.
#[derive(Clone, Copy)]
pub(super) struct Sketch<'a> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'a str,
    /// Where its name begins.
    pub(super) at: u32,
    pub(super) whole: Span,
    /// Where its head begins.
    pub(super) head: u32,
    /// Where its head ends, when not with the whole.
    pub(super) body: Option<u32>,
    pub(super) exported: bool,
}

impl<'a, 'c> Typed<'a, 'c> {
    /// Returns what the tree of a text says.
    pub(super) fn read(language: Language, text: &'a str, program: &'c Program<'a>) -> Parsed {
        let mut typed = Self {
            text,
            kept: Collector::new(language, text, false),
            rows: Rows::new(text),
            comments: &program.comments,
            nesting: 0,
            in_prefix: false,
            is_typescript: matches!(language, Language::TypeScript | Language::Tsx),
            reads_types: has_import_call(text),
            place: Place::default(),
            bound: None,
            object: None,
            statement: None,
            taking: None,
        };
        for statement in &program.body {
            typed.place = Place { level: Level::File, export: None };
            typed.visit_statement(statement);
        }
        typed.advance(u32::MAX);
        settle(&mut typed.kept.facts);
        typed.kept.finish()
    }

    /// Returns a piece of the text.
    pub(super) fn text(&self, span: Span) -> &'a str {
        place::text(self.text, span)
    }

    /// Reads the comments before a byte: those of what comes next must be known by then.
    pub(super) fn advance(&mut self, to: u32) {
        while let [comment, rest @ ..] = self.comments
            && comment.span.start < to
        {
            let span = comment.span;
            let remark = Remark {
                bytes: (span.start as usize, span.end as usize),
                rows: self.rows.of(span),
                column: self.rows.column(span.start),
            };
            let documents = !self.in_prefix && documents(self.text(span));
            self.kept.comment(remark, documents);
            self.comments = rest;
        }
    }

    /// Adds a symbol that is read when its part of the tree begins at that byte; nothing stands in it.
    pub(super) fn define(&mut self, sketch: Sketch<'a>, from: u32) -> Option<u32> {
        self.advance(from);
        let placed = self.placed(sketch);
        self.kept.define(&placed)
    }

    /// Adds a symbol that is read when its part of the tree begins at that byte; returns whether there is one,
    /// to be closed after what stands in it.
    pub(super) fn open(&mut self, sketch: Sketch<'a>, from: u32) -> bool {
        self.advance(from);
        let placed = self.placed(sketch);
        self.kept.open(&placed, 0).is_some()
    }

    /// Closes the innermost symbol, if it was opened.
    pub(super) fn close(&mut self, is_open: bool) {
        if is_open {
            self.kept.close();
        }
    }

    fn placed(&self, sketch: Sketch<'a>) -> Placed<'a> {
        Placed {
            kind: sketch.kind,
            name: sketch.name,
            rows: self.rows.of(sketch.whole),
            at: self.rows.row(sketch.at),
            head: (sketch.head as usize, sketch.body.unwrap_or(sketch.whole.end) as usize),
            exported: sketch.exported,
        }
    }

    /// Adds an export of what begins at that byte.
    pub(super) fn export(&mut self, at: u32, name: &str, local: Option<&str>, from: Option<&str>) {
        self.kept.export(self.rows.row(at), name, local, from);
    }

    /// Goes a level of nesting deeper.
    pub(super) fn nest(&mut self) {
        self.nesting += 1;
        self.kept.nested(self.nesting);
    }

    /// Comes back from a level of nesting.
    pub(super) fn unnest(&mut self) {
        self.nesting -= 1;
    }

    /// Reads decorators; those outside of the symbol they belong to become part of it.
    pub(super) fn decorators(&mut self, decorators: &[Decorator<'a>], are_inside: bool) {
        for decorator in decorators {
            self.advance(decorator.span.start);
            if !self.in_prefix && !are_inside {
                let (first, last) = self.rows.of(decorator.span);
                self.kept.prefix(first, last);
            }
            let outer = std::mem::replace(&mut self.in_prefix, true);
            self.visit_expression(&decorator.expression);
            self.advance(decorator.span.end);
            self.in_prefix = outer;
        }
    }

    /// Returns where the head of something with decorators begins.
    pub(super) fn after_decorators(&self, span: Span, decorators: &[Decorator<'a>]) -> u32 {
        match decorators.last() {
            Some(last) if last.span.end > span.start => place::skipped(self.text, last.span.end),
            _ => span.start,
        }
    }

    /// Returns what a string literal says, escapes as they are written; of a template only one without parts.
    pub(super) fn literal(&self, expression: &Expression<'_>) -> Option<&'a str> {
        match expression {
            Expression::StringLiteral(_) => Some(self.unquoted(expression.span())),
            Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
                Some(self.unquoted(template.span))
            }
            _ => None,
        }
    }

    /// Returns a piece of the text without its first and last character.
    pub(super) fn unquoted(&self, span: Span) -> &'a str {
        let text = self.text(span);
        text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
    }
}

/// Whether a text may have a type that is taken from a module: `import(…)`.
fn has_import_call(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), b"import").any(|at| {
        let rest = text.get(at + 6..).unwrap_or_default();
        rest.trim_start().starts_with(['(', '/'])
    })
}

/// Returns an expression without the parentheses and types around it.
pub(super) fn bare<'b, 'a>(mut expression: &'b Expression<'a>) -> &'b Expression<'a> {
    while let Some(inner) = unwrapped(expression) {
        expression = inner;
    }
    expression
}

/// Returns the value of an expression that is only dress around it.
pub(super) fn unwrapped<'b, 'a>(expression: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    match expression {
        Expression::ParenthesizedExpression(it) => Some(&it.expression),
        Expression::TSAsExpression(it) => Some(&it.expression),
        Expression::TSSatisfiesExpression(it) => Some(&it.expression),
        Expression::TSNonNullExpression(it) => Some(&it.expression),
        Expression::TSTypeAssertion(it) => Some(&it.expression),
        _ => None,
    }
}

/// Whether a value is a function.
pub(super) fn is_function(value: &Expression<'_>) -> bool {
    matches!(value, Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
}

/// Returns where the head of a symbol with this value ends.
pub(super) fn head_end(value: &Expression<'_>) -> Option<u32> {
    match value {
        Expression::ObjectExpression(_)
        | Expression::ArrayExpression(_)
        | Expression::TemplateLiteral(_) => Some(value.span().start),
        Expression::ArrowFunctionExpression(it) => Some(it.body.span().start),
        Expression::FunctionExpression(it) => it.body.as_ref().map(|body| body.span.start),
        Expression::ClassExpression(it) => Some(it.body.span.start),
        _ => None,
    }
}

/// Returns the name of a value that bears one, with its place.
pub(super) fn own_name(value: &Expression<'_>) -> Option<Span> {
    match value {
        Expression::Identifier(it) if it.name != "undefined" => Some(it.span),
        Expression::FunctionExpression(it) => it.id.as_ref().map(|id| id.span),
        Expression::ClassExpression(it) => it.id.as_ref().map(|id| id.span),
        _ => None,
    }
}
