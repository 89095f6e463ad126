//! TypeScript and JavaScript, with and without JSX: one reading of three grammars.

mod bind;
mod call;
mod commonjs;
mod define;
mod export;
mod import;
mod member;
mod node;
mod roles;
mod suite;

use node::{
    find_child, has_child, is_function, is_wrapper, last_part, list_children, property_name,
    read_literal, unwrap_expression,
};
pub(super) use roles::{JAVASCRIPT, TSX, TYPESCRIPT};
