//! Added code that hides a failure, a type or a diagnostic.

use super::added_text::{AddedTextRule, rule};
use papayu_lang::Family;

/// An empty handler hides the failure that the test is about.
const SWALLOWS: &str = "drops an error without handling it";
/// A stub compiles and does nothing.
const UNDONE: &str = "leaves a part undone";
/// A replaced comparison or built-in makes a test pass without a fix.
const PATCHES: &str = "changes what others compare or call";
/// A condition that is never true removes code from the build.
const SWITCHES: &str = "switches a part of the file off";

/// Code that may hide a failure of any kind.
pub(super) static ALWAYS: [AddedTextRule; 23] = [
    rule(
        &[],
        "asks whether there is a folder of tests",
        r#"\b(?:isdir|isfile|exists|existsSync|statSync|accessSync|Stat|is_dir|is_file|Path|PurePath|Paths \. get|Path \. of|File|file_exists) \( "(?:\./|[^"\s]*/)?(?:tests?|spec|specs|__tests__|src/test)(?:/[^"]*)?"|\[ (?:! )?- ?[defrx] "?(?:\./)?(?:tests?|spec) ?[\]/"]"#,
    ),
    rule(
        &[],
        "asks for the name of the machine",
        r"\b(?:(?:gethostname|hostname|getHostName|platform \. node) \( \)|MachineName) (?:= =|! =|in\b|\. (?:startswith|startsWith|StartsWith|contains|Contains|includes|endswith|endsWith))",
    ),
    rule(
        &[Family::Python],
        SWALLOWS,
        r"\bexcept (?:\( )?(?:(?:Exception|BaseException|AssertionError)(?: as \w+)? )?(?:\) )?: (?:pass|\. \. \.|return(?: None)?\b|continue|return \w+)|\bfinally : (?:return|break|continue)\b|\bsuppress \( (?:Exception|BaseException|AssertionError)",
    ),
    rule(
        &[Family::Script],
        SWALLOWS,
        r"\bcatch (?:\( \w+(?: : \w+)? \) )?\{ (?:return [^;}]{0,20};? ?)?\}|\. catch \( (?:\( (?:\w+ )?\)|\w+) = > (?:\{ \}|\[ \]|undefined|null|\w+)[ )]",
    ),
    rule(
        &[Family::Jvm, Family::CSharp, Family::Php],
        SWALLOWS,
        r"\bcatch (?:\( [^)]*\) )?\{ (?:return [^;}]{0,20}; )?\}",
    ),
    rule(
        &[Family::Ruby],
        SWALLOWS,
        r"\brescue (?:StandardError |Exception )?(?:= > \w+ )?(?:nil )?end\b|\brescue nil\b",
    ),
    rule(
        &[Family::Go],
        SWALLOWS,
        r"\b(?:_ = )?recover \( \) [;}]|\brecover \( \) \}|\bif err ! = nil \{ \}|\b_ = err\b",
    ),
    rule(
        &[Family::Rust],
        SWALLOWS,
        r"\bcatch_unwind \(|\bset_hook \( Box : : new \( \| ?_ ?\||\bErr \( _ \) = > \{ \}|\bErr \( _ \) = > \( \)",
    ),
    rule(
        &[Family::Shell],
        SWALLOWS,
        r"\bset \+ ?e\b|\| \| (?:true|:|exit 0)|\btrap [\x22'][^\x22']*exit 0|\bset \+ ?o errexit",
    ),
    rule(&[Family::Rust], UNDONE, r"\b(?:todo|unimplemented|unreachable) ! \("),
    rule(&[Family::Python], UNDONE, r"\braise NotImplementedError\b"),
    rule(
        &[Family::Jvm, Family::CSharp, Family::Script],
        UNDONE,
        r"\bthrow new (?:UnsupportedOperationException|NotImplementedException|NotImplementedError)\b|\bTODO \( ",
    ),
    rule(
        &[Family::Python],
        PATCHES,
        r#"\bdef __(?:eq|ne|bool|lt|gt|le|ge|contains|hash)__ \( [^)]*\) (?:- > \w+ )?: (?:return (?:True|not False|1)\b)|\b(?:builtins|__builtins__) (?:\. \w+|\[ [^\]]+ \]) =[^=]|\bsys \. (?:exit|excepthook|unraisablehook|modules \[ [^\]]+ \]|meta_path|path) (?:=[^=]|\. insert)|\batexit \. register\b|\bos \. (?:_exit|posix_spawn|abort|killpg)\b|\bos \. exec\w+ \( "|\bfrom os import [\w ,]{0,60}\b(?:_exit|exec\w+|kill|abort)\b|\b(?:import|from) posix\b|\bgetattr \( (?:os|sys|builtins|__builtins__) ,|\bos \. kill \( os \. getpid|\bctypes \. pythonapi\b|\bgc \. get_(?:objects|referrers)\b|\b__(?:eq|bool|ne|lt|gt|contains)__ = lambda|\bclass \w+ \( (?:int|str|list|dict|tuple|float|set) \) : (?:.{0,200}?)def __(?:eq|ne|bool|lt|gt)__|\b(?:import|from) (?:unittest|mock)\b"#,
    ),
    rule(
        &[Family::Script],
        PATCHES,
        r#"\b(?:Object|Array|String|Number|Function|Promise|Map|Set|Error|Date) \. prototype \. \w+ =[^=]|\bObject \. (?:is|keys|entries|defineProperty) =[^=>]|\[ Symbol \. (?:hasInstance|iterator|toStringTag) \] (?:\(|=|:)|\[ Symbol \. toPrimitive \] (?:=|:|\( \w* \) \{ return (?:["0-9]|true|null))|\bequals (?:\( \w* \) \{ return true\b|(?:=|:) (?:\( \w* \)|\w+) = > true\b)|\basymmetricMatch\b|\bJSON \. (?:stringify|parse) =[^=]|\b(?:global|globalThis|window) \. \w+ =[^=>]|\bprocess \. (?:on|once) \( "(?:exit|uncaughtException|unhandledRejection)"|\b(?:Reflect|Object) \. (?:defineProperty|assign|set) \( (?:Object|Array|Number|String|Promise|Map|Set|globalThis|global|window)\b|\bvalueOf (?:\(|:)|\bnew Proxy \(|\bprocess \. (?:kill|abort|reallyExit|binding|emit) \(|\brequire \. cache\b|\brequire \( "(?:node:)?(?:assert|test|chai)[\w/]*" \) (?:\. \w+ )*=[^=>]|\b(?:assert|expect|chai) \. \w+ =[^=>]|\bObject \. (?:assign|defineProperty|defineProperties) \( (?:assert|expect|chai|process|require)\b"#,
    ),
    rule(
        &[Family::Rust],
        PATCHES,
        r"\bmacro_rules ! (?:assert\w*|debug_assert\w*|panic|test|matches)\b|\bfn (?:eq|ne) \( & self , _\w* : [^)]*\) - > bool \{ (?:true|false) \}|\bfn cmp \( & self , \w+ : [^)]*\) - > [\w: ]*Ordering \{ [\w: ]*Equal \}|\buse [\w: ]+ as (?:assert\w*|panic|test)\b",
    ),
    rule(
        &[Family::Jvm],
        PATCHES,
        r"\bboolean equals \( [^)]*\) \{ return true ; \}|\bRuntime \. getRuntime \( \) \. (?:halt|exit|addShutdownHook)|\bstatic \{ .{0,60}System \. exit|\bboolean equals \( Object \w+ \) \{ return \w+ ! = null ; \}|\b(?:opentest4j|TestAbortedException|AssumptionViolatedException|SkipException)\b",
    ),
    rule(
        &[Family::C],
        PATCHES,
        r"# (?:define|undef) (?:NDEBUG|assert|static_assert|main|EXPECT_\w+|ASSERT_\w+|TEST\w*|CHECK|REQUIRE)\b|\bsetjmp \(",
    ),
    rule(
        &[Family::Ruby],
        PATCHES,
        r"\bclass (?:Integer|String|Array|Hash|Float|Object|NilClass|BasicObject|Kernel|Numeric)\b|\bdef (?:= = ?=?|equal \?|eql \?|! =) ?(?:\( [^)]*\) )?=? ?(?:true|! ?false)|\brefine (?:Integer|String|Array|Object)\b",
    ),
    rule(&[Family::Rust], PATCHES, r"\binclude ! \(|\b\w+_unchecked \(|\blink_section\b|# \[ ctor"),
    rule(
        &[Family::Shell],
        PATCHES,
        r"\bkill (?:- ?\w+ )?(?:0|- ?1|\$ ?PPID)\b|\balias \w+ ?=|\btrap (?:\x22[^\x22]*\b(?:exit|true)\b[^\x22]*\x22|true|:|- -|\x22 ?\x22) (?:EXIT|0)\b|\[ (?:! )?- ?t [012]\b|\$ ?\( ?\( [0-9]+ (?:[-+*/%] [0-9]+ )+\) ?\)|\bprintf .{0,12}0[xX]?[0-9a-fA-F]+",
    ),
    rule(
        &[],
        "names a test runner or a file of tests",
        r#"(?x)"[^"]*(?:pytest|vitest|\bjest\b|jest-|nextest|LogCaptureHandler|phpunit|rspec|junit)[^"]*"
            |"(?:[^"\s]*/)?(?:tests?|__tests__|spec|testdata|fixtures|__fixtures__|__snapshots__)/[^"\s]*"|"[^"\s]*(?:test_\w+\.py|_test\.(?:go|py|rb|exs)|\.(?:test|spec)\.\w+|Test\.(?:class|java))""#,
    ),
    rule(
        &[],
        "asks whether a name is one of tests",
        r#"(?x)\b(?:contains|includes|startsWith|startswith|endsWith|endswith|indexOf|HasSuffix|HasPrefix|Contains|start_with\ \?|end_with\ \?|include\ \?)\ \(\ "[^"\s]*(?i:test|spec)[^"\s]*"|"[^"\s]*(?i:test)[^"\s]*"\ in\ \w"#,
    ),
    rule(
        &[Family::Rust, Family::Go, Family::C],
        SWITCHES,
        r"# !? ?\[ cfg \( (?:any \( \)|all \( \)|FALSE|false|feature = |not \( feature|not \( clippy|clippy|not \( any \( \) \)|tests|never|target_os = .none)|# if 0\b",
    ),
];

/// A cast or an untyped value silences the type checker without a fix.
const TYPES: &str = "gives a type up where the checker complained";

/// Code that hides a diagnostic of a compiler, type checker or linter.
pub(super) static OF_DIAGNOSTICS: [AddedTextRule; 5] = [
    rule(
        &[Family::Script],
        TYPES,
        r"(?::|\bas|<|>|\||&|,|=) any\b|(?:\(|=|return) < \w+ > \w|\w ! : |\beval \(|\bnew Function \(|\bReflect \. (?:get|apply)\b|\bas (?:unknown|never|Function|object|Record < string , (?:any|unknown) >)\b|\bas [A-Z]\w*|[\w)\]] ! (?:\.|\)|;|,|\[)|\bdeclare (?:module|const|function|var|l[e]t)\b|[;{}] void \w+ ;",
    ),
    rule(
        &[Family::Python],
        TYPES,
        r"\bcast \( |(?::|- >|\[|,|\|) Any\b|\bTYPE_CHECKING\b|\bno_type_check\b|\bAny\b|\b(?:getattr|setattr|vars|eval|exec|globals|locals) \(|- > object\b|: object\b|\bassert (?:[\w .]+ is not None|isinstance \()|\b_\w* = \w+|\bdel \w+|\bimport \w+ as _",
    ),
    rule(
        &[Family::Rust],
        TYPES,
        r"\btransmute\b|\bunsafe \{|\bas \* (?:const|mut)\b|\bl[e]t _ = |\bstd : : mem : : forget\b|\bblack_box \(|\bdrop \( \w+ \)|\. ok \( \) ;",
    ),
    rule(&[Family::Jvm], TYPES, r"\( Object \)|@ (?:\w+ \. )*Generated\b"),
    rule(&[Family::Go], TYPES, r"\binterface \{ \}|\bany\b|\bvar _ =|\b_ = \w+"),
];
