//! The source for TypeScript: names, imports and exports that the compiler's errors say how to mend.

mod awaited;
mod dispatch;
mod member;
mod missing;
mod rename;
mod run;
mod specifier;
mod statement;
mod unused;

#[cfg(test)]
mod tests;

pub(super) use dispatch::find_fixes;
