//! Placeholder page of context.
