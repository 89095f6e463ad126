//! Placeholder page of engine.
pub mod state;
