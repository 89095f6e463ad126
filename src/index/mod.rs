//! What the repository's files define, and how they hang together: built once, kept, and asked often.

pub mod calls;
pub mod code;
pub mod facts;
pub mod graph;
pub mod held;
pub mod language;
pub mod links;
pub mod queries;
pub mod references;
pub mod refresh;
pub mod resolve;
pub mod scan;
pub mod store;
pub mod watch;
pub mod words;

pub use code::{FileId, Index, IndexedFile};
pub use facts::{Call, Complexity, Export, FileFacts, Import, ImportKind, ImportedName};
pub use facts::{Symbol, SymbolKind, Todo};
pub use graph::{Cycle, EntryPoints, Graph, HUB_DEPENDENTS, Impact};
pub use held::Uses;
pub use language::Language;
pub use links::{Link, Links, Taken};
pub use refresh::{Keeper, Sources, Summary};
pub use resolve::{Target, is_python_standard};
