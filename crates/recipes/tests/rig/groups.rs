//! Texts before and after a recipe.

use crate::rig::rewrite;

/// A recipe, the path of its files, and their texts before and after it.
pub(crate) struct Group {
    pub(crate) recipe: &'static str,
    pub(crate) path: &'static str,
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// A text that stays as it is.
pub(crate) const fn same(text: &'static str) -> (&'static str, &'static str) {
    (text, text)
}

/// Returns what is wrong with the texts that the recipes make.
pub(crate) fn find_faults(groups: &[Group]) -> String {
    let mut faults = Vec::new();
    for group in groups {
        for (before, after) in group.files {
            let made = rewrite(group.recipe, group.path, before);
            if made != *after {
                let recipe = group.recipe;
                faults.push(format!("{recipe}\n{before}--- made\n{made}--- wanted\n{after}"));
            }
        }
    }
    faults.join("\n=====\n")
}
