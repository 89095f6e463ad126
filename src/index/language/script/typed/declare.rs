//! Declarations: functions, classes, interfaces, types, enums and namespaces.

use oxc_ast::ast::{
    Class, Declaration, Function, TSEnumDeclaration, TSEnumMemberName, TSExternalModuleDeclaration,
    TSGlobalDeclaration, TSInterfaceDeclaration, TSModuleBlock, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, TSSignature, TSTypeAliasDeclaration,
};
use oxc_ast_visit::{Visit as _, walk};
use oxc_span::{GetSpan as _, Span};

use super::place::{self, Place};
use super::reader::{Sketch, Typed};
use crate::index::facts::SymbolKind;

impl<'a> Typed<'a, '_> {
    /// Reads a declaration that stands there.
    pub(super) fn declaration(&mut self, it: &Declaration<'a>, place: Place) {
        match it {
            Declaration::VariableDeclaration(it) => self.variables(it, place),
            Declaration::FunctionDeclaration(it) => self.function(it, place),
            Declaration::ClassDeclaration(it) => self.class(it, place),
            Declaration::TSTypeAliasDeclaration(it) => self.type_alias(it, place),
            Declaration::TSInterfaceDeclaration(it) => self.interface(it, place),
            Declaration::TSEnumDeclaration(it) => self.enumeration(it, place),
            Declaration::TSExternalModuleDeclaration(it) => self.external_module(it, place),
            Declaration::TSNamespaceDeclaration(it) => self.namespace(it, place),
            Declaration::TSGlobalDeclaration(it) => self.global(it),
            Declaration::TSImportEqualsDeclaration(it) => self.import_equals(it),
        }
    }

    /// Returns a sketch of what is declared there under a name.
    fn declared(&self, kind: SymbolKind, whole: Span, name: Span, place: Place) -> Sketch<'a> {
        Sketch {
            kind,
            name: self.text(name),
            at: name.start,
            whole: place.export.unwrap_or(whole),
            head: whole.start,
            body: None,
            exported: place.export.is_some(),
        }
    }

    /// Returns where a declaration begins without the word `declare`.
    pub(super) fn undeclared(&self, start: u32, declares: bool) -> u32 {
        if declares && self.text(Span::new(start, start + 7)) == "declare" {
            place::skipped(self.text, start + 7)
        } else {
            start
        }
    }

    pub(super) fn function(&mut self, it: &Function<'a>, place: Place) {
        let Some(name) = it.id.as_ref().map(|id| id.span) else { return self.inside(it) };
        let mut sketch = self.declared(SymbolKind::Function, it.span, name, place);
        sketch.head = self.undeclared(it.span.start, it.declare);
        sketch.body = it.body.as_ref().map(|body| body.span.start);
        let is_open = self.open(sketch, it.span.start);
        self.inside(it);
        self.close(is_open);
    }

    pub(super) fn class(&mut self, it: &Class<'a>, place: Place) {
        let Some(name) = it.id.as_ref().map(|id| id.span) else { return self.in_class(it) };
        let mut sketch = self.declared(SymbolKind::Class, it.span, name, place);
        sketch.head = self.undeclared(self.after_decorators(it.span, &it.decorators), it.declare);
        sketch.body = Some(it.body.span.start);
        let from = match place.export {
            Some(export)
                if it.decorators.first().is_some_and(|first| {
                    first.span.start < it.span.start || first.span.start <= export.start
                }) =>
            {
                self.decorators(&it.decorators, false);
                it.span.start
            }
            _ => it.span.start,
        };
        let is_open = self.open(sketch, from);
        self.in_class(it);
        self.close(is_open);
    }

    pub(super) fn interface(&mut self, it: &TSInterfaceDeclaration<'a>, place: Place) {
        let mut sketch = self.declared(SymbolKind::Interface, it.span, it.id.span, place);
        sketch.head = self.undeclared(it.span.start, it.declare);
        sketch.body = Some(it.body.span.start);
        let is_open = self.open(sketch, it.span.start);
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        self.visit_ts_interface_heritages(&it.extends);
        for member in &it.body.body {
            self.signature(member);
        }
        self.close(is_open);
    }

    fn signature(&mut self, it: &TSSignature<'a>) {
        let (kind, key, computed, end) = match it {
            TSSignature::TSMethodSignature(it) => {
                let end = it.return_type.as_ref().map_or(it.params.span, |returned| returned.span);
                (SymbolKind::Method, &it.key, it.computed, Some(end.end))
            }
            TSSignature::TSPropertySignature(it) => {
                let end = it.type_annotation.as_ref().map(|annotation| annotation.span.end);
                (SymbolKind::Property, &it.key, it.computed, end)
            }
            _ => {
                if self.reads_types {
                    walk::walk_ts_signature(self, it);
                }
                return;
            }
        };
        let end = end.unwrap_or_else(|| self.key_end(key, computed));
        let whole = Span::new(it.span().start, end);
        let (name, at) = self.key(key, computed);
        let head = whole.start;
        let sketch = Sketch { kind, name, at, whole, head, body: None, exported: true };
        let is_open = self.open(sketch, whole.start);
        if self.reads_types {
            walk::walk_ts_signature(self, it);
        }
        self.close(is_open);
    }

    fn type_alias(&mut self, it: &TSTypeAliasDeclaration<'a>, place: Place) {
        let mut sketch = self.declared(SymbolKind::Type, it.span, it.id.span, place);
        sketch.head = self.undeclared(it.span.start, it.declare);
        let is_open = self.open(sketch, it.span.start);
        if self.reads_types {
            walk::walk_ts_type_alias_declaration(self, it);
        }
        self.close(is_open);
    }

    fn enumeration(&mut self, it: &TSEnumDeclaration<'a>, place: Place) {
        let mut sketch = self.declared(SymbolKind::Enum, it.span, it.id.span, place);
        sketch.head = self.undeclared(it.span.start, it.declare);
        sketch.body = Some(it.body.span.start);
        let is_open = self.open(sketch, it.span.start);
        for member in &it.body.members {
            let id = member.id.span();
            let name = match &member.id {
                TSEnumMemberName::Identifier(_) => self.text(id),
                TSEnumMemberName::String(_) => self.unquoted(id),
                _ => self.bracketed(id),
            };
            let sketch = Sketch {
                kind: SymbolKind::Property,
                name,
                at: id.start,
                whole: member.span,
                head: member.span.start,
                body: None,
                exported: true,
            };
            self.define(sketch, it.span.start);
        }
        walk::walk_ts_enum_body(self, &it.body);
        self.close(is_open);
    }

    fn external_module(&mut self, it: &TSExternalModuleDeclaration<'a>, place: Place) {
        let mut sketch = self.declared(SymbolKind::Module, it.span, it.id.span, place);
        sketch.name = self.unquoted(it.id.span);
        sketch.head = self.undeclared(it.span.start, it.declare);
        // Without a body, it ends with its name.
        sketch.body = Some(it.body.as_ref().map_or(it.id.span.end, |body| body.span.start));
        let is_open = self.open(sketch, it.span.start);
        if let Some(body) = &it.body {
            self.visit_ts_module_block(body);
        }
        self.close(is_open);
    }

    /// Reads a namespace; `a.b.c` is one, although the tree has three.
    fn namespace(&mut self, it: &TSNamespaceDeclaration<'a>, place: Place) {
        let (name, block) = named(it);
        let mut sketch = self.declared(SymbolKind::Module, it.span, name, place);
        sketch.head = self.undeclared(it.span.start, it.declare);
        sketch.body = Some(block.span.start);
        let is_open = self.open(sketch, it.span.start);
        self.visit_ts_module_block(block);
        self.close(is_open);
    }

    fn global(&mut self, it: &TSGlobalDeclaration<'a>) {
        let mut sketch =
            self.declared(SymbolKind::Module, it.span, it.global_span, Place::default());
        sketch.body = Some(it.body.span.start);
        let is_open = self.open(sketch, it.span.start);
        self.visit_ts_module_block(&it.body);
        self.close(is_open);
    }
}

/// Returns the whole name of a namespace, and what is in it.
pub(super) fn named<'b, 'a>(it: &'b TSNamespaceDeclaration<'a>) -> (Span, &'b TSModuleBlock<'a>) {
    let mut innermost = it;
    loop {
        match &innermost.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => innermost = inner,
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                return (Span::new(it.id.span.start, innermost.id.span.end), block);
            }
        }
    }
}
