//! The rules on errors that tsc really prints, in a world of texts.
