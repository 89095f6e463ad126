//! Python.

use super::grammar::{Grammar, Role};

pub(super) static GRAMMAR: Grammar =
    Grammar::new(|| tree_sitter_python::LANGUAGE.into(), role, |_| false, |_| ());

fn role(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        _ => Role::Plain,
    }
}
