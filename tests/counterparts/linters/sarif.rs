//! sarif.
