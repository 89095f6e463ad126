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
    bare, child, children, has_child, is_function, is_wrapper, last_part, literal, property_name,
};
pub(super) use roles::{JAVASCRIPT, TSX, TYPESCRIPT};
