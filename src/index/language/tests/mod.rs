//! What the systems languages' readers make of whole files, and that no text is too much for them.

mod hostile;
mod samples;
