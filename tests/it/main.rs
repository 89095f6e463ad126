//! The one integration binary; a module a behaviour.

mod untrusted_protocol;
