//! papayu-batch turns a red build into a proved fix. This page is the architecture of the workspace.
//!
//! A library user needs three items: [`fix()`] runs one repair, [`FixRequest`] describes it, and
//! [`batch`] runs many. The command line is [`cli`].
//!
//! ```no_run
//! use papayu_batch::{FixRequest, domain::NoEvents};
//!
//! let request = FixRequest::new("path/to/repository").setting("run.command", "npm test");
//! let report = papayu_batch::fix(request, &NoEvents);
//! println!("{:?}: {}", report.outcome.outcome, report.outcome.reason);
//! ```
//!
//! # The flow of a run
//!
//! ```text
//! read_failure   log · command · JUnit · SARIF · forge run · issue      → FailureReport
//! triage         code, or flake · infrastructure · environment · dependency
//! repeat
//!   propose      recipes, quickfix (no model)  or  a model (PLAN, then APPLY)  → ActionSet
//!   vet          gates, preview in memory, secrets, basis of the proof   → VettedChange | Refusal
//!   commit       journalled transaction                                 → changed files
//!   verify       the user's command, compared with the run before       → proof | rollback
//!   judge        a second opinion on the proved change                  → kept | rollback
//! deliver        outcome, patch, bundle, branch, pull request, reports
//! ```
//!
//! | step | modules |
//! |---|---|
//! | read the failure | [`input`] opens the source, [`papayu_logs::failure`] parses it into a [`domain::FailureReport`] |
//! | triage | [`mod@papayu_logs::triage`] separates failures of the code from all others |
//! | propose | [`recipes`] and [`papayu_quickfix`] without a model; [`context`], [`papayu_patch::prompts`], [`papayu_providers`] and [`papayu_patch::protocol`] with one |
//! | vet | [`papayu_vet`] checks the actions, with [`papayu_patch`] |
//! | commit | [`apply`] writes the files, and restores them after a kill |
//! | verify | [`mod@verify`] runs the command and compares the results test by test |
//! | decide | [`engine::state`] is the table of all transitions; [`engine`] performs them |
//! | deliver | [`emit`] for CI systems, [`publish`] and [`papayu_forge`] for branches and pull requests |
//!
//! [`mod@fix`] puts these steps together for one repository, and [`batch`] repeats them for the tasks of a
//! manifest or of a queue.
//!
//! # Layers
//!
//! The libraries of `crates/` have the layers below; a crate uses only crates of its own row and of the rows above, and
//! Cargo refuses a cycle. The page of each crate describes its interface.
//!
//! | layer | crates |
//! |---|---|
//! | pure: no disk, clock, network or environment | [`papayu_base`], [`papayu_lang`], [`papayu_logs`], [`papayu_patch`], [`papayu_vet`] |
//! | world | [`papayu_system`] (only [`papayu_system::os`] uses files, processes, sockets and clocks) |
//! | services | [`papayu_index`], [`papayu_forge`], [`papayu_providers`], [`papayu_quickfix`], [`papayu_recipes`] |
//!
//! The modules of this package use all crates. A module uses only modules of its own row and of the rows above. The
//! exact uses are in `tests/it/tidy/layers.txt`, and a test compares that file with the code.
//!
//! | layer | modules |
//! |---|---|
//! | services | [`golden`], [`input`], [`project`], [`apply`], [`mod@verify`], [`bump`], [`changes`], [`recipes`], [`emit`] |
//! | composed | [`publish`], [`tools`], [`context`], [`engine`], [`report`], [`settings`], [`mod@fix`], [`batch`], `toolbox`, [`mcp`] |
//! | edge | [`cli`] |
//!
//! # Invariants
//!
//! - **Only vetted changes are written.** [`papayu_vet::vet`] is the only constructor of [`papayu_vet::VettedChange`],
//!   and [`apply::commit`] and [`publish`] accept nothing else, so an unchecked write does not compile.
//! - **A transaction survives a kill.** [`apply`] writes a journal first. After a kill at any instant, the
//!   next run or `papayu-batch undo` restores the old tree, or finds the new one complete.
//! - **No change is never a success.** An outcome is `fixed` only if files changed and the user's command
//!   passed afterwards.
//! - **A reply cannot choose a command.** Only three kinds of commands run: the user's own, the one of
//!   the detected project, and the tools of [`papayu_quickfix`].
//! - **Logs, files and replies are untrusted.** Prompts fence them, secrets are masked before text leaves
//!   the machine or is written, and files with secrets are never shown.
//! - **A token goes to its own server only**, in a header or in the environment of one child process, and
//!   never in arguments, messages, traces or files.
//! - **The engineering memory only informs.** A run gets it as a [`papayu_system::memory::MemoryBlock`], a text for the system message;
//!   no command, path or limit is read from it.
//! - **The engine decides only by its table.** The driver performs steps and reports events.
//! - **Only providers, forges and [`papayu_providers::research`] reach the web.** Research is off by default, a repository cannot turn it on, and it
//!   connects to public addresses only.
//! - **The library never prints and never reads the environment.** [`cli`] does both.
//!
//! # Glossary
//!
//! | term | meaning |
//! |---|---|
//! | run | one `fix`, `plan` or `apply` |
//! | attempt | one pass from PLAN to verification; a run has several |
//! | round | one reply to the model's requests for more context |
//! | repair | a second request after a reply that could not be used |
//! | fallback | a switch to an older protocol version |
//! | provider | a source of replies: a model's API, or recorded replies |
//! | action | one operation on a file in a reply: create, patch, edit, delete |
//! | patch, edit | a unified diff (protocol v2), an anchored replacement (v3) |
//! | strategy | a way to find the place of a hunk or edit |
//! | gate | a check that can refuse an action |
//! | change | the new content of files, see [`papayu_patch::Change`] |
//! | fingerprint | the identity of a failure across runs |
//! | scenario | a folder of `tests/scenarios` with a red repository and the expected result |
//!
//! # How to add …
//!
//! **A gate.** Write `check_…` in a file of `crates/vet/src/gate/`, call it in `crates/vet/src/gate/sequence.rs`, and add
//! hostile and ordinary inputs to `crates/vet/src/gate/tests.rs`. A gate that needs no file takes `NamedAction`s and goes
//! before `path::locate`, so that a hostile reply costs no disk access; after it, a `LocatedAction` has the bytes
//! of its file. A new refusal needs a row in `crates/base/src/domain/code.rs`; run the tests with `BLESS=1` then, which
//! documents it. A limit that users set is a field of [`papayu_vet::Policy`], which `policy` in `src/fix/config.rs` fills.
//! A check of the resulting files is a file of `crates/vet/src/` with its tests at the end (`conflict_markers.rs` is a short one),
//! and `judge` in `crates/vet/src/change.rs` calls it after the preview. Each code has a case in `tests/it/untrusted/gates.rs`, and
//! a sentence in `docs/safety.md`. A code that asks for a repair is also listed in the test of `crates/base/src/domain/code.rs`.
//!
//! **A language.** A language that is only recognised needs a row of `ENDINGS` in `crates/lang/src/language.rs` and its test
//! names in `crates/lang/src/test_path.rs`. One that is indexed needs, in this order:
//!
//! 1. its `tree-sitter-…` crate in `crates/lang/Cargo.toml`, behind a feature `lang-…` that is on by default and that
//!    `docs/dependencies.md` lists; its version in `GRAMMAR_VERSIONS` of `crates/index/src/store.rs`, so that cached facts of
//!    another version are not used;
//! 2. a variant of [`papayu_lang::Language`] and its row of `ENDINGS`; the compiler then lists the matches to complete, of which
//!    `crates/lang/src/grammar.rs` returns the parser's grammar and `crates/index/src/language/syntax_tables.rs` the syntax table;
//! 3. the syntax table, which gives each kind of node its role, a file of `crates/index/src/language/` (`java.rs` is a short one);
//!    the parts of a definition's head, a file of `declare/` there; a sample in `tests/samples/` there, which
//!    `tests/samples.rs` lists for all tests, and its heads in `tests/declarations.rs`;
//! 4. the way its imports name files, a file of `crates/index/src/resolve/`, called by `resolver.rs` there; in
//!    `crates/index/src/imports.rs` the name under which an import is known, if it differs from the imported one.
//!
//! Its test framework is detected in `src/project/`, and its manifests are vetted by `crates/vet/src/proof_basis/`.
//!
//! **A log reader.** Implement `Parser` in a file of `crates/logs/src/failure/toolchain/` and list it in
//! `toolchain::all_parsers`. Add a real log to `tests/logs/`; the snapshot test writes what was read.
//!
//! **A scanner.** Read its report in a file of `crates/logs/src/findings/`, recognise it in `format.rs` there, and add a recorded report to
//! `tests/findings/`. A package manager is a variant of [`papayu_logs::findings::Ecosystem`], a file of `src/bump/` that reads the versions in its
//! lock file and updates one, and a row in `src/bump/located.rs`.
//!
//! **A forge.** A folder of `crates/forge/src/` has a client, which implements [`papayu_forge::Forge`] and [`papayu_forge::Lifecycle`] on the
//! calls of `crates/forge/src/api.rs`, and `values.rs` with the bodies of requests and the parsed answers. The client's `Wire`
//! has its headers, its form of a token and its way to the next page; retries, limits, masking and redirects are common.
//! A call that the forge lacks returns an error of kind [`papayu_forge::ForgeFault::Unsupported`]. Then, in this order:
//!
//! 1. a variant of [`papayu_forge::ForgeKind`] with its word in `forge.kind`; the compiler then lists the matches of
//!    `crates/forge/src/forge_word.rs` and `kind.rs` to complete, of which `git_users` has the names that tokens are masked with;
//! 2. in the same file its public host in `HOSTS`, and the host or the end of its API's address in `API_HOSTS` or `API_PATHS`;
//! 3. the variables of its CI system, a row of `src/fix/ci_environment.rs`;
//! 4. the files of its CI system, which a change may not touch, in `crates/vet/src/gate/unattended.rs`, and in the table of
//!    `crates/lang/src/path_table.rs`;
//! 5. the form of its tokens in `crates/base/src/text/mask/vendors.toml`, with a sample in `vendor_samples.txt` there;
//! 6. its word in the description of `forge.kind` in `src/settings/keys.rs`, its rows and its column in `docs/ci.md`;
//! 7. its answers, a class of `tests/forge/forges.py`. The tests in `tests/it/forges.rs` run for every variant, and name
//!    the expectations that are missing.
//!
//! Branches are pushed by [`papayu_forge::git`], for every forge alike.
//!
//! `CONTRIBUTING.md` has the same for settings, error codes, events, commands and fixes.

pub mod apply;
pub mod batch;
pub mod bump;
pub mod changes;
pub mod cli;
pub mod context;
pub mod emit;
pub mod engine;
pub mod fix;
pub mod golden;
pub mod input;
pub mod mcp;
pub mod project;
pub mod publish;
pub mod recipes;
pub mod report;
pub mod settings;
mod toolbox;
pub mod tools;
pub mod verify;

pub use papayu_base::domain;

pub use fix::{FixReport, FixRequest, fix};
