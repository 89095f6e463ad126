//! Expressions: read with a list of what is left instead of recursion, since chains of them are long.

use oxc_ast::ast::{
    Argument, ArrowFunctionBody, ArrowFunctionExpression, CallExpression, ChainElement, Expression,
    Function, TSType, TSTypeParameterInstantiation, TemplateLiteral,
};
use oxc_ast_visit::{Visit as _, walk};

use super::reader::{Sketch, Typed};
use crate::index::facts::SymbolKind;

/// What is left to do of an expression that is being read.
pub(super) enum Step<'b, 'a> {
    Read(&'b Expression<'a>),
    Arguments(&'b [Argument<'a>]),
    Types(&'b TSTypeParameterInstantiation<'a>),
    Type(&'b TSType<'a>),
    Template(&'b TemplateLiteral<'a>),
    Close,
    Unnest,
}

type Steps<'b, 'a> = Vec<Step<'b, 'a>>;
type Next<'b, 'a> = Option<&'b Expression<'a>>;

impl<'a> Typed<'a, '_> {
    /// Reads an expression with all that is in it.
    pub(super) fn expression(&mut self, first: &Expression<'a>) {
        let mut steps = Steps::new();
        let mut next = Some(first);
        loop {
            if let Some(expression) = next {
                next = self.enter(expression, &mut steps);
                continue;
            }
            match steps.pop() {
                None => return,
                Some(Step::Read(expression)) => next = Some(expression),
                Some(Step::Arguments(arguments)) => {
                    for argument in arguments {
                        self.visit_argument(argument);
                    }
                }
                Some(Step::Types(types)) => self.visit_ts_type_parameter_instantiation(types),
                Some(Step::Type(it)) => self.visit_ts_type(it),
                Some(Step::Template(it)) => self.visit_template_literal(it),
                Some(Step::Close) => self.kept.close(),
                Some(Step::Unnest) => self.unnest(),
            }
        }
    }

    /// Reads an expression itself; returns the first in it, the rest being left as steps.
    fn enter<'b>(&mut self, it: &'b Expression<'a>, steps: &mut Steps<'b, 'a>) -> Next<'b, 'a> {
        match it {
            Expression::Identifier(_)
            | Expression::StringLiteral(_)
            | Expression::ThisExpression(_) => None,
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(it) => Some(self.enter_call(it, steps)),
                ChainElement::TSNonNullExpression(it) => Some(&it.expression),
                ChainElement::StaticMemberExpression(it) => {
                    self.take_member(&it.object, it.property.span);
                    Some(&it.object)
                }
                ChainElement::ComputedMemberExpression(it) => {
                    steps.push(Step::Read(&it.expression));
                    Some(&it.object)
                }
                ChainElement::PrivateFieldExpression(it) => Some(&it.object),
            },
            Expression::CallExpression(it) => Some(self.enter_call(it, steps)),
            Expression::StaticMemberExpression(it) => {
                self.take_member(&it.object, it.property.span);
                Some(&it.object)
            }
            Expression::ComputedMemberExpression(it) => {
                steps.push(Step::Read(&it.expression));
                Some(&it.object)
            }
            Expression::PrivateFieldExpression(it) => Some(&it.object),
            Expression::FunctionExpression(it) => {
                self.function_value(it);
                None
            }
            Expression::ArrowFunctionExpression(it) => self.enter_arrow(it, steps),
            _ => self.enter_operator(it, steps),
        }
    }

    fn enter_operator<'b>(
        &mut self,
        it: &'b Expression<'a>,
        steps: &mut Steps<'b, 'a>,
    ) -> Next<'b, 'a> {
        match it {
            Expression::BinaryExpression(it) => {
                steps.push(Step::Read(&it.right));
                Some(&it.left)
            }
            Expression::LogicalExpression(it) => {
                steps.push(Step::Read(&it.right));
                Some(&it.left)
            }
            Expression::ConditionalExpression(it) => {
                steps.push(Step::Read(&it.alternate));
                steps.push(Step::Read(&it.consequent));
                Some(&it.test)
            }
            Expression::AssignmentExpression(it) => {
                if self.assignment(it) {
                    steps.push(Step::Close);
                }
                self.visit_assignment_target(&it.left);
                Some(&it.right)
            }
            Expression::UnaryExpression(it) => Some(&it.argument),
            Expression::AwaitExpression(it) => Some(&it.argument),
            Expression::YieldExpression(it) => it.argument.as_ref(),
            Expression::ParenthesizedExpression(it) => Some(&it.expression),
            Expression::TSNonNullExpression(it) => Some(&it.expression),
            Expression::TSAsExpression(it) => {
                steps.push(Step::Type(&it.type_annotation));
                Some(&it.expression)
            }
            Expression::TSSatisfiesExpression(it) => {
                steps.push(Step::Type(&it.type_annotation));
                Some(&it.expression)
            }
            Expression::TSTypeAssertion(it) => {
                self.visit_ts_type(&it.type_annotation);
                Some(&it.expression)
            }
            Expression::TSInstantiationExpression(it) => {
                steps.push(Step::Types(&it.type_arguments));
                Some(&it.expression)
            }
            _ => self.enter_taken(it, steps),
        }
    }

    /// Reads what takes something from elsewhere, and all that holds no chains.
    fn enter_taken<'b>(
        &mut self,
        it: &'b Expression<'a>,
        steps: &mut Steps<'b, 'a>,
    ) -> Next<'b, 'a> {
        match it {
            Expression::NewExpression(it) => {
                self.called(it.span, &it.callee);
                steps.push(Step::Arguments(&it.arguments));
                steps.extend(it.type_arguments.as_deref().map(Step::Types));
                Some(&it.callee)
            }
            Expression::TaggedTemplateExpression(it) => {
                self.tagged(it);
                steps.push(Step::Template(&it.quasi));
                steps.extend(it.type_arguments.as_deref().map(Step::Types));
                Some(&it.tag)
            }
            Expression::ImportExpression(it) => {
                self.import_call(it);
                steps.extend(it.options.as_ref().map(Step::Read));
                Some(&it.source)
            }
            _ => {
                walk::walk_expression(self, it);
                None
            }
        }
    }

    fn enter_call<'b>(
        &mut self,
        it: &'b CallExpression<'a>,
        steps: &mut Steps<'b, 'a>,
    ) -> &'b Expression<'a> {
        if self.call(it) {
            steps.push(Step::Close);
        }
        if !it.arguments.is_empty() {
            steps.push(Step::Arguments(&it.arguments));
        }
        steps.extend(it.type_arguments.as_deref().map(Step::Types));
        &it.callee
    }

    /// Reads an arrow; one that has just been given the name of what it is bound to nests nothing.
    fn enter_arrow<'b>(
        &mut self,
        it: &'b ArrowFunctionExpression<'a>,
        steps: &mut Steps<'b, 'a>,
    ) -> Next<'b, 'a> {
        let is_bound = self.bound.take_if(|bound| *bound == it.span.start).is_some();
        if !is_bound {
            self.nest();
            steps.push(Step::Unnest);
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        self.visit_formal_parameters(&it.params);
        if let Some(annotation) = &it.return_type {
            self.visit_ts_type_annotation(annotation);
        }
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => {
                self.visit_function_body(body);
                None
            }
            body => body.as_expression(),
        }
    }

    /// Reads a function that is a value; one with a name of its own is a symbol.
    fn function_value(&mut self, it: &Function<'a>) {
        if self.bound.take_if(|bound| *bound == it.span.start).is_some() {
            return self.inside(it);
        }
        let is_open = it.id.as_ref().is_some_and(|id| {
            let sketch = Sketch {
                kind: SymbolKind::Function,
                name: self.text(id.span),
                at: id.span.start,
                whole: it.span,
                head: it.span.start,
                body: it.body.as_ref().map(|body| body.span.start),
                exported: false,
            };
            self.open(sketch, it.span.start)
        });
        self.nest();
        self.inside(it);
        self.unnest();
        self.close(is_open);
    }
}
