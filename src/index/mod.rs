//! What the repository's files define, and how they hang together: built once, kept, and asked often.

pub mod code;
pub mod facts;
pub mod language;
pub mod refresh;
pub mod scan;
pub mod search;
pub mod store;
pub mod watch;
pub mod words;

pub use code::{FileId, Index, IndexedFile};
pub use facts::{Call, Complexity, Export, FileFacts, Import, ImportKind, ImportedName};
pub use facts::{Symbol, SymbolKind, Todo};
pub use language::Language;
pub use refresh::{Keeper, Sources, Summary};
