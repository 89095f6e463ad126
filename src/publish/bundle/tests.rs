//! Bundles that lie.
