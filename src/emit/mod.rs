//! Placeholder page of emit.
