//! Applies a move: every use of an API gets its new name, whatever the file calls it.

use papayu_base::text::is_word_char;
use papayu_index::go_package_name;
use papayu_lang::Language;

use super::api_name::{ApiName, module_parts, separator};
use super::bindings::{ApiBinding, Bindings};
use super::import_edit::{add_import, change_import, change_module};
use super::import_needs::OutsideUses;
use super::language::is_script;
use super::recipe::MoveRule;
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
    for binding in bindings.all.iter().filter(|it| !it.is_indirect) {
        if binding.path == mover.old {
            mover.move_binding(binding)?;
        } else if rule.old.name.is_empty() && binding.path.starts_with(&mover.old) {
            mover.move_module(binding);
        } else if mover.old.starts_with(&binding.path) {
            mover.move_chain(binding)?;
        }
    }
    if matches!(language, Language::Rust | Language::Java) && mover.old.len() > 1 {
        let by = separator(language);
        mover.replace_chains(&mover.old.join(by), &mover.new.join(by));
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

impl Mover<'_> {
    /// Changes an import of the API itself, and the uses of its name.
    fn move_binding(&mut self, binding: &ApiBinding) -> Option<()> {
        if binding.local == "*" {
            return Some(());
        }
        let uses = self.tree.chains(&binding.local);
        // Other files know the name of an import that this file only passes on.
        let is_passed_on =
            binding.is_passed_on || uses.is_empty() || self.outside.need(self.tree, &binding.local);
        let local = if binding.is_renamed || is_passed_on {
            binding.local.clone()
        } else {
            default_local(self.tree.language, &self.rule.new)
        };
        if local != binding.local && self.is_taken(&local) {
            return None;
        }
        let edits = change_import(self.tree, self.bindings, binding, &self.rule.new, &local)?;
        self.edits.extend(edits);
        if local != binding.local {
            self.replace_chains(&binding.local, &local);
        }
        Some(())
    }

    /// Changes the module of an import of something below the moved module.
    fn move_module(&mut self, binding: &ApiBinding) {
        let (old, new) = (self.rule.old.module.as_str(), self.rule.new.module.as_str());
        self.edits.extend(change_module(self.tree, binding, old, new));
        let local = replace_word(&binding.local, old, new);
        if local != binding.local {
            self.replace_chains(&binding.local, &local);
        }
    }

    /// Changes the uses of the API through the import of something above it.
    fn move_chain(&mut self, binding: &ApiBinding) -> Option<()> {
        let by = separator(self.tree.language);
        let rest = self.old.get(binding.path.len()..)?;
        let chain = join_chain(&binding.local, rest, by);
        let uses = self.tree.chains(&chain);
        if uses.is_empty() {
            return Some(());
        }
        // A module below an imported one is not imported with it.
        let depth = module_parts(self.tree.language, &self.rule.new.module).len();
        let is_reached =
            self.rule.old.module == self.rule.new.module || binding.path.len() >= depth;
        let rest = self.new.strip_prefix(binding.path.as_slice()).filter(|_| is_reached);
        if let Some(rest) = rest {
            let with = join_chain(&binding.local, rest, by);
            self.replace_chains(&chain, &with);
            return Some(());
        }
        let is_whole = binding.path.len() == binding.module
            && binding.local != "*"
            && !self.outside.need(self.tree, &binding.local);
        if is_whole && self.tree.chains(&binding.local).len() == uses.len() {
            // Nothing else of the module is used: its import becomes that of the other module.
            let (old, new) = (self.rule.old.module.as_str(), self.rule.new.module.as_str());
            let edit = change_module(self.tree, binding, old, new)?;
            self.edits.push(edit);
            let module = ApiName { module: new.to_owned(), name: String::new() };
            let local = if binding.is_renamed || is_script(self.tree.language) {
                binding.local.clone()
            } else {
                default_local(self.tree.language, &module)
            };
            let with = join_chain(&local, std::slice::from_ref(&self.rule.new.name), by);
            self.replace_chains(&chain, &with);
            return Some(());
        }
        if binding.local == "*" {
            // The name is used without the module, and gets an import of its own.
            let first = self.rule.new.name.split('.').next().unwrap_or_default().to_owned();
            let api = ApiName { module: self.rule.new.module.clone(), name: first };
            if self.is_taken(&api.name) {
                return None;
            }
            self.edits.extend(add_import(self.tree, &api, &api.name, None));
            let with = self.rule.new.name.replace('.', by);
            self.replace_chains(&chain, &with);
            return Some(());
        }
        let module = ApiName { name: String::new(), ..self.rule.new.clone() };
        let local = default_local(self.tree.language, &module);
        let path = module_parts(self.tree.language, &self.rule.new.module);
        // An import of a module above it is not enough.
        let is_known = self.bindings.all.iter().any(|it| it.local == local && it.path == path);
        if !is_known {
            if self.is_taken(&local) {
                return None;
            }
            self.edits.extend(add_import(self.tree, &module, &local, None));
        }
        let with = join_chain(&local, std::slice::from_ref(&self.rule.new.name), by);
        self.replace_chains(&chain, &with);
        Some(())
    }

    /// Replaces the uses of a chain of names.
    fn replace_chains(&mut self, chain: &str, with: &str) {
        for range in self.tree.chains(chain) {
            let node = self.tree.node_at(&range);
            let kind = node.map_or("", |it| it.kind());
            let text = if kind == "shorthand_property_identifier" {
                format!("{chain}: {with}")
            } else if node
                .and_then(|it| it.parent())
                .is_some_and(|it| it.kind() == "export_specifier")
            {
                // The file goes on exporting the name that others import.
                format!("{with} as {chain}")
            } else {
                with.to_owned()
            };
            self.edits.push(TextReplacement::new(range, text));
        }
    }

    /// Returns whether the file has another use for a name.
    fn is_taken(&self, local: &str) -> bool {
        let first = local.split(['.', ':']).next().unwrap_or(local);
        let is_bound = self.bindings.all.iter().any(|it| it.local == local && it.path != self.new);
        is_bound || !self.tree.declarations(first).is_empty()
    }
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
