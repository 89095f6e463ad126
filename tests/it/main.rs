//! The one integration binary; a module a behaviour.

mod interrupted;
mod verify;
