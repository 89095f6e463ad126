//! Placeholder page of cli.
