//! Placeholder page of settings.
