//! Python: packages with and without `__init__.py`, source roots, the standard library.

mod entries;
mod modules;
mod roots;
#[cfg(test)]
mod tests;

pub(super) use modules::PythonModules;
