//! A rule with the names of a file, and the part of the file that it may change.

use std::collections::BTreeSet;

use ast_grep_core::NodeMatch;
use ast_grep_core::tree_sitter::StrDoc;
use serde_json::{Map, Value};

use super::bindings::Reexports;
use super::import_needs::OutsideUses;
use super::language::GrammarLanguage;
use super::recipe_files::RecipeFiles;
use super::rules::RewriteRule;
use super::spelled_names::SpelledNames;

/// The part of a file that a rule may change, and what is known around it.
#[derive(Clone, Copy)]
pub(crate) struct RewriteScope<'s> {
    /// The file.
    pub(crate) path: &'s str,
    /// Lines from 1 that a match must touch; `None` for the whole file.
    pub(crate) lines: Option<&'s BTreeSet<u32>>,
    /// The other files.
    pub(crate) reexports: &'s dyn Reexports,
    /// The files, with the time that is left.
    pub(crate) files: &'s dyn RecipeFiles,
    /// `true` if a rule may apply although no import explains its names.
    pub(crate) allows_untyped: bool,
}

impl<'s> RewriteScope<'s> {
    /// Returns what lies outside of the file.
    pub(crate) fn outside(self) -> OutsideUses<'s> {
        OutsideUses { path: self.path, reexports: self.reexports, files: self.files }
    }

    /// Reports a file, or a place in it, that stays as it is.
    pub(crate) fn leave_alone(self, line: Option<usize>, reason: &'static str) {
        self.files.leave_alone(self.path, line, reason);
    }
}

/// A rule with the names of one file.
pub(crate) struct NamedRule<'r> {
    pub(crate) rule: &'r RewriteRule,
    pub(crate) scope: RewriteScope<'r>,
    pub(crate) file: GrammarLanguage,
    pub(crate) names: &'r SpelledNames,
    pub(crate) document: Map<String, Value>,
}

/// A match of a rule.
pub(crate) type RuleMatch<'t> = NodeMatch<'t, StrDoc<GrammarLanguage>>;
