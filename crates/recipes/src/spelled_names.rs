//! The names that one file has, or gets, for the APIs of a rule.

use std::collections::BTreeMap;

use papayu_lang::Language;
use serde_json::{Map, Value};
use tree_sitter::Node;

use super::api_name::{ApiName, module_parts, separator};
use super::bindings::{ApiBinding, ApiForm, Bindings};
use super::import_edit::find_statement;
use super::moves::default_local;
use super::pattern_text::replace_names;
use super::resolve::{NameBinders, NameMeaning, is_taken, root_path, uses_of};
use super::rules::RewriteRule;
use super::scopes::{Scope, scope_of, sees};
use super::source_tree::SourceTree;
use super::text_edit::replace_word;

/// Most combinations of the names that a file has for the APIs of a rule.
const MAX_FORMS: usize = 16;

/// Returns the binding of a name that a file gives an API which the rule replaces by another one, and the number of its uses.
pub(crate) fn find_alias(
    rule: &RewriteRule,
    forms: &BTreeMap<String, ApiForm>,
    tree: &SourceTree<'_>,
    bindings: &Bindings,
) -> Option<(ApiBinding, usize)> {
    let (Some((name, form)), true) = (forms.iter().next(), forms.len() == 1) else { return None };
    let (Some((new_name, new)), true) = (rule.becomes.iter().next(), rule.becomes.len() == 1)
    else {
        return None;
    };
    let binding = form.binding.clone().filter(|it| it.is_renamed && it.local == form.text)?;
    let is_same_module = rule.imports.get(name).is_some_and(|api| api.module == new.module);
    // The fix that goes on using the old API needs its alias.
    let fix = rule.document.get("fix").and_then(Value::as_str).unwrap_or_default();
    let is_kept = name != new_name && replace_word(fix, name, "") != fix;
    // A name that the file has for the new API is the better one.
    let is_known = bindings.forms(&new.parts(tree.language)).iter().any(|it| it.binding.is_some());
    let is_replaced = is_same_module && !new.name.contains('.') && !is_kept && !is_known;
    let uses = uses_of(tree, bindings, &binding.local, Some(&binding)).len();
    is_replaced.then_some((binding, uses))
}

/// Returns every choice of one form for each API of a rule.
pub(crate) fn combine_forms(
    rule: &RewriteRule,
    bindings: &Bindings,
) -> Vec<BTreeMap<String, ApiForm>> {
    let mut all = vec![BTreeMap::new()];
    for (name, api) in &rule.imports {
        let forms = bindings.forms(&api.parts(rule.language));
        let longer = all.iter().flat_map(|chosen: &BTreeMap<String, ApiForm>| {
            forms.iter().map(|form| {
                let mut chosen = chosen.clone();
                chosen.insert(name.clone(), form.clone());
                chosen
            })
        });
        all = longer.take(MAX_FORMS).collect();
    }
    all
}

/// The names in one file for the APIs of a rule.
#[derive(Clone)]
pub(crate) struct SpelledNames {
    pub(crate) old: BTreeMap<String, ApiForm>,
    new: BTreeMap<String, String>,
    /// The APIs without an import, and the names that they get.
    pub(crate) missing: Vec<(ApiName, String)>,
    /// The import that keeps its local name.
    pub(crate) alias: Option<(ApiBinding, ApiName)>,
    /// The meanings that the first parts of the new names need wherever they are written.
    expected: Vec<(String, NameMeaning)>,
}

impl SpelledNames {
    /// Chooses the names of the new APIs; `None` if one is taken by something else.
    pub(crate) fn choose(
        rule: &RewriteRule,
        bindings: &Bindings,
        tree: &SourceTree<'_>,
        old: BTreeMap<String, ApiForm>,
        alias: Option<&ApiBinding>,
    ) -> Option<Self> {
        let mut names = Self {
            old,
            new: BTreeMap::new(),
            missing: Vec::new(),
            alias: None,
            expected: Vec::new(),
        };
        for (name, api) in &rule.becomes {
            if let Some(alias) = alias {
                names.new.insert(name.clone(), alias.local.clone());
                names.alias = Some((alias.clone(), api.clone()));
            } else if let Some(form) = names.find_form(bindings, tree, api) {
                names.expect(tree.language, &form);
                names.new.insert(name.clone(), form.text);
            } else {
                names.add_missing(bindings, tree, name, api)?;
            }
        }
        Some(names)
    }

    /// Returns the name that the file has for a new API wherever it uses the old ones: of the same import as an old one if it
    /// can be, else of the nearest import, the shortest first.
    fn find_form(
        &self,
        bindings: &Bindings,
        tree: &SourceTree<'_>,
        api: &ApiName,
    ) -> Option<ApiForm> {
        let forms = bindings.forms(&api.parts(tree.language));
        let places: Vec<Scope<'_>> = self.old.values().map(|it| scope_of_form(tree, it)).collect();
        let is_old = |form: &ApiForm| {
            self.old.values().any(|it| it.binding.is_some() && it.binding == form.binding)
        };
        let imported = forms.iter().filter(|form| {
            let scope = scope_of_form(tree, form);
            form.binding.as_ref().is_some_and(|it| reaches(tree.language, bindings, it, api))
                && places.iter().all(|place| scope.covers(*place))
        });
        let best = imported
            .min_by_key(|form| (!is_old(form), scope_of_form(tree, form).size(), form.text.len()));
        // A file that names the old API by its full path names the new one so as well.
        let is_path = self.old.values().any(|form| form.binding.is_none());
        best.or_else(|| forms.iter().find(|form| is_path && form.binding.is_none())).cloned()
    }

    /// Notes what the first part of a new name means.
    fn expect(&mut self, language: Language, form: &ApiForm) {
        let root = form.text.split(separator(language)).next().unwrap_or_default().to_owned();
        let meaning = match &form.binding {
            Some(binding) if binding.local != "*" => NameMeaning::Api(root_path(language, binding)),
            _ => NameMeaning::Unbound,
        };
        self.expected.push((root, meaning));
    }

    /// Chooses the name of an API that the file has to import.
    fn add_missing(
        &mut self,
        bindings: &Bindings,
        tree: &SourceTree<'_>,
        name: &str,
        api: &ApiName,
    ) -> Option<()> {
        // The first part of a longer name is what an import binds.
        let first = api.name.split('.').next().unwrap_or_default().to_owned();
        let first = if tree.language == Language::Go { String::new() } else { first };
        let import = ApiName { module: api.module.clone(), name: first };
        let local = default_local(tree.language, &import);
        let is_added = self.missing.iter().any(|(known, _)| *known == import);
        if !is_added && is_taken(tree, bindings, &local, &import.parts(tree.language)) {
            return None;
        }
        let spelled = if import.name.is_empty() {
            let by = separator(tree.language);
            let parts = [local.as_str(), &api.name];
            parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(by)
        } else {
            api.name.replace('.', separator(tree.language))
        };
        self.new.insert(name.to_owned(), spelled);
        if !is_added {
            self.missing.push((import, local));
        }
        Some(())
    }

    /// Prepares to decide where the new names mean the new APIs.
    pub(crate) fn checker<'n>(
        &self,
        tree: &'n SourceTree<'n>,
        bindings: &Bindings,
    ) -> NewNameChecker<'n> {
        let roots = self.expected.iter().map(|(root, meaning)| ExpectedRoot {
            binders: NameBinders::find(tree, bindings, root),
            name: root.clone(),
            meaning: meaning.clone(),
        });
        let home = Some(self.home(tree)).filter(|_| !self.missing.is_empty());
        NewNameChecker { tree, roots: roots.collect(), home }
    }

    /// Returns the part of the file with the imports of the old APIs, which is where new imports are added.
    fn home<'n>(&self, tree: &'n SourceTree<'_>) -> Scope<'n> {
        let scopes = self.old.values().map(|it| scope_of_form(tree, it));
        scopes.min_by_key(|it| it.size()).unwrap_or(Scope::File)
    }

    /// Returns the rule with the names of the file.
    pub(crate) fn spell(&self, document: &Map<String, Value>) -> Map<String, Value> {
        let spelled = |(key, value): (&String, &Value)| (key.clone(), self.spell_value(key, value));
        document.iter().map(spelled).collect()
    }

    fn spell_value(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::String(text) if matches!(key, "pattern" | "context") => {
                let names = self.old.iter().map(|(name, form)| (name, &form.text));
                Value::String(replace_names(text, names))
            }
            Value::String(text) if matches!(key, "fix" | "template") => {
                // A name may be both, if the fix keeps the call.
                let kept = self.old.iter().filter(|(name, _)| !self.new.contains_key(*name));
                let kept = kept.map(|(name, form)| (name, &form.text));
                Value::String(replace_names(text, self.new.iter().chain(kept)))
            }
            Value::Object(fields) => Value::Object(self.spell(fields)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.spell_value(key, item)).collect())
            }
            other => other.clone(),
        }
    }
}

/// Decides where the new names of a rule mean the new APIs.
pub(crate) struct NewNameChecker<'n> {
    tree: &'n SourceTree<'n>,
    roots: Vec<ExpectedRoot<'n>>,
    /// The part of the file that sees the imports which are added.
    home: Option<Scope<'n>>,
}

/// The first part of a new name, and what it has to mean.
struct ExpectedRoot<'n> {
    binders: NameBinders<'n>,
    name: String,
    meaning: NameMeaning,
}

impl NewNameChecker<'_> {
    /// Returns whether the new names mean the new APIs at a place.
    pub(crate) fn are_right_at(&self, at: Node<'_>) -> bool {
        let is_right = |root: &ExpectedRoot<'_>| {
            let meaning = root.binders.meaning_at(at);
            let is_path = meaning == NameMeaning::Api(vec![root.name.clone()]);
            meaning == root.meaning || root.meaning == NameMeaning::Unbound && is_path
        };
        self.roots.iter().all(is_right)
            && self.home.is_none_or(|home| sees(self.tree, home, self.tree.root(), at))
    }
}

/// Returns the part of the file in which a form of an API is seen.
fn scope_of_form<'n>(tree: &'n SourceTree<'_>, form: &ApiForm) -> Scope<'n> {
    let statement = form.binding.as_ref().and_then(|it| find_statement(tree, it));
    statement.map_or(Scope::File, |it| scope_of(tree, it))
}

/// Returns whether an import gives access to an API: a module of Python is not imported with the package around it.
pub(crate) fn reaches(
    language: Language,
    bindings: &Bindings,
    binding: &ApiBinding,
    api: &ApiName,
) -> bool {
    let module = module_parts(language, &api.module);
    let is_whole = binding.path.len() == binding.module;
    language != Language::Python
        || !is_whole
        || binding.path.len() >= module.len()
        || bindings.all.iter().any(|it| it.path == module)
}
