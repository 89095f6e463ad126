//! Import statements, and the modules that calls of `require` and `import` take.

use oxc_ast::ast::{
    BindingPattern, Expression, ImportDeclaration, ImportDeclarationSpecifier, ImportExpression,
    ModuleExportName, TSImportEqualsDeclaration, TSImportType, TSImportTypeQualifier,
    TSModuleReference, UnaryOperator,
};
use oxc_span::{GetSpan as _, Span};

use super::reader::{Typed, unwrapped};
use crate::index::facts::{Import, ImportKind, ImportedName};
use crate::index::language::collector::line;

/// What is done with the module that the call at a place takes.
pub(super) struct Taking<'a> {
    /// Where the call begins.
    at: u32,
    type_only: bool,
    names: Vec<ImportedName>,
    alias: Option<&'a str>,
}

impl<'a> Typed<'a, '_> {
    fn taken(&self, at: Span, kind: ImportKind, module: &str) -> Import {
        Import::whole(module, kind, line(self.rows.row(at.start)))
    }

    /// Reads `import … from`.
    pub(super) fn import_statement(&mut self, it: &ImportDeclaration<'a>) {
        let mut import = self.taken(it.span, ImportKind::Import, self.unquoted(it.source.span));
        import.type_only = it.import_kind.is_type();
        let mut types = 0;
        for specifier in it.specifiers.iter().flatten() {
            match specifier {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                    import.names.push(imported("default", self.text(it.local.span)));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                    import.alias = Some(self.text(it.local.span).into());
                }
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    types += usize::from(it.import_kind.is_type());
                    let name = self.module_name(&it.imported);
                    import.names.push(imported(name, self.text(it.local.span)));
                }
            }
        }
        // `import { type A }` takes no value either.
        import.type_only |= types > 0 && types == import.names.len() && import.alias.is_none();
        self.kept.import(import);
    }

    /// Reads `import x = require(…)`.
    pub(super) fn import_equals(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        let TSModuleReference::ExternalModuleReference(module) = &it.module_reference else {
            return;
        };
        let module = self.unquoted(module.expression.span);
        let mut import = self.taken(it.span, ImportKind::Require, module);
        import.type_only = it.import_kind.is_type();
        import.alias = Some(self.text(it.id.span).into());
        self.kept.import(import);
    }

    /// Returns the name that a specifier has for something.
    pub(super) fn module_name(&self, name: &ModuleExportName<'a>) -> &'a str {
        match name {
            ModuleExportName::StringLiteral(name) => self.unquoted(name.span),
            name => self.text(name.span()),
        }
    }

    /// Reads `import(…)`.
    pub(super) fn import_call(&mut self, it: &ImportExpression<'a>) {
        self.taken_by_call(it.span, ImportKind::Dynamic, Some(&it.source));
    }

    /// Reads `import(…)` where it is a type.
    pub(super) fn import_type(&mut self, it: &TSImportType<'a>) {
        let mut import = self.taken(it.span, ImportKind::Dynamic, self.unquoted(it.source.span));
        import.type_only = true;
        let mut qualifier = it.qualifier.as_ref();
        while let Some(TSImportTypeQualifier::QualifiedName(name)) = qualifier {
            qualifier = Some(&name.left);
        }
        if let Some(TSImportTypeQualifier::Identifier(name)) = qualifier {
            let name = self.text(name.span);
            import.names.push(imported(name, name));
        }
        self.kept.import(import);
    }

    /// Reads a call that takes a module, with the names that are bound to what it returns.
    pub(super) fn taken_by_call(
        &mut self,
        at: Span,
        kind: ImportKind,
        module: Option<&Expression<'a>>,
    ) {
        let Some(module) = module.and_then(|module| self.literal(module)) else { return };
        let mut import = self.taken(at, kind, module);
        if let Some(taking) = self.taking.take_if(|taking| taking.at == at.start) {
            import.type_only = taking.type_only;
            import.alias = taking.alias.map(Into::into);
            // Methods of the promise are no names of the module.
            let is_promise =
                |name: &ImportedName| matches!(&*name.name, "then" | "catch" | "finally");
            let is_bare = kind == ImportKind::Dynamic && taking.names.iter().any(is_promise);
            import.names = if is_bare { Vec::new() } else { taking.names };
        }
        self.kept.import(import);
    }

    /// Notes the member of a module that is taken: `require(…).member`.
    pub(super) fn take_member(&mut self, object: &Expression<'a>, member: Span) {
        let Some((at, type_only, None)) = taken_in(object) else { return };
        if self.taking.as_ref().is_some_and(|taking| taking.at == at) {
            return;
        }
        let name = self.text(member);
        self.taking =
            Some(Taking { at, type_only, names: vec![imported(name, name)], alias: None });
    }

    /// Notes the names that a declaration gives to what a call takes.
    pub(super) fn take_bound(&mut self, value: &Expression<'a>, pattern: &BindingPattern<'a>) {
        let Some((at, type_only, member)) = taken_in(value) else { return };
        let mut taking = Taking { at, type_only, names: Vec::new(), alias: None };
        let member = member.map(|member| self.text(member));
        match (pattern, member) {
            (BindingPattern::BindingIdentifier(name), None) => {
                taking.alias = Some(self.text(name.span));
            }
            (BindingPattern::BindingIdentifier(name), Some(member)) => {
                taking.names.push(imported(member, self.text(name.span)));
            }
            (_, Some(member)) => taking.names.push(imported(member, member)),
            (BindingPattern::ObjectPattern(pattern), None) => {
                for property in &pattern.properties {
                    let (from, _) = self.key(&property.key, property.computed);
                    taking.names.push(imported(from, self.bound_name(from, &property.value)));
                }
            }
            _ => {}
        }
        self.taking = Some(taking);
    }

    fn bound_name(&self, from: &'a str, value: &BindingPattern<'a>) -> &'a str {
        match value {
            BindingPattern::BindingIdentifier(name) => self.text(name.span),
            _ => from,
        }
    }
}

fn imported(name: &str, alias: &str) -> ImportedName {
    ImportedName { name: name.into(), alias: (alias != name).then(|| alias.into()) }
}

/// Returns where the call begins that takes the module an expression is of, whether it stands for its type
/// alone, and the member that is taken.
fn taken_in(expression: &Expression<'_>) -> Option<(u32, bool, Option<Span>)> {
    let mut type_only = false;
    let mut member = None;
    let mut part = expression;
    for _ in 0..8 {
        part = match part {
            Expression::AwaitExpression(it) => &it.argument,
            Expression::UnaryExpression(it) => {
                type_only = it.operator == UnaryOperator::Typeof;
                &it.argument
            }
            Expression::StaticMemberExpression(it) if member.is_none() => {
                member = Some(it.property.span);
                &it.object
            }
            Expression::ImportExpression(it) => return Some((it.span.start, type_only, member)),
            Expression::CallExpression(it) if is_named(&it.callee, "require") => {
                return Some((it.span.start, type_only, member));
            }
            other => unwrapped(other)?,
        };
    }
    None
}

fn is_named(callee: &Expression<'_>, name: &str) -> bool {
    matches!(callee, Expression::Identifier(callee) if callee.name == name)
}
