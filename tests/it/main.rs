//! The one integration binary; a module a behaviour.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "these are tests, in functions that clippy does not know as such"
)]

mod exit_codes;
mod interrupted;
mod providers;
mod providers_replay;
mod providers_rig;
mod readme;
mod settings;
mod suggestions;
mod support;
mod tidy;
mod traces;
mod untrusted_protocol;
mod verify;
