//! The exit codes of the program.

/// The program's exit codes, part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// Fixed and verified, or nothing to fix.
    Ok = 0,
    /// Not fixed: a plan only, or verification still fails.
    NotFixed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// The provider is unreachable, refused, or the budget is spent.
    Provider = 3,
    /// The plan was rejected by policy.
    Rejected = 4,
    /// The files changed during the run.
    Conflict = 5,
    /// Git or the forge failed.
    Publish = 6,
    /// Interrupted by a signal.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code, in the order of the numbers.
    /// Documentation and tests list the codes from it.
    pub const ALL: [Self; 8] = [
        Self::Ok,
        Self::NotFixed,
        Self::Usage,
        Self::Provider,
        Self::Rejected,
        Self::Conflict,
        Self::Publish,
        Self::Interrupted,
    ];

    /// Returns the number handed to the operating system.
    /// Numbers up to 6 are the program's own; 130 is 128 and the number of SIGINT, as shells
    /// report it.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns one sentence for the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ok => {
                "The failure is fixed and the fix is verified, the command already passes, or the plan or review that was asked for is written."
            }
            Self::NotFixed => {
                "The command still fails, no fix was found, no test ran, the failure of the log does not happen here, or a change is ready that no command proves."
            }
            Self::Usage => "The command line, a setting or an input file is wrong.",
            Self::Provider => {
                "The model's server cannot be reached or refuses, or a budget is spent."
            }
            Self::Rejected => {
                "A check refused the change; `error_code` in outcome.json names the check."
            }
            Self::Conflict => "The files changed during the run, or another run works on them.",
            Self::Publish => {
                "Git or the forge refused, so nothing is published; a change that was proved is in papayu.patch."
            }
            Self::Interrupted => "A signal ended the run; the files are unchanged.",
        }
    }
}
