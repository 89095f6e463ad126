//! The walk: which part of the tree is read by what, and what nests.

use oxc_ast::ast::{
    Class, ClassElement, Declaration, DoWhileStatement, Expression, ForInStatement, ForOfStatement,
    ForStatement, FormalParameter, FormalParameterRest, Function, IfStatement, JSXOpeningElement,
    ObjectExpression, Statement, StaticMemberExpression, SwitchStatement, TSArrayType,
    TSImportType, TSModuleBlock, TSType, TSTypeAnnotation, TSTypeParameterDeclaration,
    TSTypeParameterInstantiation, TryStatement, VariableDeclaration, WhileStatement,
};
use oxc_ast_visit::{Visit, walk};

use super::place::{Level, Place};
use super::reader::Typed;

impl<'a> Visit<'a> for Typed<'a, '_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let place = std::mem::take(&mut self.place);
        let mut it = it;
        while let Statement::LabeledStatement(labeled) = it {
            it = &labeled.body;
        }
        match it {
            Statement::ExpressionStatement(it) => {
                let assigns = matches!(it.expression, Expression::AssignmentExpression(_));
                self.statement = assigns.then_some((it.span, place.level == Level::File));
                self.visit_expression(&it.expression);
            }
            Statement::ImportDeclaration(it) => self.import_statement(it),
            Statement::ExportAllDeclaration(it) => self.export_all(it),
            Statement::ExportDefaultDeclaration(it) => self.export_default(it, place),
            Statement::ExportDeclaration(it) => self.export_declaration(it, place),
            Statement::ExportNamedDeclaration(it) => self.export_names(it),
            Statement::ExportFromDeclaration(it) => self.export_from(it),
            Statement::TSExportAssignment(it) => self.export_assignment(it),
            _ => match it.as_declaration() {
                Some(declaration) => self.declaration(declaration, place),
                None => walk::walk_statement(self, it),
            },
        }
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        let place = std::mem::take(&mut self.place);
        self.declaration(it, place);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        self.variables(it, Place::default());
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        self.expression(it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.take_member(&it.object, it.property.span);
        self.expression(&it.object);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.nest();
        self.branches(it);
        self.unnest();
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.nest();
        walk::walk_for_statement(self, it);
        self.unnest();
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.nest();
        walk::walk_for_in_statement(self, it);
        self.unnest();
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.nest();
        walk::walk_for_of_statement(self, it);
        self.unnest();
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.nest();
        walk::walk_while_statement(self, it);
        self.unnest();
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.nest();
        walk::walk_do_while_statement(self, it);
        self.unnest();
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.nest();
        walk::walk_switch_statement(self, it);
        self.unnest();
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        self.nest();
        walk::walk_try_statement(self, it);
        self.unnest();
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class_value(it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        self.member(it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        self.object(it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.parameter(it);
    }

    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.decorators(&it.decorators, false);
        self.visit_binding_rest_element(&it.rest);
        if let Some(annotation) = &it.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
    }

    fn visit_jsx_opening_element(&mut self, it: &JSXOpeningElement<'a>) {
        self.element(it);
        walk::walk_jsx_opening_element(self, it);
    }

    fn visit_ts_module_block(&mut self, it: &TSModuleBlock<'a>) {
        for statement in &it.body {
            self.place = Place { level: Level::Module, export: None };
            self.visit_statement(statement);
        }
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        if self.reads_types {
            walk::walk_ts_type_annotation(self, it);
        }
    }

    fn visit_ts_type(&mut self, it: &TSType<'a>) {
        if self.reads_types {
            walk::walk_ts_type(self, it);
        }
    }

    fn visit_ts_array_type(&mut self, it: &TSArrayType<'a>) {
        let mut element = &it.element_type;
        while let TSType::TSArrayType(inner) = element {
            element = &inner.element_type;
        }
        self.visit_ts_type(element);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        if self.reads_types {
            walk::walk_ts_type_parameter_declaration(self, it);
        }
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        if self.reads_types {
            walk::walk_ts_type_parameter_instantiation(self, it);
        }
    }

    fn visit_ts_import_type(&mut self, it: &TSImportType<'a>) {
        self.import_type(it);
        walk::walk_ts_import_type(self, it);
    }
}

impl<'a> Typed<'a, '_> {
    /// Reads the branches of an `if`, those of each `else if` on the same level.
    fn branches(&mut self, first: &IfStatement<'a>) {
        let mut branch = first;
        loop {
            self.visit_expression(&branch.test);
            match &branch.consequent {
                Statement::IfStatement(inner) => self.branches(inner),
                other => self.visit_statement(other),
            }
            match &branch.alternate {
                Some(Statement::IfStatement(next)) => branch = next,
                Some(other) => return self.visit_statement(other),
                None => return,
            }
        }
    }

    /// Reads what is in a function: its parameters and its body.
    pub(super) fn inside(&mut self, it: &Function<'a>) {
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(this) = &it.this_param {
            self.visit_ts_this_parameter(this);
        }
        self.visit_formal_parameters(&it.params);
        if let Some(annotation) = &it.return_type {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(body) = &it.body {
            self.visit_function_body(body);
        }
    }
}
