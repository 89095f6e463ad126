//! Placeholder page of trace.
