//! Placeholder page of input.
