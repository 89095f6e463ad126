//! Rust: crates by their manifests, modules by their `mod` lines.

mod crates;
mod modules;
#[cfg(test)]
mod tests;

pub(super) use modules::RustModules;
