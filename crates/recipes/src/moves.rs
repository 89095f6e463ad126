//! Applies a move: every use of an API gets its new name, whatever the file calls it.

use papayu_base::text::is_word_char;
use papayu_index::go_package_name;
use papayu_lang::Language;

use super::api_name::{ApiName, module_parts, separator};
use super::bindings::{ApiBinding, Bindings};
use super::import_edit::{
    add_import, change_import, change_module, drop_name, find_statement, is_top_level,
};
use super::import_needs::OutsideUses;
use super::language::is_script;
use super::module_strings::module_edits;
use super::nodes::ancestors;
use super::resolve::{NameBinders, NameMeaning, is_taken, root_name, uses_of};
use super::rules::MoveRule;
use super::scopes::{Scope, is_assigned_to, scope_of};
use super::source_tree::SourceTree;
use super::text_edit::{TextReplacement, apply_edits, replace_word};

/// Returns the text of a file after a move; `None` if nothing in it is concerned, or a use cannot be changed safely.
pub(crate) fn apply_move(
    rule: &MoveRule,
    bindings: &Bindings,
    tree: &SourceTree<'_>,
    outside: OutsideUses<'_>,
) -> Option<String> {
    let language = tree.language;
    let mut mover = Mover {
        rule,
        bindings,
        tree,
        outside,
        old: rule.old.parts(language),
        new: rule.new.parts(language),
        edits: Vec::new(),
    };
    if is_script(language) && rule.old.name.is_empty() {
        // The names that the file gives the module stay.
        let edits = module_edits(tree, &rule.old.module, &rule.new.module);
        return (!edits.is_empty()).then(|| apply_edits(tree.text, edits));
    }
    for binding in bindings.all.iter().filter(|it| !it.is_indirect) {
        if binding.path == mover.old {
            mover.move_binding(binding)?;
        } else if rule.old.name.is_empty() && binding.path.starts_with(&mover.old) {
            mover.move_module(binding)?;
        } else if mover.old.starts_with(&binding.path) {
            mover.move_chain(binding)?;
        }
    }
    if matches!(language, Language::Rust | Language::Java) && mover.old.len() > 1 {
        let by = separator(language);
        mover.replace_chains(None, &mover.old.join(by), &mover.new.join(by))?;
    }
    let text = apply_edits(tree.text, mover.edits);
    (text != tree.text).then_some(text)
}

struct Mover<'m> {
    rule: &'m MoveRule,
    bindings: &'m Bindings,
    tree: &'m SourceTree<'m>,
    outside: OutsideUses<'m>,
    old: Vec<String>,
    new: Vec<String>,
    edits: Vec<TextReplacement>,
}

impl<'m> Mover<'m> {
    /// Changes an import of the API itself, and the uses of its name.
    fn move_binding(&mut self, binding: &ApiBinding) -> Option<()> {
        if binding.local == "*" {
            return self.move_module(binding);
        }
        let language = self.tree.language;
        let root = root_name(language, binding);
        // The file has a second meaning for the name, such as one for older versions.
        if NameBinders::find(self.tree, self.bindings, root).is_ambiguous(binding) {
            return None;
        }
        let uses = uses_of(self.tree, self.bindings, &binding.local, Some(binding));
        // Other files know the name of an import that this file only passes on.
        let is_passed_on =
            binding.is_passed_on || uses.is_empty() || self.outside.need(self.tree, &binding.local);
        if let Some(known) = self.find_known(&self.new, binding).filter(|_| !is_passed_on) {
            return self.merge_into(binding, &known.local);
        }
        // An import of a module from the package around it keeps the name of the module.
        let is_part = language == Language::Python && binding.path.len() > binding.module;
        let is_chosen = self.rule.old.name.is_empty() && is_part;
        let mut local = if binding.is_renamed || is_passed_on || is_chosen {
            binding.local.clone()
        } else {
            default_local(language, &self.rule.new)
        };
        if local != binding.local && self.is_taken(&local) {
            if !has_alias(language) || self.rule.new.name.is_empty() {
                return None;
            }
            local.clone_from(&binding.local);
        }
        let edits = change_import(self.tree, self.bindings, binding, &self.rule.new, &local)?;
        self.edits.extend(edits);
        if local != binding.local {
            self.replace_chains(Some(binding), &binding.local, &local)?;
        }
        Some(())
    }

    /// Returns the import that binds an API already, where an import of the old one is seen.
    fn find_known(&self, path: &[String], old: &ApiBinding) -> Option<&'m ApiBinding> {
        let scope = |it: &ApiBinding| {
            find_statement(self.tree, it).map_or(Scope::File, |it| scope_of(self.tree, it))
        };
        let around = scope(old);
        self.bindings
            .all
            .iter()
            .find(|it| it.path == path && it.local != "*" && *it != old && scope(it).covers(around))
    }

    /// Uses another import in the place of one, which goes.
    fn merge_into(&mut self, binding: &ApiBinding, local: &str) -> Option<()> {
        self.replace_chains(Some(binding), &binding.local, local)?;
        self.edits.extend(drop_name(self.tree, self.bindings, binding)?);
        Some(())
    }

    /// Changes the module of an import of something below the moved module.
    fn move_module(&mut self, binding: &ApiBinding) -> Option<()> {
        let (old, new) = (self.rule.old.module.as_str(), self.rule.new.module.as_str());
        self.edits.extend(change_module(self.tree, binding, old, new));
        let local = replace_word(&binding.local, old, new);
        if local != binding.local {
            self.replace_chains(Some(binding), &binding.local, &local)?;
        }
        Some(())
    }

    /// Changes the uses of the API through the import of something above it.
    fn move_chain(&mut self, binding: &ApiBinding) -> Option<()> {
        let language = self.tree.language;
        let by = separator(language);
        let rest = self.old.get(binding.path.len()..)?;
        let chain = join_chain(&binding.local, rest, by);
        let uses = uses_of(self.tree, self.bindings, &chain, Some(binding)).len();
        if uses == 0 {
            return Some(());
        }
        // A module below an imported one is not imported with it.
        let module = module_parts(language, &self.rule.new.module);
        let is_reached =
            self.rule.old.module == self.rule.new.module || binding.path.len() >= module.len();
        // A name that is used without its module may be the one of another module.
        if binding.local == "*" && self.is_taken(&self.spell_starred()) {
            return None;
        }
        let rest = self.new.strip_prefix(binding.path.as_slice()).filter(|_| is_reached);
        if let Some(rest) = rest {
            let with = join_chain(&binding.local, rest, by);
            return self.replace_chains(Some(binding), &chain, &with);
        }
        if binding.local == "*" {
            return self.move_starred(binding, &chain);
        }
        let all = uses_of(self.tree, self.bindings, &binding.local, Some(binding)).len();
        let is_only = binding.path.len() == binding.module
            && all == uses
            && !self.outside.need(self.tree, &binding.local);
        if let Some(known) = self.find_known(&module, binding) {
            let with = self.spell_member(&known.local);
            self.replace_chains(Some(binding), &chain, &with)?;
            if is_only && !binding.is_passed_on {
                self.edits.extend(drop_name(self.tree, self.bindings, binding)?);
            }
            return Some(());
        }
        if is_only { self.move_whole(binding, &chain) } else { self.move_part(binding, &chain) }
    }

    /// Changes an import of which nothing else is used to that of the other module.
    fn move_whole(&mut self, binding: &ApiBinding, chain: &str) -> Option<()> {
        let (old, new) = (self.rule.old.module.as_str(), self.rule.new.module.as_str());
        let edit = change_module(self.tree, binding, old, new)?;
        self.edits.push(edit);
        let module = ApiName { module: new.to_owned(), name: String::new() };
        let local = if binding.is_renamed || is_script(self.tree.language) {
            binding.local.clone()
        } else {
            default_local(self.tree.language, &module)
        };
        let with = self.spell_member(&local);
        self.replace_chains(Some(binding), chain, &with)
    }

    /// Gives a name that is used without its module an import of its own.
    fn move_starred(&mut self, binding: &ApiBinding, chain: &str) -> Option<()> {
        let first = self.rule.new.name.split('.').next().unwrap_or_default().to_owned();
        let api = ApiName { module: self.rule.new.module.clone(), name: first };
        self.edits.extend(add_import(self.tree, &api, &api.name, None));
        self.replace_chains(Some(binding), chain, &self.spell_starred())
    }

    /// Returns the new name as it is written without its module.
    fn spell_starred(&self) -> String {
        self.rule.new.name.replace('.', separator(self.tree.language))
    }

    /// Adds an import of the other module next to one that is still used.
    fn move_part(&mut self, binding: &ApiBinding, chain: &str) -> Option<()> {
        let language = self.tree.language;
        let module = ApiName { name: String::new(), ..self.rule.new.clone() };
        let local = default_local(language, &module);
        let path = module_parts(language, &module.module);
        let is_known = self.bindings.all.iter().any(|it| it.local == local && it.path == path);
        if !is_known {
            let further = local.split(separator(language)).count().saturating_sub(1);
            let root = path.get(..path.len().saturating_sub(further)).unwrap_or_default();
            if is_taken(self.tree, self.bindings, &local, root) {
                return None;
            }
            let near = find_statement(self.tree, binding).filter(|it| !is_top_level(*it));
            self.edits.extend(add_import(self.tree, &module, &local, near));
        }
        let with = self.spell_member(&local);
        self.replace_chains(Some(binding), chain, &with)
    }

    /// Returns the new name as a member of its module.
    fn spell_member(&self, local: &str) -> String {
        let by = separator(self.tree.language);
        join_chain(local, std::slice::from_ref(&self.rule.new.name), by)
    }

    /// Replaces the uses of a chain of names; `None` if the file gives the API a new value, or the name is seen elsewhere.
    fn replace_chains(
        &mut self,
        binding: Option<&ApiBinding>,
        chain: &str,
        with: &str,
    ) -> Option<()> {
        let root = with.split(separator(self.tree.language)).next().unwrap_or(with);
        let binders = NameBinders::find(self.tree, self.bindings, root);
        for range in uses_of(self.tree, self.bindings, chain, binding) {
            let node = self.tree.node_at(&range)?;
            let around = node.parent().map_or("", |it| it.kind());
            // The name of an embedded field of Go is the one of its type.
            let is_embedded = ancestors(node).take(4).any(|it| {
                it.kind() == "field_declaration" && it.child_by_field_name("name").is_none()
            });
            if is_assigned_to(node)
                || is_embedded && self.tree.language == Language::Go
                || binders.meaning_at(node) == NameMeaning::Own
            {
                return None;
            }
            let is_shorthand = node.kind() == "shorthand_property_identifier"
                || around == "shorthand_field_initializer";
            let text = if is_shorthand {
                format!("{chain}: {with}")
            } else if around == "export_specifier" {
                // The file goes on exporting the name that others import.
                format!("{with} as {chain}")
            } else {
                with.to_owned()
            };
            self.edits.push(TextReplacement::new(range, text));
        }
        Some(())
    }

    /// Returns whether the file has another use for a name.
    fn is_taken(&self, local: &str) -> bool {
        let further = local.split(separator(self.tree.language)).count().saturating_sub(1);
        let path = self.new.get(..self.new.len().saturating_sub(further)).unwrap_or_default();
        is_taken(self.tree, self.bindings, local, path)
    }
}

/// Returns whether an import can give any name to what it imports.
fn has_alias(language: Language) -> bool {
    is_script(language) || matches!(language, Language::Python | Language::Rust)
}

/// Returns the name that an import without an alias binds.
pub(crate) fn default_local(language: Language, api: &ApiName) -> String {
    match language {
        Language::Go => go_package_name(&api.module).to_owned(),
        Language::Python if api.name.is_empty() => api.module.clone(),
        _ if api.name.is_empty() => {
            api.module.rsplit(|c| !is_word_char(c)).next().unwrap_or(&api.module).to_owned()
        }
        _ => api.last(language),
    }
}

/// Returns a chain of names; `*` is an import of all names, which are used without the module.
fn join_chain(local: &str, rest: &[String], by: &str) -> String {
    let local = Some(local).filter(|local| *local != "*");
    local.into_iter().chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(by)
}
