//! The one integration binary; a module a behaviour.

mod providers;
mod providers_replay;
mod providers_rig;
