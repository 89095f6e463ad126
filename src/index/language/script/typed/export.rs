//! Export statements.

use oxc_ast::ast::{
    Class, Declaration, ExportAllDeclaration, ExportDeclaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportFromDeclaration, ExportNamedDeclaration, Expression,
    Function, TSExportAssignment,
};
use oxc_ast_visit::Visit as _;
use oxc_span::Span;

use super::bind::names;
use super::declare::named;
use super::place::Place;
use super::reader::{Sketch, Typed, bare, own_name};
use crate::index::facts::{Import, ImportKind, ImportedName, SymbolKind};
use crate::index::language::collector::line;

impl<'a> Typed<'a, '_> {
    /// Whether what is exported is given away by a namespace or an ambient module, not by the file.
    fn is_inner(&self) -> bool {
        self.kept.scope().is_some()
    }

    fn passed_on(&self, at: Span, source: Span, type_only: bool) -> Import {
        let line = line(self.rows.row(at.start));
        Import { type_only, ..Import::whole(self.unquoted(source), ImportKind::ReExport, line) }
    }

    /// Reads `export * from`.
    pub(super) fn export_all(&mut self, it: &ExportAllDeclaration<'a>) {
        if self.is_inner() {
            return;
        }
        let mut import = self.passed_on(it.span, it.source.span, it.export_kind.is_type());
        let module = self.unquoted(it.source.span);
        if let Some(name) = &it.exported {
            let name = self.module_name(name);
            self.export(it.span.start, name, Some("*"), Some(module));
            import.alias = Some(name.into());
        } else {
            self.export(it.span.start, "*", None, Some(module));
            import.names.push(ImportedName { name: "*".into(), alias: None });
        }
        self.kept.import(import);
    }

    /// Reads `export { … } from`, which is an import as well.
    pub(super) fn export_from(&mut self, it: &ExportFromDeclaration<'a>) {
        if self.is_inner() {
            return;
        }
        let mut import = self.passed_on(it.span, it.source.span, it.export_kind.is_type());
        let module = self.unquoted(it.source.span);
        for part in &it.specifiers {
            let name = self.module_name(&part.local);
            let outside = self.module_name(&part.exported);
            self.export(it.span.start, outside, Some(name), Some(module));
            let alias = (outside != name).then(|| outside.into());
            import.names.push(ImportedName { name: name.into(), alias });
        }
        self.kept.import(import);
    }

    /// Reads `export { … }`.
    pub(super) fn export_names(&mut self, it: &ExportNamedDeclaration<'a>) {
        if self.is_inner() {
            return;
        }
        for part in &it.specifiers {
            let name = self.module_name(&part.local);
            let outside = self.module_name(&part.exported);
            self.export(it.span.start, outside, Some(name), None);
        }
    }

    /// Reads `export` before a declaration.
    pub(super) fn export_declaration(&mut self, it: &ExportDeclaration<'a>, place: Place) {
        let whole = match &it.declaration {
            Declaration::ClassDeclaration(class) => with_decorators(it.span, class),
            _ => it.span,
        };
        if !self.is_inner() {
            self.export_declared(it, whole);
        }
        self.declaration(&it.declaration, Place { export: Some(whole), ..place });
    }

    fn export_declared(&mut self, it: &ExportDeclaration<'a>, whole: Span) {
        let name = match &it.declaration {
            Declaration::VariableDeclaration(variables) => {
                for declarator in &variables.declarations {
                    for name in names(&declarator.id) {
                        self.export(name.start, self.text(name), None, None);
                    }
                }
                return;
            }
            Declaration::FunctionDeclaration(it) => it.id.as_ref().map(|id| id.span),
            Declaration::ClassDeclaration(it) => it.id.as_ref().map(|id| id.span),
            Declaration::TSTypeAliasDeclaration(it) => Some(it.id.span),
            Declaration::TSInterfaceDeclaration(it) => Some(it.id.span),
            Declaration::TSEnumDeclaration(it) => Some(it.id.span),
            Declaration::TSNamespaceDeclaration(it) => Some(named(it).0),
            Declaration::TSImportEqualsDeclaration(it) => Some(it.id.span),
            Declaration::TSExternalModuleDeclaration(module) => {
                let name = self.unquoted(module.id.span);
                return self.export(whole.start, name, None, None);
            }
            Declaration::TSGlobalDeclaration(_) => None,
        };
        if let Some(name) = name {
            self.export(whole.start, self.text(name), None, None);
        }
    }

    /// Reads `export default …`.
    pub(super) fn export_default(&mut self, it: &ExportDefaultDeclaration<'a>, place: Place) {
        let whole = match &it.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                with_decorators(it.span, class)
            }
            _ => it.span,
        };
        let place = Place { export: Some(whole), ..place };
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.default_function(function, it.span, place);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.default_class(class, whole, place);
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                if !self.is_inner() {
                    let local = self.text(interface.id.span);
                    self.export(it.span.start, "default", Some(local), None);
                }
                self.interface(interface, place);
            }
            value => {
                if let Some(value) = value.as_expression() {
                    self.default_value(value, it.span);
                }
            }
        }
    }

    /// Reads `export = …`.
    pub(super) fn export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.default_value(&it.expression, it.span);
    }

    /// Reads a value that is what an importer takes as the default.
    fn default_value(&mut self, written: &Expression<'a>, whole: Span) {
        let mut is_open = false;
        if !self.is_inner() {
            let value = bare(written);
            let local = own_name(value).map(|name| self.text(name));
            self.export(whole.start, "default", local, None);
            is_open = local.is_none() && self.unnamed(whole, whole, value, true);
        }
        self.visit_expression(written);
        self.close(is_open);
    }

    fn default_function(&mut self, it: &Function<'a>, whole: Span, place: Place) {
        if self.is_inner() {
            return self.function(it, place);
        }
        let local = it.id.as_ref().map(|id| self.text(id.span));
        self.export(whole.start, "default", local, None);
        if local.is_some() {
            return self.function(it, place);
        }
        let body = it.body.as_ref().map(|body| body.span.start);
        let is_open = self.open(unnamed(SymbolKind::Function, whole, body), whole.start);
        self.inside(it);
        self.close(is_open);
    }

    fn default_class(&mut self, it: &Class<'a>, whole: Span, place: Place) {
        if self.is_inner() {
            return self.class(it, place);
        }
        let local = it.id.as_ref().map(|id| self.text(id.span));
        self.export(whole.start, "default", local, None);
        if local.is_some() {
            return self.class(it, place);
        }
        let body = Some(it.body.span.start);
        let is_open = self.open(unnamed(SymbolKind::Class, whole, body), whole.start);
        self.in_class(it);
        self.close(is_open);
    }
}

/// Returns an export together with the decorators before it.
fn with_decorators(export: Span, class: &Class<'_>) -> Span {
    let first = class.decorators.first().map_or(export.start, |first| first.span.start);
    Span::new(export.start.min(first), export.end)
}

fn unnamed<'a>(kind: SymbolKind, whole: Span, body: Option<u32>) -> Sketch<'a> {
    let at = whole.start;
    Sketch { kind, name: "default", at, whole, head: at, body, exported: true }
}
