//! Real logs against their reports, and hostile bytes against the reader's bounds.
