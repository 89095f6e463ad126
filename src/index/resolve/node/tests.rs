//! JavaScript's and TypeScript's imports, on small trees.

use crate::index::resolve::tree::Tree;
