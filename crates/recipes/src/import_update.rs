//! Brings the imports of a file up to date after a rule: adds the missing ones, and removes those that nothing uses any more.

use super::api_name::ApiName;
use super::bindings::{ApiBinding, Bindings};
use super::import_edit::{add_import, change_import, drop_name, find_statement};
use super::resolve::uses_of;
use super::rewrite_scope::RewriteScope;
use super::rules::RewriteRule;
use super::source_tree::SourceTree;
use super::spelled_names::SpelledNames;
use super::text_edit::apply_edits;

/// The imports of a file that a rule changed.
pub(crate) struct ImportUpdate<'u> {
    pub(crate) rule: &'u RewriteRule,
    pub(crate) scope: RewriteScope<'u>,
    /// The file before the rule.
    pub(crate) before: &'u SourceTree<'u>,
    pub(crate) before_bindings: &'u Bindings,
}

/// A text with its imports.
struct CurrentFile<'t> {
    tree: SourceTree<'t>,
    bindings: Bindings,
}

impl ImportUpdate<'_> {
    /// Returns the text with its imports brought up to date for all names by which the rule changed it.
    pub(crate) fn update(&self, changed: &[SpelledNames], mut text: String) -> Option<String> {
        let mut missing: Vec<(ApiName, String, Option<ApiBinding>)> = Vec::new();
        for names in changed {
            if let Some((binding, api)) = &names.alias {
                let file = self.read(&text)?;
                let edits =
                    change_import(&file.tree, &file.bindings, binding, api, &binding.local)?;
                text = apply_edits(&text, edits);
                continue;
            }
            let old = names.old.values().find_map(|form| form.binding.clone());
            for (api, local) in &names.missing {
                let is_known = |(known, name, near): &(ApiName, String, Option<ApiBinding>)| {
                    (known, name, near) == (api, local, &old)
                };
                if !missing.iter().any(is_known) {
                    missing.push((api.clone(), local.clone(), old.clone()));
                }
            }
        }
        let unused = self.find_unused(changed, &text)?;
        let mut kept = Vec::new();
        for (binding, module) in unused {
            let same = missing.iter().position(|(api, ..)| api.module == module);
            match same {
                Some(at) => {
                    let (api, local, _) = missing.remove(at);
                    missing.retain(|(known, ..)| *known != api);
                    text = self.change(&text, &binding, &api, &local)?;
                }
                None => kept.push(binding),
            }
        }
        for (api, local, old) in missing {
            text = self.add(&text, &api, &local, old.as_ref())?;
        }
        for binding in kept {
            text = self.drop_all(&text, &binding)?;
        }
        Some(text)
    }

    fn read<'t>(&self, text: &'t str) -> Option<CurrentFile<'t>> {
        let tree = SourceTree::parse(self.before.language, text)?;
        let bindings = Bindings::read(self.scope.path, tree.language, text, self.scope.reexports);
        Some(CurrentFile { tree, bindings })
    }

    /// Returns the imports of old APIs that the rule left without a use, and the modules of these APIs.
    fn find_unused(
        &self,
        changed: &[SpelledNames],
        text: &str,
    ) -> Option<Vec<(ApiBinding, String)>> {
        let file = self.read(text)?;
        let mut unused: Vec<(ApiBinding, String)> = Vec::new();
        for names in changed.iter().filter(|it| it.alias.is_none()) {
            for (name, form) in &names.old {
                let Some(binding) = form.binding.as_ref().filter(|it| it.local != "*") else {
                    continue;
                };
                let local = binding.local.as_str();
                let is_used = !uses_of(&file.tree, &file.bindings, local, Some(binding)).is_empty();
                // An import that was not used before has another purpose.
                let was_used =
                    !uses_of(self.before, self.before_bindings, local, Some(binding)).is_empty();
                let is_known = unused.iter().any(|(known, _)| known == binding);
                let is_kept = || {
                    binding.is_passed_on || self.scope.outside().need(&file.tree, &binding.local)
                };
                if !is_used && was_used && !is_known && !is_kept() {
                    let module = self.rule.imports.get(name).map(|api| api.module.clone());
                    unused.push((binding.clone(), module.unwrap_or_default()));
                }
            }
        }
        Some(unused)
    }

    /// Changes an import to one of another API.
    fn change(&self, text: &str, old: &ApiBinding, api: &ApiName, local: &str) -> Option<String> {
        let file = self.read(text)?;
        let Some(binding) = find_same(&file.bindings, old) else { return Some(text.to_owned()) };
        Some(apply_edits(text, change_import(&file.tree, &file.bindings, binding, api, local)?))
    }

    /// Adds an import next to the one of an old API.
    fn add(
        &self,
        text: &str,
        api: &ApiName,
        local: &str,
        old: Option<&ApiBinding>,
    ) -> Option<String> {
        let file = self.read(text)?;
        let old = old.and_then(|old| find_same(&file.bindings, old));
        let near = old.and_then(|old| find_statement(&file.tree, old));
        let near = near.filter(|it| !super::import_edit::is_top_level(*it));
        Some(apply_edits(text, vec![add_import(&file.tree, api, local, near)?]))
    }

    /// Removes all imports of an API under a name.
    fn drop_all(&self, text: &str, old: &ApiBinding) -> Option<String> {
        let mut text = text.to_owned();
        loop {
            let file = self.read(&text)?;
            let Some(binding) = find_same(&file.bindings, old) else { return Some(text) };
            let edits = drop_name(&file.tree, &file.bindings, binding)?;
            let shorter = apply_edits(&text, edits);
            if shorter == text {
                return None;
            }
            text = shorter;
        }
    }
}

/// Returns an import that was read before, as it is now: its line may be another.
fn find_same<'b>(bindings: &'b Bindings, old: &ApiBinding) -> Option<&'b ApiBinding> {
    bindings.all.iter().find(|it| it.local == old.local && it.path == old.path)
}
