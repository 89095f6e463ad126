//! The index of a repository: symbols, imports and calls of every file, cached between runs.

pub mod calls;
pub mod code;
pub mod facts;
pub mod file_id;
pub mod graph;
pub mod imports;
pub mod language;
pub mod lazy_facts;
pub mod mark;
mod name_table;
pub mod named;
pub mod parser;
pub mod queries;
pub mod references;
pub mod refresh;
pub mod resolve;
pub mod scan;
pub mod sources;
pub mod store;
pub mod term_index;
pub mod trigrams;
pub mod watch;

pub use code::{FileId, Index, IndexedFile};
pub use facts::{Call, Complexity, Export, FileFacts, Import, ImportKind, ImportedName};
pub use facts::{Symbol, SymbolKind, Todo};
pub use graph::{Cycle, EntryPoints, Graph, HUB_DEPENDENTS, Impact};
pub use imports::{ImportedSymbol, ResolvedImport, ResolvedImports, go_package_name};
pub use language::Language;
pub use lazy_facts::Uses;
pub use named::NamedFiles;
pub use parser::FactsParser;
pub use refresh::{IncrementalIndex, Summary};
pub use resolve::Target;
pub use sources::Sources;
pub use trigrams::TrigramSet;
