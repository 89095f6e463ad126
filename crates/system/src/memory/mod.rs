//! Engineering memory: what the user and the repository want every request to know.
//!
//! [`KEYS`] is the one table of keys. A [`Memory`] has checked values only, and a run sees none of them: it gets a
//! [`MemoryBlock`], a text for the system message. No command, path or limit of a run can come from here.
//!
//! Pure but for [`MemoryFile`], which reads and replaces the file of a layer.

mod block;
mod file;
mod key;
mod layer;
mod patch;

pub use block::{MAX_BLOCK, MemoryBlock, render_block};
pub use file::{MemoryError, MemoryFile};
pub use key::{KEYS, Layer, MemoryKey, ValueForm};
pub use layer::{Dropped, MAX_FILE, Memory, read_layer};
pub use patch::{FilteredPatch, filter_patch};
