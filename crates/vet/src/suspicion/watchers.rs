//! Code that asks who runs it: a test runner, a CI service, a debug build.

use super::added_text::{AddedMatch, AddedTextRule, find_added, rule};
use super::flag::Flag;
use papayu_lang::{ChangedText, Family};

/// The predicate of rules about test runners.
const RUNNER: &str = "asks whether a test runner runs the code";
/// The predicate of rules about CI services.
const CI: &str = "asks whether a CI service runs the code";
/// The predicate of rules about the call stack.
const STACK: &str = "asks which code called it";
/// The predicate of rules about conditional compilation.
const BUILD: &str = "asks whether the code is built for tests or for debugging";

/// The rules, by language. The patterns match joined tokens, see [`AddedTextRule`]. Each name is a
/// variable, module or function that the runner documents.
pub(super) static WATCHERS: [AddedTextRule; 26] = [
    rule(
        &[],
        RUNNER,
        r"\b(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST\w*|ADDOPTS|RUN\w*|PLUGINS)|JEST_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT|NEXTEST(?:_\w+)?|RUST_TEST_\w+|BATS_\w+|MOCHA_\w+|TOX_ENV\w*|TEST_RUN_ID|PHPUNIT_\w+|GOTEST\w*|TEST_TMPDIR|TEST_WORKSPACE|npm_lifecycle_\w+|CARGO_TARGET_TMPDIR|MAVEN_\w+|SUREFIRE_\w+)\b",
    ),
    rule(
        &[],
        RUNNER,
        r#""(?i:pytest|vitest|jest|nextest|bats|_pytest)_?"|"-?test\. ?\w*"|"[^"\s]*/proc/(?:self|[0-9]+)/[^"\s]*"|\$\$jest"#,
    ),
    // All variables, to look for one by a part of its name.
    rule(
        &[],
        RUNNER,
        r"\bfor \w+ in (?:list \( |sorted \( )?os \. environ[ )\]:]|\bObject \. (?:keys|entries|values) \( process \. env \)|\bin process \. env\b|\bos \. Environ \( \)|\benv : : vars(?:_os)? \( \)|\bSystem \. getenv \( \)",
    ),
    rule(
        &[],
        CI,
        r"\b(?:GITHUB_(?:ACTIONS?|RUN_\w+|WORKFLOW|JOB|WORKSPACE|EVENT_\w+)|GITLAB_CI|CI_JOB_\w+|CIRCLECI|TRAVIS|JENKINS_\w+|BUILDKITE|TEAMCITY_VERSION|TF_BUILD|APPVEYOR|CONTINUOUS_INTEGRATION|BITBUCKET_BUILD_NUMBER|DRONE|CODEBUILD_\w+|RUNNER_(?:OS|TEMP|NAME|WORKSPACE))\b",
    ),
    rule(
        &[],
        CI,
        r#"(?:environ|getenv|(?:option_)?env !|env|Getenv|LookupEnv|var|var_os|ENV|get|env_var|GetEnvironmentVariable)\s*(?:\. get )?[(\[] "CI"|\benv \. CI\b|"CI" in os|\$ ?\{? ?CI\b|[({,] CI [,})].{0,12}= process \. env"#,
    ),
    // Names of the environment.
    rule(
        &[],
        RUNNER,
        r#"\b(?:NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|MIX_ENV|DJANGO_ENV|FLASK_ENV|ENV)\b[ "\])]*(?:[!=]= ?=? ?=?|=) = ?=? ?"test|\b(?:NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|MIX_ENV)\b[ "\])]*\)?[ ]*(?:! =|= =|= = =|! = =) "test|"test" (?:= = =|= =|! = =|! =) [\w .]*(?:NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV)|\bRails \. env \. test\b|\brunningUnitTests\b"#,
    ),
    // Loaded modules and arguments.
    rule(
        &[Family::Python],
        RUNNER,
        r"\bsys \. modules\b|\bsys \. (?:gettrace|settrace|getprofile)\b|\bfind_spec \( ",
    ),
    rule(
        &[Family::Python],
        RUNNER,
        r#"\b(?:sys \. (?:argv|orig_argv)|__main__)\b.{0,60}"[^"]*(?:test|nose)|"[^"]*(?:test|nose)[^"]*" (?:not )?in (?:" " \. join \( )?(?:sys \. argv|sys \. orig_argv|__name__)"#,
    ),
    rule(&[Family::Python], RUNNER, r"\bimport (?:pytest|_pytest)\b|\bfrom (?:pytest|_pytest)\b"),
    rule(
        &[Family::Python],
        STACK,
        r"\b(?:inspect \. (?:stack|currentframe|getouterframes|trace|getframeinfo)|sys \. _getframe|sys \. _current_frames|traceback \. (?:extract_stack|format_stack|walk_stack|print_stack))\b|\b(?:f_back|f_globals|tb_frame|f_code|co_name)\b|\bgetattr \( sys , |\bimport_module \( .{0,20}inspect|\bfrom inspect import .{0,40}\b(?:stack|currentframe)\b",
    ),
    rule(
        &[Family::Python, Family::Jvm, Family::CSharp],
        STACK,
        r#"\b(?:current_thread|currentThread|main_thread|current_process) \( \) \. (?:name|getName \( \))[ )]*(?:= =|! =|\. (?:contains|equals|startsWith|startswith|endswith)|not in|in)|"[^"]*" (?:not )?in (?:threading|multiprocessing) \. current"#,
    ),
    rule(
        &[Family::Python],
        STACK,
        r"\b__debug__\b|\bos \. getppid\b|\bpsutil\b.{0,40}\bparent\b|\bos \. getpgrp\b",
    ),
    rule(
        &[Family::Script],
        RUNNER,
        r#"\btypeof (?:\( )?(?:globalThis \. |global \. |window \. )?(?:describe|it|test|expect|jest|vi|vitest|mocha|beforeEach|afterEach|suite|assert|__vitest_\w+|__coverage__|jasmine|cy)\b|\b(?:globalThis|global|window|self) (?:\. |\[ ")(?:describe|it|test|expect|jest|vi|mocha|beforeEach|jasmine|__vitest\w*|__coverage__)\b|\btry \{ (?:describe|it|test|expect|jest|vi) ;|\bimport \. meta \. (?:vitest \) return|env (?:\? )?\. MODE\b.{0,12}"test)|\bNODE_ENV : \w+|"(?:describe|it|test|expect|jest|vi|beforeEach|jasmine|__vitest_worker__)" in (?:globalThis|global|window|self)\b"#,
    ),
    rule(
        &[Family::Script],
        RUNNER,
        r#"\bprocess \. (?:argv|execArgv|title|argv0)\b.{0,60}"[^"]*(?:test|jest|mocha|vitest|spec)|\bfrom "(?:vitest|@jest/globals|node:test)"|\brequire \( "(?:vitest|@jest/globals|node:test|mocha)""#,
    ),
    rule(
        &[Family::Script],
        STACK,
        r#"\bnew \w*Error \( [^)]*\) \. stack\b|\. stack \. (?:includes|match|split|indexOf|search)\b|\bisMainThread\b|\bsetTimeout \. \w+|\bError \( \) \. stack\b|\bcaptureStackTrace\b|\bprepareStackTrace\b|\b(?:require \. main|process \. mainModule|module \. parent)\b.{0,60}"[^"]*(?:test|jest|mocha|spec)|\bmodule \. parent \. (?:filename|id|paths)\b|\barguments \. callee\b|\b\w+ \. caller\b|\bperformance \. nodeTiming\b"#,
    ),
    rule(
        &[Family::Rust],
        BUILD,
        r"\bcfg ! \( (?:not \( )?(?:test|debug_assertions|overflow_checks|panic|any \( test|all \( test|clippy|doctest|miri)\b|# !? ?\[ cfg \( (?:not \( (?:test|debug_assertions|any \( test|all \( test|clippy|doctest)|debug_assertions|any \( (?:not \( )?(?:test|debug_assertions)|doctest|clippy|miri|all \( not \( (?:test|clippy|debug_assertions))\b|# \[ cfg_attr \( (?:not \( )?test , (?:path|cfg|inline|allow|ignore|export_name|link_name)\b",
    ),
    // Under `cfg(test)` only whole items.
    rule(
        &[Family::Rust],
        BUILD,
        r"# \[ cfg \( test \) \] (?:\{|return|l[e]t|if|match|loop|for|while|panic|\w{4,} \(|\w+ ! |\w+ \.|\w+ :[^:]|\w+ =)",
    ),
    rule(
        &[Family::Rust],
        STACK,
        r#"\bthread : : current \( \) \. (?:name|id)\b|\bBacktrace : :|\bcurrent_exe \( \)|\benv : : args(?:_os)? \( \).{0,80}"[^"]*test|\bmodule_path ! \( \).{0,40}test|\bLocation : : caller \( \)|\btype_name(?: : : < .{0,20} >)? \( \) \. contains|\bvar(?:_os)? \( "CARGO(?:_\w+)?"|\bthread : : panicking \( \)"#,
    ),
    rule(
        &[Family::Go],
        RUNNER,
        r#"\btesting \. Testing \( \)|\bflag \. Lookup \( "test|"testing"|\bos \. Args\b.{0,80}"[^"]*test|"[^"]*\.test"|\bos \. Executable \( \)|\bflag \. CommandLine\b.{0,40}"test|\bflag \. Visit(?:All)? \(|\bdebug \. ReadBuildInfo \( \)"#,
    ),
    rule(
        &[Family::Go],
        STACK,
        r"\bruntime \. (?:Callers?|CallersFrames|FuncForPC|Stack)\b|\bdebug \. (?:Stack|PrintStack)\b|\bos \. Getppid\b",
    ),
    rule(
        &[Family::Jvm],
        STACK,
        r#"\bgetStackTrace \( \)|\bStackWalker\b|\bforName \( "[^"]*(?:junit|testng|jupiter|spock|surefire)|"(?:surefire|org\.junit|sun\.java\.command|java\.class\.path|org\.gradle\.test)[^"]*"|\bgetInputArguments \( \)|\bProcessHandle \. current \( \) \. parent"#,
    ),
    rule(
        &[Family::CSharp],
        STACK,
        r#"\bnew (?:System \. Diagnostics \. )?StackTrace \(|# if (?:! )?(?:DEBUG|TEST|RELEASE|NCRUNCH)\b|\bnew StackFrame \(|\bEnvironment \. StackTrace\b|\bDebugger \. IsAttached\b|"[^"]*(?:xunit|nunit|testhost|mstest|vstest)[^"]*""#,
    ),
    rule(
        &[Family::Ruby],
        RUNNER,
        r#"\bdefined \? (?:\( )?(?:: : )?(?:RSpec|Minitest|Test|MiniTest|ActiveSupport : : TestCase)\b|\bObject \. const_defined \? \( (?:: )?"?(?:RSpec|Minitest)|\bcaller(?:_locations)?\b|\$ ?(?:0|PROGRAM_NAME)\b.{0,40}"[^"]*(?:test|rspec|rake|spec)"#,
    ),
    rule(
        &[Family::Php],
        RUNNER,
        r#"\bdebug_backtrace \(|\bclass_exists \( "[^"]*(?:PHPUnit|TestCase)|\bdefined \( "[^"]*(?:PHPUNIT|TEST)|\bget_included_files \("#,
    ),
    rule(
        &[Family::Shell],
        RUNNER,
        r"\bPPID\b|\$ ?\{? ?(?:CI|BATS_\w+|GITHUB_\w+|PYTEST_\w+)\b|/ proc /|\bBASH_SOURCE \[ ?1|\bFUNCNAME \[ ?1|\bcaller [0-9]",
    ),
    rule(
        &[Family::C],
        BUILD,
        r"# if(?:n?def)? (?:defined \( )?(?:UNIT_TEST\w*|TESTING|GTEST\w*|CI|__clang_analyzer__|__CPPCHECK__|NDEBUG|_DEBUG|CATCH_CONFIG\w*|BUILD_TESTING)\b|\bbacktrace \(",
    ),
];

/// Returns every added place in the product's code that asks who runs it.
///
/// ```
/// use papayu_lang::ChangedText;
/// use papayu_vet::suspicion::find_watchers;
///
/// let after = "import os\nif os.getenv('PYTEST_CURRENT_TEST'):\n    total = 3\n";
/// let change = ChangedText { path: "shop/cart.py", before: "total = 2\n", after };
/// assert_eq!(find_watchers(&[change])[0].line, 2);
/// ```
pub fn find_watchers(changes: &[ChangedText<'_>]) -> Vec<Flag> {
    let sources: Vec<&ChangedText<'_>> = changes.iter().filter(|it| it.is_source()).collect();
    find_added(&sources, &WATCHERS).into_iter().map(AddedMatch::into_flag).collect()
}
