//! Domain notes: what earlier fixes, the user and online research found out, for later failures of a repository.
//!
//! A [`Note`] is made by [`Note::new`], from the user's words or a page, or by [`distill_fix`] from a proved fix, without
//! a model. A [`NoteBook`] ranks them for a failure, and [`render_notes`] writes the best ones for a request: those of
//! the user apart from all others, which are untrusted. Expired notes are in no book.
//!
//! Pure but for [`NoteStore`], which reads and replaces the file of a repository.

mod block;
mod book;
mod distill;
mod note;
mod store;

pub use block::{MAX_CHARS, MAX_SHOWN, NoteBlock, render_notes};
pub use book::{NoteBook, NoteQuery};
pub use distill::{FixFacts, distill_fix};
pub use note::{MAX_TEXT, Note, NoteDraft, NoteOrigin};
pub use store::{MAX_NOTES, NoteError, NoteStore};
