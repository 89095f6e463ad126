//! The source for PHP: variables, properties, functions, methods and classes that are not defined.

mod class;
mod dispatch;

pub(super) use dispatch::find_fixes;
