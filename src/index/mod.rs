//! What the repository's files define, and how they hang together: built once, kept, and asked often.

pub mod code;
pub mod facts;
pub mod language;

pub use code::{FileId, Index, IndexedFile};
pub use facts::{Call, Complexity, Export, FileFacts, Import, ImportKind, ImportedName};
pub use facts::{Symbol, SymbolKind, Todo};
pub use language::Language;
