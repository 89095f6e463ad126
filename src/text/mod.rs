//! Placeholder page of text.
