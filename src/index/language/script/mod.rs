//! TypeScript and JavaScript, with and without JSX: one reading of three grammars.

use super::grammar::{Grammar, Role};

pub(super) static TYPESCRIPT: Grammar =
    Grammar::new(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), role, documents, |_| ());
pub(super) static TSX: Grammar =
    Grammar::new(|| tree_sitter_typescript::LANGUAGE_TSX.into(), role, documents, |_| ());
pub(super) static JAVASCRIPT: Grammar =
    Grammar::new(|| tree_sitter_javascript::LANGUAGE.into(), role, documents, |_| ());

fn documents(comment: &str) -> bool {
    comment.starts_with("/**")
}

fn role(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        _ => Role::Plain,
    }
}
