//! The one integration binary; a module a behaviour.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests, in functions that clippy does not know as such"
)]

mod allowances;
mod attacks;
mod batch;
mod batch_again;
mod batch_clones;
mod batch_nights;
mod batch_publish;
mod batch_pulls;
mod changes;
mod cheats;
mod ci;
mod code_review;
mod continued;
mod direct;
mod edits;
mod encodings;
mod endings;
mod example_replies;
mod examples;
mod exit_codes;
mod findings;
mod first_commands;
mod fix;
mod fix_commands;
mod fix_outcomes;
mod fix_plans;
#[path = "../forge/rig.rs"]
mod forge_rig;
mod forges;
mod free_rounds;
mod github_app;
mod index;
mod interrupted;
mod judge;
mod life;
mod life_facts;
mod life_forms;
mod life_sweep;
mod matchers;
mod mcp;
mod memory;
mod model;
mod model_command;
#[cfg(feature = "nats")]
mod nats_rig;
mod notes;
mod own_modules;
mod parity;
mod parity_details;
mod parity_rows;
mod passing_commands;
mod patches;
mod proof;
mod proof_base;
mod proof_cheats;
mod proof_cheats_compiled;
mod proof_commands;
mod proof_confirmed;
mod proof_format;
mod proof_order;
mod proof_reports;
mod providers;
mod providers_replay;
mod providers_rig;
mod publish;
mod pull_requests;
mod pushes;
#[cfg(feature = "nats")]
mod queue;
#[cfg(feature = "nats")]
mod queue_servers;
mod quickfix;
mod quickfix_messages;
mod readme;
mod readme_demo;
mod readme_examples;
mod readme_reference;
mod recipe_goals;
mod recipe_runs;
mod recipe_sources;
mod recipes;
#[cfg(feature = "redis")]
mod redis_rig;
mod report;
mod research;
mod sandbox;
mod scenarios;
mod self_check;
mod settings;
mod setup;
mod several;
#[cfg(feature = "redis")]
mod shared_store;
mod small_window;
mod sub_folders;
mod support;
mod tidy;
mod tool_calls;
mod tools;
mod traces;
mod triage;
mod untrusted;
mod untrusted_git;
mod untrusted_protocol;
mod verify;
