//! papayu-batch repairs red builds without a person at the keyboard.

pub mod apply;
pub mod cli;
pub mod context;
pub mod domain;
pub mod emit;
pub mod engine;
pub mod failure;
pub mod input;
pub mod patch;
pub mod project;
pub mod prompts;
pub mod protocol;
pub mod providers;
pub mod settings;
pub mod system;
pub mod text;
pub mod trace;
pub mod verify;
