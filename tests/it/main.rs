//! The one integration binary; a module a behaviour.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod exit_codes;
mod providers;
mod providers_replay;
mod providers_rig;
mod settings;
mod suggestions;
mod support;
mod tidy;
mod traces;
mod untrusted_protocol;
