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

use super::child::{find_child, list_children};
use node::{has_child, is_wrapper, last_part, property_name, read_literal};
pub(super) use node::{is_function, unwrap_expression};
pub(super) use roles::{JAVASCRIPT, TSX, TYPESCRIPT};
