//! Placeholder page of protocol.
