//! The same reading of TypeScript and JavaScript, off the typed tree of a parser made for these two alone.
//!
//! Why there are two: `parser` reads ten times as fast as the grammar of the other reader, but gives nothing for a text
//! with an error in it, and knows no bounds. So whole files are read here and broken, deep or huge ones there;
//! what they say of a file is the same, which tests ask of every source at hand.

mod assign;
mod bind;
mod bounds;
mod call;
mod class;
mod declare;
mod export;
mod expression;
mod import;
mod place;
mod reader;
mod run;
mod suite;
mod visit;

pub(in crate::index::language) use run::read;
