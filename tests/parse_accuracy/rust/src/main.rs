//! Prints what syn sees in the Rust files of a folder, a JSON line a file, for `compare.py`.
//!
//! `cargo run --manifest-path tests/parse_accuracy/rust/Cargo.toml -- FOLDER`

use std::{env, fs, path::Path};

use proc_macro2::Span;
use serde_json::{Value, json};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Ident, UseTree, Visibility};

fn main() {
    let root = env::args_os().nth(1).expect("a folder");
    let root = Path::new(&root);
    for entry in walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten() {
        let path = entry.path();
        if !entry.file_type().is_file() || path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let Ok(text) = fs::read_to_string(path) else { continue };
        let file = match syn::parse_file(&text) {
            Ok(file) => file,
            Err(error) => {
                eprintln!("skipped: {}: {error}", path.display());
                continue;
            }
        };
        let mut reader = Reader::default();
        reader.visit_file(&file);
        let relative = path.strip_prefix(root).expect("below the folder");
        println!(
            "{}",
            json!({
                "path": relative.to_string_lossy(),
                "imports": reader.imports,
                "exports": reader.exports,
                "symbols": reader.symbols,
            })
        );
    }
}

#[derive(Default)]
struct Reader {
    imports: Vec<Value>,
    exports: Vec<Value>,
    symbols: Vec<Value>,
    /// Names of the inline modules around, the outermost first.
    modules: Vec<String>,
    /// Names of all symbols around, the outermost first.
    around: Vec<String>,
    /// How many functions are around.
    functions: usize,
}

fn line(span: Span) -> usize {
    span.start().line
}

/// The line of a statement's first word; its attributes stand before.
fn first(visibility: &Visibility, keyword: Span) -> usize {
    line(if is_pub(visibility) { visibility.span() } else { keyword })
}

fn is_pub(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

fn plain(ident: &Ident) -> String {
    ident.to_string()
}

impl Reader {
    fn add(&mut self, ident: &Ident, kind: &str, exported: bool, whole: Span) {
        self.named(&plain(ident), kind, exported, line(ident.span()), whole);
    }

    fn named(&mut self, name: &str, kind: &str, exported: bool, at: usize, whole: Span) {
        self.symbols.push(json!({
            "name": name, "kind": kind, "line": at, "exported": exported,
            "end": whole.end().line, "parent": self.around.last(),
        }));
        if exported && self.around.is_empty() && kind != "property" {
            self.exports.push(json!({ "name": name, "line": at }));
        }
    }

    fn within(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        self.around.push(name.to_owned());
        go(self);
        self.around.pop();
    }

    fn body(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        self.functions += 1;
        self.within(name, go);
        self.functions -= 1;
    }

    /// Makes `self::` and `super::` of an inline module count from the file, as the index does.
    fn from_file(&self, path: &[String]) -> Vec<String> {
        if self.modules.is_empty() {
            return path.to_vec();
        }
        let mut rest = path;
        let mut base = self.modules.clone();
        match path.first().map(String::as_str) {
            Some("self") => rest = &path[1..],
            Some("super") => {}
            _ => return path.to_vec(),
        }
        while rest.first().is_some_and(|it| it == "super") && base.pop().is_some() {
            rest = &rest[1..];
        }
        if rest.first().is_some_and(|it| it == "super") {
            return rest.to_vec();
        }
        [vec!["self".to_owned()], base, rest.to_vec()].concat()
    }

    fn flatten(&self, tree: &UseTree, path: &mut Vec<String>, out: &mut Vec<Leaf>) {
        match tree {
            UseTree::Path(it) => {
                path.push(plain(&it.ident));
                self.flatten(&it.tree, path, out);
                path.pop();
            }
            UseTree::Group(group) => {
                for item in &group.items {
                    self.flatten(item, path, out);
                }
            }
            UseTree::Glob(_) => out.push((path.clone(), "*".to_owned(), None)),
            UseTree::Name(it) => leaf(path, plain(&it.ident), None, out),
            UseTree::Rename(it) => leaf(path, plain(&it.ident), Some(plain(&it.rename)), out),
        }
    }
}

/// A module path, a name of it, and that name's alias.
type Leaf = (Vec<String>, String, Option<String>);

fn leaf(path: &[String], name: String, alias: Option<String>, out: &mut Vec<Leaf>) {
    let mut path = path.to_vec();
    let mut name = name;
    if name == "self"
        && let Some(last) = path.pop()
    {
        name = last;
    }
    out.push((path, name, alias));
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let (mut leaves, mut prefix) = (Vec::new(), Vec::new());
        self.flatten(&item.tree, &mut prefix, &mut leaves);
        let shared = is_pub(&item.vis);
        let kind = if shared { "re_export" } else { "import" };
        let at = first(&item.vis, item.use_token.span);
        let mut modules: Vec<(String, Option<String>, Vec<Value>)> = Vec::new();
        for (path, name, alias) in leaves {
            let whole = path.is_empty();
            let full = if whole { vec![name.clone()] } else { path };
            let mut module = self.from_file(&full).join("::");
            if item.leading_colon.is_some() {
                module.insert_str(0, "::");
            }
            if shared && self.around.is_empty() {
                let given = alias.clone().unwrap_or_else(|| name.clone());
                self.exports.push(json!({ "name": given, "from": module, "line": at }));
            }
            if whole {
                modules.push((module, alias, Vec::new()));
                continue;
            }
            let entry = json!({ "name": name, "alias": alias });
            match modules.iter_mut().find(|it| it.0 == module && !it.2.is_empty()) {
                Some(found) => found.2.push(entry),
                None => modules.push((module, None, vec![entry])),
            }
        }
        for (module, alias, names) in modules {
            self.imports.push(json!({
                "module": module, "kind": kind, "names": names, "alias": alias, "line": at,
            }));
        }
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let alias = item.rename.as_ref().map(|it| plain(&it.1));
        let name = plain(&item.ident);
        let kind = if is_pub(&item.vis) { "re_export" } else { "import" };
        let at = first(&item.vis, item.extern_token.span);
        if is_pub(&item.vis) && self.around.is_empty() {
            let given = alias.as_ref().unwrap_or(&name);
            self.exports.push(json!({ "name": given, "from": name, "line": at }));
        }
        self.imports.push(json!({
            "module": name, "kind": kind, "names": [], "alias": alias, "line": at,
        }));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = plain(&item.ident);
        if item.content.is_some() {
            self.add(&item.ident, "module", is_pub(&item.vis), item.span());
            self.modules.push(name.clone());
            self.within(&name, |it| visit::visit_item_mod(it, item));
            self.modules.pop();
            return;
        }
        let at = line(item.ident.span());
        let set = item.attrs.iter().find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
        let inner = [self.modules.clone(), vec![name.clone()]].concat().join("::");
        let alias = set.as_ref().map(|_| name.clone());
        if is_pub(&item.vis) && self.around.is_empty() {
            self.exports.push(json!({ "name": name, "line": at }));
        }
        self.imports.push(json!({
            "module": set.unwrap_or(inner), "kind": "module", "names": [], "alias": alias, "line": at,
        }));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig.ident, "function", is_pub(&item.vis), item.span());
        self.body(&plain(&item.sig.ident), |it| visit::visit_item_fn(it, item));
    }

    fn visit_foreign_item_fn(&mut self, item: &'ast syn::ForeignItemFn) {
        self.add(&item.sig.ident, "function", is_pub(&item.vis), item.span());
    }

    fn visit_foreign_item_static(&mut self, item: &'ast syn::ForeignItemStatic) {
        self.add(&item.ident, "variable", is_pub(&item.vis), item.span());
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident, "class", is_pub(&item.vis), item.span());
        self.within(&plain(&item.ident), |it| visit::visit_item_struct(it, item));
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.add(&item.ident, "class", is_pub(&item.vis), item.span());
        self.within(&plain(&item.ident), |it| visit::visit_item_union(it, item));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(ident) = &field.ident {
            self.add(ident, "property", is_pub(&field.vis), field.span());
        }
        visit::visit_field(self, field);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident, "enum", is_pub(&item.vis), item.span());
        self.within(&plain(&item.ident), |it| {
            for variant in &item.variants {
                it.add(&variant.ident, "property", is_pub(&item.vis), variant.span());
            }
        });
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident, "type", is_pub(&item.vis), item.span());
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if self.functions == 0 && item.ident != "_" {
            self.add(&item.ident, "variable", is_pub(&item.vis), item.span());
            self.body(&plain(&item.ident), |it| visit::visit_item_const(it, item));
        } else {
            visit::visit_item_const(self, item);
        }
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        if self.functions == 0 {
            self.add(&item.ident, "variable", is_pub(&item.vis), item.span());
        }
        self.body(&plain(&item.ident), |it| visit::visit_item_static(it, item));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(ident) = &item.ident {
            let shared = item.attrs.iter().any(|it| it.path().is_ident("macro_export"));
            self.add(ident, "macro", shared, item.span());
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let shared = is_pub(&item.vis);
        self.add(&item.ident, "interface", shared, item.span());
        self.within(&plain(&item.ident), |it| {
            for inner in &item.items {
                match inner {
                    syn::TraitItem::Fn(function) => {
                        it.add(&function.sig.ident, "method", shared, function.span());
                        it.body(&plain(&function.sig.ident), |it| {
                            visit::visit_trait_item_fn(it, function);
                        });
                    }
                    syn::TraitItem::Type(inner) => {
                        it.add(&inner.ident, "type", shared, inner.span());
                    }
                    syn::TraitItem::Const(inner) => {
                        it.add(&inner.ident, "variable", shared, inner.span());
                    }
                    _ => {}
                }
            }
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = type_name(&item.self_ty);
        self.named(&name, "module", false, line(item.self_ty.span()), item.span());
        self.within(&name, |it| {
            for inner in &item.items {
                match inner {
                    syn::ImplItem::Fn(function) => {
                        it.add(&function.sig.ident, "method", is_pub(&function.vis), function.span());
                        it.body(&plain(&function.sig.ident), |it| {
                            visit::visit_impl_item_fn(it, function);
                        });
                    }
                    syn::ImplItem::Type(inner) => {
                        it.add(&inner.ident, "type", is_pub(&inner.vis), inner.span());
                    }
                    syn::ImplItem::Const(inner) => {
                        it.add(&inner.ident, "variable", is_pub(&inner.vis), inner.span());
                    }
                    _ => {}
                }
            }
        });
    }

}

/// The last name of a type, references and type arguments off; its text where it has none.
fn type_name(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => {
            path.path.segments.last().map(|it| plain(&it.ident)).unwrap_or_default()
        }
        syn::Type::Reference(inner) => type_name(&inner.elem),
        syn::Type::Ptr(inner) => type_name(&inner.elem),
        syn::Type::Paren(inner) => type_name(&inner.elem),
        syn::Type::Group(inner) => type_name(&inner.elem),
        syn::Type::Slice(inner) => type_name(&inner.elem),
        syn::Type::Array(inner) => type_name(&inner.elem),
        syn::Type::TraitObject(object) => object
            .bounds
            .iter()
            .find_map(|bound| match bound {
                syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
                _ => None,
            })
            .map(|segment| plain(&segment.ident))
            .unwrap_or_default(),
        other => {
            let text = other.span().source_text().unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}
