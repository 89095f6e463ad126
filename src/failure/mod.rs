//! Placeholder page of failure.
