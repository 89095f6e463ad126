//! Values, text and configuration formats that all crates share.

pub mod config_text;
pub mod domain;
pub mod text;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
