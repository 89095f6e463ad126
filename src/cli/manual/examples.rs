//! The table of examples in the manual; a test parses each with the definition of the command line.

/// An example of a command.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The command that it is listed under, such as `runs show`; empty is the program itself.
    pub command: &'static str,
    /// One sentence on its effect.
    pub effect: &'static str,
    /// The line to type.
    pub line: &'static str,
}

macro_rules! examples {
    ($($command:literal, $effect:literal, $line:literal;)*) => {
        /// Every example, in the order of the commands.
        pub const EXAMPLES: &[Example] =
            &[$(Example { command: $command, effect: $effect, line: $line },)*];
    };
}

examples! {
    "", "Fix what the project's usual command reports, and print the patch.", "papayu-batch fix";
    "", "Show every setting with its source, and check the environment.", "papayu-batch doctor";
    "fix", "Run the command, fix the failure without a model, run the command again, and print the patch.", "papayu-batch fix --run 'cargo test' --provider suggestions";
    "fix", "Read the failure from a log, and keep the change in the working tree.", "papayu-batch fix --log build.log --run 'npm test' --emit worktree";
    "fix", "Ask a model for what no tool fixes, for at most 50 cents.", "papayu-batch fix --run 'pytest -q' --provider suggestions,openai --max-cost 0.50";
    "fix", "Fix the failed jobs of a run of GitHub Actions, and open a pull request.", "papayu-batch fix --github-run 1234567890 --run 'npm test' --emit pr";
    "fix", "Update each package that the scanner reports to its lowest fixed version, with a pull request for each.", "papayu-batch fix --findings audit.json --run 'npm ci && npm test' --emit pr";
    "recipe list", "List the recipes of a folder, with the repositories that each healed.", "papayu-batch recipe list --recipes recipes";
    "recipe test", "Check a recipe's examples, and show what it would change in this repository.", "papayu-batch recipe test rename.yml";
    "batch", "Carry a hand-written rule through many repositories, each with its own proof.", "papayu-batch batch repos.toml --recipe rename.yml --run 'npm test'";
    "init", "Write a commented settings file, and a workflow that fixes failing builds.", "papayu-batch init --workflow";
    "plan", "Write a plan to read before anything is changed.", "papayu-batch plan --goal 'replace the deprecated client' --run 'npm test' --out plan";
    "apply", "Carry out that plan.", "papayu-batch apply --plan plan/plan.json --emit worktree";
    "apply", "Carry out the newest plan of the repository.", "papayu-batch apply --plan";
    "publish", "Open a pull request from a bundle, in a job that may write.", "papayu-batch publish out/bundle --digest \"$BUNDLE_DIGEST\"";
    "batch", "Fix the repositories of a manifest, eight in parallel, for at most 20 dollars.", "papayu-batch batch repos.toml --jobs 8 --max-cost 20 --out nightly";
    "batch", "Continue a batch that was killed.", "papayu-batch batch repos.toml --out nightly --resume";
    "batch matrix", "Print the matrix of a job with at most 32 shards.", "papayu-batch batch matrix repos.toml --max 32";
    "undo", "Revert the last kept change.", "papayu-batch undo";
    "redo", "Make the reverted change again.", "papayu-batch redo";
    "explain", "Say what failed in a log, where, and what to do next.", "papayu-batch explain --log build.log";
    "context", "Show what a model would receive about a log.", "papayu-batch context --log build.log";
    "index", "Refresh the index and print its totals.", "papayu-batch index";
    "index definition", "Show where a name is defined.", "papayu-batch index definition amount";
    "index callers", "List the callers of a method.", "papayu-batch index callers Order.subtotal";
    "replay", "Run a recorded session again, without a network.", "papayu-batch replay examples/parser-none/recordings/fallback.jsonl --repo examples/parser-none";
    "trace show", "List all traces.", "papayu-batch trace show";
    "trace check", "Check that golden traces are still valid.", "papayu-batch trace check golden_traces/v2";
    "report", "Write one HTML page about all runs of a repository.", "papayu-batch report --html report.html";
    "report merge", "Combine the results of two shards.", "papayu-batch report merge shard-1 shard-2 --out nightly";
    "runs list", "List earlier runs.", "papayu-batch runs list";
    "runs show", "Show how the newest run ended.", "papayu-batch runs show --last";
    "runs diff", "Show the change of a run.", "papayu-batch runs diff 0f3a";
    "runs continue", "Continue a run that reached its budget, with a higher one.", "papayu-batch runs continue 0f3a --max-cost 2";
    "memory show", "Show what every request to a model says about you and the project.", "papayu-batch memory show";
    "memory set", "Ask for short summaries.", "papayu-batch memory set user.preferred_style brief";
    "notes list", "List the notes on earlier failures of the repository.", "papayu-batch notes list";
    "notes add", "Add a note that models see with failures of that module.", "papayu-batch notes add 'src/money.py: amounts are whole cents'";
    "doctor", "Print every setting as JSON.", "papayu-batch doctor --format json";
    "schema", "Print the schema of outcome.json.", "papayu-batch schema outcome";
    "schema", "Print the schema of a reply in the form that is sent to providers.", "papayu-batch schema v2 --wire";
    "completions", "Complete commands and flags in bash.", "eval \"$(papayu-batch completions bash)\"";
    "man", "Read the page of a command.", "papayu-batch man fix | man -l -";
    "man", "Write one page for each command into a folder.", "papayu-batch man --out man1";
}
