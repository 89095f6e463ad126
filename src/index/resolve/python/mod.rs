//! Python: packages with and without `__init__.py`, source roots, the standard library.

mod modules;
mod roots;
mod stdlib;
#[cfg(test)]
mod tests;

pub(super) use modules::Python;
pub use stdlib::is_standard;
