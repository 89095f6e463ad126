//! The one integration binary; a module a behaviour.

mod exit_codes;
mod interrupted;
mod providers;
mod providers_replay;
mod providers_rig;
mod settings;
mod suggestions;
mod support;
mod tidy;
mod traces;
mod untrusted_protocol;
mod verify;
