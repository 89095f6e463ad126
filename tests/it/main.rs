//! The one integration binary; a module a behaviour.

mod examples;
mod exit_codes;
mod fix;
mod fix_outcomes;
mod fix_plans;
mod model;
mod providers;
mod providers_replay;
mod providers_rig;
mod settings;
mod suggestions;
mod support;
mod tidy;
mod traces;
mod verify;
