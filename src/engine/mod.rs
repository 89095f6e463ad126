//! Placeholder page of engine.
