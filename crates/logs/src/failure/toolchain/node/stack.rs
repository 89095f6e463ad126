//! Reads the lines of JavaScript stacks.
//!
//! ```text
//!     at add (/src/calc.js:3:9)
//!     at async file:///src/calc.test.js:6:21
//!  ❯ src/calc.test.ts:6:21
//! ```

use crate::failure::location;
use papayu_base::domain::Location;

/// Endings of files that node or a bundler runs.
const ENDINGS: &[&str] =
    &[".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"];

/// A line of a stack.
#[derive(Debug)]
pub(in crate::failure) enum StackFrame {
    /// It names a place in the code.
    At(Location),
    /// It names the runtime's inside, or native code.
    Nowhere,
}

impl StackFrame {
    /// Returns the location in the code, if there is one.
    pub(in crate::failure) fn location(self) -> Option<Location> {
        match self {
            Self::At(at) => Some(at),
            Self::Nowhere => None,
        }
    }
}

/// Reads a frame: `at fn (file:1:2)`, `at file:1:2`, `❯ fn file:1:2`, `› fn (file:1:2)`, and in TAP's `stack` also
/// `fn (file:1:2)`.
pub(in crate::failure) fn parse_frame(trimmed: &str, bare: bool) -> Option<StackFrame> {
    if let Some(rest) = trimmed.strip_prefix("❯ ") {
        let at = location::parse_location(rest.rsplit(' ').next()?)?;
        return is_script(&at.path).then_some(StackFrame::At(at));
    }
    if let Some(rest) = trimmed.strip_prefix("› ") {
        let at = location::parse_location(rest.rsplit([' ', '(']).next()?.trim_end_matches(')'))?;
        return is_script(&at.path).then_some(StackFrame::At(at));
    }
    let rest = match trimmed.strip_prefix("at ") {
        Some(rest) => rest.strip_prefix("async ").unwrap_or(rest),
        None if bare => trimmed,
        None => return None,
    };
    let inside = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((_, inside)) => inside,
        None => rest,
    };
    // Frames of the runtime cannot be repaired.
    if inside.starts_with("node:") || inside == "<anonymous>" || inside == "native" {
        return Some(StackFrame::Nowhere);
    }
    let at = location::parse_location(inside)?;
    is_script(&at.path).then_some(StackFrame::At(at))
}

/// Returns `true` for the path of a script.
pub(super) fn is_script(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// A line that is nothing but a script's path and line, as node prints above a syntax error.
pub(super) fn parse_hint(trimmed: &str) -> Option<Location> {
    let at = location::parse_location(trimmed)?;
    let absolute = at.path.starts_with(['/', 'f']) || at.path.get(1..2) == Some(":");
    (absolute && at.column.is_none() && is_script(&at.path)).then_some(at)
}

/// Reads the location of a syntax error: `SyntaxError: /abs/x.js: message (1:2)`, and `File: /abs/x.js:1:2`
/// under the message. The second part is the message, if the line has it. `None` for any other line.
pub(super) fn syntax_error(trimmed: &str) -> Option<(Location, Option<&str>)> {
    if let Some(rest) = trimmed.strip_prefix("File: ").or_else(|| trimmed.strip_prefix("At file: "))
    {
        let at = location::parse_location(rest)
            .filter(|at| at.column.is_some() && is_script(&at.path))?;
        return Some((at, None));
    }
    let (path, rest) = trimmed.strip_prefix("SyntaxError: ")?.split_once(": ")?;
    let (_, numbers) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let at =
        location::parse_location(&format!("{path}:{numbers}")).filter(|at| is_script(&at.path))?;
    Some((at, Some(trimmed)))
}

/// `TypeError: message`, `Error [ERR_X]: message`, `Uncaught …`.
pub(super) fn is_error_headline(trimmed: &str) -> bool {
    let text = trimmed.strip_prefix("Uncaught ").unwrap_or(trimmed);
    let Some((name, _)) = text.split_once(": ") else { return false };
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    is_name && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// A line of quoted source: ` > 78 |   expect(…)`, `   374|`, `   |   ^`.
pub(super) fn is_code_frame(trimmed: &str) -> bool {
    let rest = trimmed.strip_prefix('>').unwrap_or(trimmed).trim_start();
    let gutter = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    gutter.trim_start().starts_with('|')
}
