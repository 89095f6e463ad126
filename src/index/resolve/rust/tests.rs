//! Rust's paths, on small trees.
