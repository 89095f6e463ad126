//! The index of a repository: symbols, imports and calls of every file, cached between runs.

pub mod calls;
pub mod code;
pub mod declaration;
pub mod described;
pub mod facts;
pub mod file_id;
pub mod graph;
pub mod imports;
pub mod language;
pub mod lazy_facts;
pub mod mark;
pub mod named;
pub mod notes;
pub mod parser;
pub mod queries;
pub mod references;
pub mod refresh;
pub mod resolve;
pub mod scan;
pub mod shared;
pub mod sources;
pub mod store;
pub mod term_index;
pub mod trigrams;
pub mod watch;

pub use code::{FileId, Index, IndexedFile};
pub use declaration::{Declaration, Parameter, Visibility};
pub use described::add_declarations;
pub use facts::{Complexity, Export, FileFacts, Import, ImportKind, ImportedName, SymbolCall};
pub use facts::{Symbol, SymbolKind, Todo};
pub use graph::{Cycle, EntryPoints, Graph, HUB_DEPENDENTS, Impact};
pub use imports::{FollowedName, ImportedSymbol, ResolvedImport, ResolvedImports, go_package_name};
pub use named::{NamedFiles, module_word};
pub use parser::FactsParser;
pub use refresh::{IncrementalIndex, RefreshSummary};
pub use resolve::ImportTarget;
pub use shared::SharedFacts;
pub use sources::IndexSources;
pub use trigrams::TrigramSet;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
