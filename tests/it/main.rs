//! The one integration binary; a module a behaviour.

mod exit_codes;
mod settings;
mod support;
mod tidy;
mod traces;
