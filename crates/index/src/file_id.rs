//! The number of a file in an index.

/// The position of a file in `Index::files`. It is valid for that index only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);
