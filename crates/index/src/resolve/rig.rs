//! Small trees as texts, and where one module of one file leads in them.

use super::{ImportTarget, ResolveRequest, Resolver};
use crate::code::Index;
use crate::facts::{ImportKind, ImportedName};

/// A tree; files without a text are named with an empty one.
pub(super) struct Rig(Index);

impl Rig {
    pub(super) fn of(texts: &[(&str, &str)]) -> Self {
        Self(Index::of_texts(texts))
    }

    /// Returns the files' paths, or `external x`, `builtin x`, `unresolved`.
    pub(super) fn leads(&self, from: &str, module: &str) -> String {
        self.takes(from, module, &[], ImportKind::Import)
    }

    /// The same for names taken, and another kind.
    pub(super) fn takes(
        &self,
        from: &str,
        module: &str,
        names: &[&str],
        kind: ImportKind,
    ) -> String {
        let names: Vec<ImportedName> =
            names.iter().map(|name| ImportedName { name: (*name).into(), alias: None }).collect();
        let from = self.0.find_path(from).unwrap();
        let request =
            ResolveRequest { names: &names, kind, ..ResolveRequest::of_module(from, module) };
        let found = Resolver::of(&self.0).resolve(&request);
        let path = |id: &crate::FileId| self.0.file(*id).unwrap().path.as_str();
        let mut text = match &found.target {
            ImportTarget::Internal(files) => files.iter().map(path).collect::<Vec<_>>().join(" "),
            ImportTarget::External(name) => format!("external {name}"),
            ImportTarget::Builtin(name) => format!("builtin {name}"),
            ImportTarget::Unresolved => "unresolved".to_owned(),
        };
        if !found.rest.is_empty() {
            text = format!("{text} :: {}", found.rest.join("."));
        }
        for (name, files) in &found.modules {
            let files: Vec<_> = files.iter().map(path).collect();
            text = format!("{text} {name}={}", files.join(" "));
        }
        text
    }
}
