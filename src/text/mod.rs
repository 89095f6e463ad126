//! Working with text as it comes: lines and their endings, colours, secrets.

pub mod lines;
