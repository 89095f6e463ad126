//! typos.
