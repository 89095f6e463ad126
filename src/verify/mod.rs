//! Placeholder page of verify.
