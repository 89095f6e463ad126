//! Added code that replaces the process, its output, or parts of what runs the tests.

use super::added_text::{AddedTextRule, rule};
use papayu_lang::Family;

const REPLACES: &str = "replaces or ends the process";
const OUTPUT: &str = "closes the output of the process";
const START: &str = "asks how long the process runs or what it uses";
const RUNNER: &str = "reaches into a test runner or its assertions";
const HANDLES: &str = "decides how the process ends after an error";
const READS: &str = "reads the repository's own files";

/// Code that may keep a failure from being seen, whatever failed.
pub(super) static INTERFERENCE: [AddedTextRule; 20] = [
    rule(
        &[Family::Go],
        REPLACES,
        r#"\bsyscall \. (?:Exec \( "|Kill \( (?:os \. Getpid|0\b)|Mprotect \()"#,
    ),
    rule(
        &[Family::Ruby],
        REPLACES,
        r#"\bexec (?:\( )?"|\bObjectSpace \. each_object\b|\bTracePoint \. (?:new|trace)\b|\bset_trace_func\b"#,
    ),
    rule(&[Family::Shell], REPLACES, r"\bexec (?:true|:) "),
    rule(
        &[Family::Rust],
        REPLACES,
        r#"\bCommandExt : : exec \(|\bCommand : : new \( "[^"]*" \) .{0,80}\. exec \( \)"#,
    ),
    rule(
        &[Family::C],
        REPLACES,
        r#"\b(?:execv?[elp]*|execve|execvpe) \( "|\bkill \( getpid \( \)|\braise \( SIG"#,
    ),
    rule(
        &[Family::Php],
        REPLACES,
        r"\bpcntl_exec \(|\bposix_kill \( (?:getmypid|posix_getpid) \( \)",
    ),
    rule(&[Family::CSharp], REPLACES, r"\bGetCurrentProcess \( \) \. (?:Kill|CloseMainWindow) \("),
    rule(&[Family::Jvm], REPLACES, r"\bProcessHandle \. current \( \) \. destroy"),
    rule(
        &[Family::Rust, Family::C],
        OUTPUT,
        r"\b(?:close|dup2|fclose|freopen) \( (?:[12]\b|std(?:out|err)|STD(?:OUT|ERR))",
    ),
    rule(&[Family::Go], OUTPUT, r"\bos \. Std(?:out|err) (?:\. Close \(|=[^=])"),
    rule(
        &[],
        START,
        r"\b(?:process_time|perf_counter|monotonic|uptime|getUptime|ru_maxrss|memory_info)\b(?: \( \))? (?:<|>)(?: =)? [0-9]",
    ),
    rule(
        &[Family::C],
        RUNNER,
        r"\bnamespace (?:testing|Catch|doctest|boost : : unit_test)\b|\b(?:__assert\w*|__cxa_throw|abort|_?exit|_Exit) \( (?:(?:const )?(?:char|void|int)\b)",
    ),
    rule(&[Family::Rust], RUNNER, r#"\bextern "C" fn (?:abort|_?exit|__\w+|main|write|close)\b"#),
    rule(
        &[Family::Ruby],
        RUNNER,
        r"\b(?:RSpec|Minitest|Test : : Unit)(?: : : \w+)+ \. (?:prepend|include|class_eval|class_exec|define_method|send)\b|\b(?:RSpec|Minitest) \. configure\b|\bmodule (?:RSpec|Minitest)\b",
    ),
    rule(
        &[Family::Php],
        RUNNER,
        r#"\bclass_alias \(|"zend\.assertions"|\bassert_options \(|"[^"]*(?:PHPUnit|Pest)\\"#,
    ),
    rule(
        &[Family::Script],
        RUNNER,
        r#"(?:\brequire \(|\bfrom|\bimport) "(?:chai|vitest|sinon|should|expect|@jest/globals|jasmine|mocha|ava|tape)"|\bModule \. _?(?:load|resolveFilename|extensions|prototype)\b|"node_modules/[^"]*""#,
    ),
    rule(
        &[Family::Python],
        RUNNER,
        r"\b(?:math|operator|json|time|datetime|random|re|os|functools|itertools|collections|decimal|fractions|statistics|copy|inspect|types) \. [a-z]\w* = (?:lambda|[a-z_]\w* (?:def|class|import|from))\b",
    ),
    rule(
        &[Family::CSharp],
        HANDLES,
        r"\bModuleInitializer\b|\b(?:ProcessExit|UnhandledException|DomainUnload|FirstChanceException) \+ ?=",
    ),
    rule(&[Family::Python], READS, r#"\b__file__\b.{0,80}\br?glob \( "[^"]*\.py""#),
    rule(&[Family::Shell], READS, r"(?:^| )(?:\. / )?(?:tests?|spec) / \w+|\bPATH ?= ?\."),
];
