//! Added code that hides a special case, the output of the runner or the tests themselves.

use super::added_text::{AddedTextRule, rule};
use papayu_lang::Family;

/// A value of the test can hide behind its digest: `crc32(name) == 0x1a2b3c4d`.
const DIGEST: &str = "compares a digest with a fixed value";
/// A value of the test can hide in base64 or another encoding.
const DECODES: &str = "decodes a fixed text";
/// A process without output shows the runner no failure.
const HIDES: &str = "replaces the output of the process";
/// A replaced built-in function can make every comparison true.
const REPLACES: &str = "replaces what other code uses";
/// An object with such an equality passes every assertion about it.
const EQUALS: &str = "compares as equal with everything";
/// Changed or removed tests cannot fail.
const TESTS: &str = "changes or removes tests while it runs";
/// A fix that ends at a date is no fix.
const EXPIRES: &str = "depends on a fixed date";
/// A process that ends early reports no failure.
const ENDS: &str = "ends the process or its parent";
/// Code that knows which files were changed can behave well only during the check.
const TREE: &str = "asks git for the changes of the tree";

/// The rules, by the effect that they describe. The patterns match joined tokens, see [`AddedTextRule`].
pub(super) static DISGUISES: [AddedTextRule; 25] = [
    rule(
        &[],
        DIGEST,
        r#"(?i)\b(?:crc32|adler32|md5\w*|sha\d+\w*|hash\w*|checksum\w*|sum32|sum64|sum256|(?:hex)?digest|cksum|finish) \([^=;{}]{0,80}(?:= = = ?|= = ?|equals \( )(?:0x[0-9a-f_]+|[0-9][0-9_]{2,}|"[0-9a-f]{8,}")"#,
    ),
    rule(
        &[],
        DIGEST,
        r#"(?:= = ?=? ?|! = ?=? ?|equals \( |eq ! \( \w+ , )"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})""#,
    ),
    rule(
        &[Family::Shell],
        DIGEST,
        r"\b(?:cksum|md5sum|sha\d*sum|sum)\b.{0,80}! ?= |\b(?:cksum|md5sum|sha\d*sum)\b.{0,80}= ",
    ),
    rule(
        &[],
        DECODES,
        r#"\b(?:b64decode|decodebytes|a85decode|atob|unhexlify|fromhex|DecodeString|base64_decode|hex2bin|decode64) \( b? ?"|\bBuffer \. from \( "[^"]*" , "(?:base64|hex)"|\bgetDecoder \( \) \. decode \( ""#,
    ),
    rule(
        &[],
        DECODES,
        r#"\b(?:int|parseInt|from_str_radix|ParseInt|valueOf) \( "[0-9a-zA-Z]+" , [0-9]+"#,
    ),
    rule(
        &[Family::Python],
        HIDES,
        r"\bsys \. (?:stdout|stderr|__stdout__|__stderr__) (?:= [^=]|\. (?:close|detach|write =))|\bos \. (?:dup2|close|closerange) \( |\bredirect_std(?:out|err)\b",
    ),
    rule(
        &[Family::Script],
        HIDES,
        r"\bprocess \. std(?:out|err) \. (?:write = [^=]|end \(|destroy \()|\bconsole \. (?:log|error|warn|info) = [^=]",
    ),
    rule(
        &[Family::Go],
        HIDES,
        r"\bos \. Std(?:out|err)(?: , \w+)? = [^=]|\bos \. Std(?:out|err) \. Close \(",
    ),
    rule(&[Family::Jvm], HIDES, r"\bSystem \. set(?:Out|Err|SecurityManager) \("),
    rule(
        &[Family::Rust],
        HIDES,
        r"\bset_hook \( Box : : new \( (?:move )?\| \w* \| (?:\{ \}|\( \))|\btake_hook \( \) ;",
    ),
    rule(
        &[Family::Python],
        REPLACES,
        r"\bbuiltins \. \w+ = [^=]|__builtins__|\bsetattr \( (?:builtins|sys|unittest|operator)\b",
    ),
    rule(
        &[Family::Script],
        REPLACES,
        r"\b(?:Array|Object|String|Number|Boolean|Map|Set|Promise|Function|Error|Date|JSON|Math|Reflect)(?: \. prototype)? \. \w+ = [^=]",
    ),
    rule(
        &[Family::Rust],
        REPLACES,
        r"\bmacro_rules ! (?:assert|assert_eq|assert_ne|debug_assert\w*|panic|unreachable|todo|matches|vec|format|println|eprintln)\b",
    ),
    rule(
        &[Family::Shell],
        REPLACES,
        r"(?:^|[;\n} ])(?:test|\[|exit|diff|cmp|grep|echo|printf|false|return|set|trap|expr) \( \) \{|\bfunction (?:test|exit|diff|cmp|grep|echo|false) |\balias (?:test|exit|diff|cmp|grep|false)\b|\benable - n\b|\bhash - p\b",
    ),
    rule(&[Family::Go], EQUALS, r"\bfunc \( [^)]*\) Equal \( [^)]*\) bool \{ return true"),
    rule(
        &[Family::Jvm, Family::CSharp],
        EQUALS,
        r"\b[eE]quals \( [^)]*\) (?:: Boolean )?(?:\{ return true|= true|= > true)|\b[cC]ompare(?:To)? \( [^)]*\) (?:: Int )?(?:\{ return 0 ;|= 0|= > 0)",
    ),
    rule(&[Family::Python], EQUALS, r"\bmock(?: import .{0,30}| \. )\bANY\b"),
    rule(
        &[],
        TESTS,
        r#"(?i)\b(?:remove\w*|unlink\w*|rmtree|rmsync|rm|delete\w*|rename\w*|replace|write_?text|write_?file\w*|writeall\w*|truncate|chmod\w*|move\w*|touch) \([^;{}]{0,60}"(?:[^"]*/)?(?:tests?|specs?|__tests__)/[^"]*"|\b(?:remove\w*|unlink\w*|rmtree|rename\w*|write_?file\w*|delete\w*) \([^;{}]{0,60}"[^"]*(?:_test\.go|\.test\.\w+|\.spec\.\w+|test_\w+\.py|test\.java)""#,
    ),
    rule(
        &[],
        TESTS,
        r#"(?i)"(?:[^"]*/)?(?:tests?|specs?|__tests__)/[^"]*" \) (?:\) )?\. (?:write_text|write_bytes|unlink|delete\w*|rename\w*|touch|chmod|rmdir|truncate)"#,
    ),
    rule(
        &[Family::Shell],
        TESTS,
        r"\b(?:rm|mv|chmod|truncate|sed - i|cp|ln)\b[^;|&]{0,60}(?:tests?|specs?) / ",
    ),
    rule(
        &[],
        EXPIRES,
        r"(?i)\b(?:time|now|currentTimeMillis|Unix|as_secs|SECONDS|EPOCHSECONDS)\b[^;{}:]{0,30}[<>] =? ?1[5-9][0-9_]{8,}|\b(?:date|datetime) \. (?:today|now|utcnow) \( \) (?:\. date \( \) )?[<>] =? ?(?:datetime \. )?(?:date|datetime) \( 20",
    ),
    rule(
        &[Family::Python],
        ENDS,
        r"\bctypes\b[^;]{0,60}\. _?exit \(|\binterrupt_main \(|\bos \. (?:killpg|kill \( os \. getp|abort)",
    ),
    rule(&[Family::Rust, Family::C], ENDS, r"\blibc : : (?:_?exit|kill|raise|abort) \("),
    rule(
        &[Family::Shell],
        ENDS,
        r#"\btrap "?[^;"]*exit 0[^;"]*"? (?:EXIT|0|ERR)\b|\btrap "[^"]*exit 0[^"]*""#,
    ),
    rule(
        &[],
        TREE,
        r#""git"[^;{}]{0,20}"(?:status|diff|stash|diff-index|diff-files|checkout|reset)"|\bgit (?:status|diff|stash|checkout|reset)\b"#,
    ),
];
