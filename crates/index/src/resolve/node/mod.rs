//! JavaScript and TypeScript: relative files, `tsconfig.json`, `package.json`, workspaces.

mod built;
mod builtins;
mod config;
mod exports;
mod modules;
mod package;
mod probe;
#[cfg(test)]
mod tests;
mod workspace;

pub(super) use modules::NodeModules;
