//! The names that a file binds to APIs of other modules.

use std::collections::BTreeSet;

use papayu_index::{Import, ImportKind, go_package_name, language};
use papayu_lang::Language;

use super::api_name::{ApiName, module_parts, separator};

/// Finds the API that a module of the repository passes on under a name.
pub trait Reexports {
    /// Returns the full name of the API behind `name` of `module`, as `path` imports it; `None` if the module is not of the
    /// repository. An empty name is the module itself.
    fn find_api(&self, path: &str, module: &str, name: &str) -> Option<ApiName>;

    /// Returns whether the repository defines a name.
    fn is_defined(&self, name: &str) -> bool;

    /// Returns the files that may take a name of `path` by an import of it, of all its names, or of the module.
    fn find_importers(&self, path: &str, name: &str) -> Vec<Importer> {
        let _ = (path, name);
        Vec::new()
    }
}

/// A file that imports from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Importer {
    /// The importing file.
    pub path: String,
    /// `true` if the import has the name; `false` for one of the whole module, which may use it.
    pub is_by_name: bool,
}

/// A repository of which only the file itself is known.
pub struct NoReexports;

impl Reexports for NoReexports {
    fn find_api(&self, _: &str, _: &str, _: &str) -> Option<ApiName> {
        None
    }

    fn is_defined(&self, _: &str) -> bool {
        false
    }
}

/// A name of a file, and the API that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiBinding {
    /// The name in the file; with its parts for a Python module, and `*` for all names of a module.
    pub(crate) local: String,
    /// The full name of the API.
    pub(crate) path: Vec<String>,
    /// The number of parts that are the module in the import.
    pub(crate) module: usize,
    /// The line on which the import begins, from 1.
    pub(crate) line: u32,
    /// `true` if the import names another name than the API has.
    pub(crate) is_renamed: bool,
    /// `true` if the import is an export as well.
    pub(crate) is_passed_on: bool,
    /// `true` if the import is of a module of the repository, which passes the API on.
    pub(crate) is_indirect: bool,
}

/// The imports of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    language: Option<Language>,
    pub(crate) all: Vec<ApiBinding>,
}

/// An expression of a file that means an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiForm {
    /// As it is written, such as `http.get`.
    pub(crate) text: String,
    /// The binding of its first name; `None` for a full path, which needs no import.
    pub(crate) binding: Option<ApiBinding>,
}

impl Bindings {
    /// Returns whether no other name is imported on the line of a binding.
    pub(crate) fn is_alone(&self, binding: &ApiBinding) -> bool {
        self.all.iter().filter(|it| it.line == binding.line).count() == 1
    }

    /// Reads the imports of a text.
    pub(crate) fn read(path: &str, file: Language, text: &str, reexports: &dyn Reexports) -> Self {
        let facts = language::parse(file, text).facts;
        let mut all = Vec::new();
        for import in &facts.imports {
            add_bindings(file, import, text, &mut all);
        }
        for binding in &mut all {
            let api = ApiName::of_parts(file, &binding.path, binding.module);
            if let Some(found) = reexports.find_api(path, &api.module, &api.name) {
                binding.path = found.parts(file);
                binding.module = module_parts(file, &found.module).len();
                binding.is_indirect = true;
            }
        }
        Self { language: Some(file), all }
    }

    /// Returns every expression of the file that means an API, the longest first.
    pub(crate) fn forms(&self, path: &[String]) -> Vec<ApiForm> {
        let Some(language) = self.language else { return Vec::new() };
        let by = separator(language);
        let mut forms = Vec::new();
        for binding in &self.all {
            let Some(rest) = path.strip_prefix(binding.path.as_slice()) else { continue };
            let local = Some(&binding.local).filter(|local| *local != "*");
            let parts: Vec<&str> = local.into_iter().chain(rest).map(String::as_str).collect();
            if !parts.is_empty() {
                forms.push(ApiForm { text: parts.join(by), binding: Some(binding.clone()) });
            }
        }
        // The languages in which a path needs no import.
        if matches!(language, Language::Rust | Language::Java) && path.len() > 1 {
            forms.push(ApiForm { text: path.join(by), binding: None });
        }
        let mut seen = BTreeSet::new();
        forms.retain(|form| seen.insert(form.text.clone()));
        forms.sort_by_key(|form| std::cmp::Reverse(form.text.len()));
        forms
    }

    /// Returns the full name of the API that an expression means; `None` for a name of the file's own.
    pub(crate) fn resolve(&self, chain: &str) -> Option<(Vec<String>, &ApiBinding)> {
        let by = separator(self.language?);
        let mut best: Option<(Vec<String>, &ApiBinding)> = None;
        for binding in self.all.iter().filter(|it| it.local != "*") {
            let rest = chain.strip_prefix(binding.local.as_str());
            let Some(rest) = rest.filter(|it| it.is_empty() || it.starts_with(by)) else {
                continue;
            };
            let rest = rest.split(by).filter(|it| !it.is_empty()).map(str::to_owned);
            let path: Vec<String> = binding.path.iter().cloned().chain(rest).collect();
            if best.as_ref().is_none_or(|(_, known)| known.local.len() < binding.local.len()) {
                best = Some((path, binding));
            }
        }
        best
    }

    /// Returns whether the file imports from a module or one below it.
    pub(crate) fn has_module(&self, module: &str) -> bool {
        let Some(language) = self.language else { return false };
        let parts = module_parts(language, module);
        self.all.iter().any(|it| is_below(&it.path, &parts))
    }
}

/// Returns whether a full name is of a module or of one below it.
pub(crate) fn is_below(path: &[String], module: &[String]) -> bool {
    // `@acme/client/http` is a module of the package `@acme/client`.
    let is_subpath = |first: &String, module: &String| {
        first.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    let (first, only) = (path.first(), module.first().filter(|_| module.len() == 1));
    path.starts_with(module) || first.zip(only).is_some_and(|(first, only)| is_subpath(first, only))
}

/// Adds the names that one import binds.
fn add_bindings(file: Language, import: &Import, text: &str, all: &mut Vec<ApiBinding>) {
    let base = module_parts(file, &import.module);
    let line = usize::try_from(import.line).unwrap_or(1);
    let head = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim_start();
    let is_passed_on =
        import.kind == ImportKind::ReExport || head.starts_with("pub ") || head.starts_with("pub(");
    let make = |local: &str, path: Vec<String>, module: usize| ApiBinding {
        local: local.to_owned(),
        is_renamed: path.last().is_some_and(|last| last != local) && local != "*",
        path,
        module,
        line: import.line,
        is_passed_on,
        is_indirect: false,
    };
    for taken in &import.names {
        let (name, alias) = (&*taken.name, taken.alias.as_deref());
        // The default of a module in JavaScript is used as the module is.
        let is_whole = matches!(name, "self" | "default" | "*");
        let path: Vec<String> =
            base.iter().cloned().chain((!is_whole).then(|| name.to_owned())).collect();
        let last = path.last().cloned().unwrap_or_default();
        let local = match (name, alias) {
            (_, Some(alias)) => alias,
            ("self", None) => &last,
            (name, None) => name,
        };
        all.push(make(local, path, base.len()));
    }
    if import.alias.is_none() && !import.names.is_empty() {
        return;
    }
    let last = base.last().cloned().unwrap_or_default();
    let local = match (import.alias.as_deref(), file) {
        (Some(alias), _) => alias,
        (None, Language::Python) => &import.module,
        (None, Language::Go) => go_package_name(&import.module),
        (None, Language::Rust | Language::Java) => &last,
        (None, _) => return,
    };
    let module = match file {
        Language::Rust | Language::Java if base.len() > 1 => base.len() - 1,
        _ => base.len(),
    };
    let mut binding = make(local, base, module);
    binding.is_renamed = import.alias.is_some();
    all.push(binding);
}
