//! The source for TypeScript: fixes names, imports and exports as the compiler's errors describe them.

mod awaited;
mod case;
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
pub(super) use unused::find_lost_effect;
