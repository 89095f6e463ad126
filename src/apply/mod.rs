//! Placeholder page of apply.
