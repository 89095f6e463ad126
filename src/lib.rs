//! papayu-batch repairs red builds without a person at the keyboard. Read this page first.
//!
//! # The flow
//!
//! ```text
//! input ── Task ── failure::LogReader ── FailureReport ── context::collect ── Context
//!   ── prompts, Provider ── reply ── protocol::decode ── Plan | ActionSet
//!   ── vet::vet ── VettedChange
//!   ── apply::commit ── Applied ── verify::run ── green or red
//!   ── engine::state (repair, fallback, next round, roll back, done) ── Outcome ── emit
//! ```
//!
//! Only [`vet::vet`] makes a [`vet::VettedChange`], and [`apply::commit`] and [`publish`] take nothing
//! else: writing a change that was not checked does not compile.
//!
//! # The rooms, in reading order
//!
//! Pure, text and values in, text and values out:
//! - [`domain`]: the words that cross module borders; [`domain::code`] is the table of error codes.
//! - [`text`]: encodings, lines and their endings, colours off, secrets hidden.
//! - [`lang`]: the language of a path, and whether it is a test.
//! - [`config_text`]: TOML, YAML, JSON and INI as one tree of values with their lines.
//! - [`failure`]: reads logs of any size into a [`domain::FailureReport`].
//! - [`triage`]: tells failures of the code from those of runner, network, secrets and lockfiles.
//! - [`protocol`]: schemas, JSON extraction and decoding of replies.
//! - [`patch`]: lands diffs and anchored edits in memory, or refuses; renders the result as a git patch.
//! - [`weakening`]: tells a fix from a change that weakens the tests or the linters that prove it.
//! - [`mod@vet`]: every gate between a reply and the disk, the preview, secrets and weakened tests.
//! - [`prompts`]: the words of every request.
//! - [`engine::state`]: the whole repair-first and fallback policy as one table.
//!
//! Effects, through one door:
//! - [`system`]: the traits of the outside world; [`system::os`] is the only place that names
//!   files, processes, sockets and clocks.
//! - [`trace`]: trace files, golden traces, events on stderr.
//!
//! Services, which see all above and never each other:
//! - [`input`] brings logs in; [`project`] knows kinds of projects; [`index`] knows what the files
//!   define and how they hang together; [`providers`] answer requests;
//!   [`apply`] is the only writer of the user's tree; [`verify`] runs the user's command; [`emit`]
//!   writes what files and CI systems are told; [`git`] commits and pushes beside the user's checkout;
//!   [`forge`] is where pull requests live.
//!
//! Composed:
//! - [`quickfix`]: the fixes that need no model: what compilers, linters and formatters suggest.
//! - [`publish`]: a proved change as a bundle, a branch or the one pull request of its failure.
//! - [`report`]: what many runs say together: metrics, the graduation verdict, diffs for people.
//! - [`context`]: what the model sees and why. [`engine`]: the run. [`settings`]: what the user
//!   chose, with its source. [`mod@fix`]: one repository with its settings from red to green, which is the
//!   library's front door too. [`batch`]: many of them at once, from a manifest, or (feature `redis`) from a queue that machines share. [`cli`]: arguments in, text and exit code out.
//!
//! # Invariants
//!
//! - **Nothing touches the tree before every action has landed in memory**, and then only inside a
//!   journalled transaction: after a kill at any instant the next run, or `undo`, restores the old tree
//!   or finds the new one.
//! - **No change is never success.** `fixed` needs a change, and the user's command green after it.
//! - **A reply cannot choose a command.** The only commands that run are the user's own, the
//!   detected project's, and the tool that the zero-token provider asks for suggestions.
//! - **Logs, files and replies are untrusted text.** They are fenced in prompts, masked before they
//!   leave the machine or are written, and a file with secrets is never shown.
//! - **A token goes to its own server only**, through the environment of one child process or a header:
//!   never into arguments, messages, traces or files. `publish` runs nothing of the repository.
//! - **The engine decides nothing outside the table.** The driver performs steps and reports events.
//! - **The library never prints** and never reads the environment; `cli` does, at the edge.
//!
//! # Glossary
//!
//! *Model*: an LLM. *Provider*: who answers a request, a model or not. *Run*: one `fix`, `plan` or
//! `apply`. *Attempt*: from plan to verification. *Round*: one answer to context requests. *Repair*:
//! the second ask. *Fallback*: the older protocol. *Patch*: diff text. *Edit*: an anchored one
//! of v3. *Change*: what happens on disk. *Gate*: refuses. *Rung*: how a hunk or edit matched. *Check*: the
//! command that proves a fix. *Fingerprint*: a failure's name across runs.

pub mod apply;
pub mod batch;
pub mod cli;
pub mod config_text;
pub mod context;
pub mod domain;
pub mod emit;
pub mod engine;
pub mod failure;
pub mod fix;
pub mod forge;
pub mod git;
pub mod index;
pub mod input;
pub mod lang;
pub mod patch;
pub mod project;
pub mod prompts;
pub mod protocol;
pub mod providers;
pub mod publish;
pub mod quickfix;
pub mod report;
pub mod settings;
pub mod system;
pub mod text;
pub mod trace;
pub mod triage;
pub mod verify;
pub mod vet;
pub mod weakening;

pub use fix::{FixRequest, Fixed, fix};
