//! The diagnostics that tools print on one line each: one row of a table per form.
//!
//! To add a tool, add a row with a sample in `src/failure/tests.rs`. The order matters: the first row that matches reads
//! the line, so a row of one tool precedes the generic ones at the end.

use papayu_base::domain::FailureKind;

/// One form of line, and what it means.
pub(super) struct OneLineForm {
    /// The toolchain of the tool.
    pub(super) toolchain: &'static str,
    /// The condition for trying the pattern; it keeps reading fast.
    pub(super) begins: Begins,
    /// Names `path`, `line`, `column`, `code`, `test` and `message`; only the last must be there.
    pub(super) pattern: &'static str,
    /// The kind, unless the code or the message shows another.
    pub(super) kind: FailureKind,
}

/// The beginning of a line.
#[derive(Clone, Copy)]
pub(super) enum Begins {
    /// With a source file's name, a colon and a line number.
    Place,
    /// With this text.
    With(&'static str),
    /// Anyhow, with this text in it.
    Holding(&'static str),
}

/// In order; the first that fits a line reads it.
pub(super) const FORMS: &[OneLineForm] = &[
    // gcc, clang, clang-tidy: `x.c:1:2: error: message [-Wname]`
    OneLineForm {
        toolchain: "c",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|ipp|inl|m|mm|cu)):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error: (?P<message>.+?)(?: \[(?P<code>[\w.,=+-]+)\])?$",
        kind: FailureKind::Compile,
    },
    // javac with -Werror: `[ERROR] X.java: warnings found and -Werror specified`
    OneLineForm {
        toolchain: "java",
        begins: Begins::Holding("warnings found and -Werror specified"),
        pattern: r"^(?:\[ERROR\] )?(?:(?P<path>[^\s:]+\.(?:java|kt|groovy|scala)): |error: )?(?P<message>warnings found and -Werror specified)$",
        kind: FailureKind::Compile,
    },
    // Sphinx and docutils: `x.rst:12: ERROR: message`, with `-W` also `x.rst:12: WARNING: message`
    OneLineForm {
        toolchain: "python",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.(?:rst|md|txt|py)):(?:docstring of [\w.]+:)?(?P<line>\d+): (?P<code>ERROR|SEVERE|WARNING): (?P<message>.+)$",
        kind: FailureKind::Lint,
    },
    // GNU ld: `x.c:2: undefined reference to …`, or with the section instead of the line
    OneLineForm {
        toolchain: "c",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+): (?P<message>(?:undefined reference to|multiple definition of) .+)$",
        kind: FailureKind::Compile,
    },
    // mypy: `x.py:1:2: error: message  [code]`
    OneLineForm {
        toolchain: "python",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.pyi?):(?P<line>\d+)(?::(?P<column>\d+)(?::\d+:\d+)?)?: error: (?P<message>.+?)(?:\s+\[(?P<code>[\w-]+)\])?\s*$",
        kind: FailureKind::Compile,
    },
    // ruff, flake8, pylint: `x.py:1:2: F821 [*] message`
    OneLineForm {
        toolchain: "python",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.(?:py|pyi|ipynb)):(?:cell \d+:)?(?P<line>\d+)(?::(?P<column>\d+))?:? (?P<code>[A-Z]{1,7}\d{1,5}|invalid-syntax|SyntaxError):? (?:\[\*\] )?(?P<message>.+)$",
        kind: FailureKind::Lint,
    },
    // ESLint's `unix`: `x.js:1:2: message [Error/rule]`
    OneLineForm {
        toolchain: "node",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<message>.+) \[Error(?:/(?P<code>\S+))?\]$",
        kind: FailureKind::Lint,
    },
    // ESLint's `compact`: `x.js: line 1, col 2, Error - message (rule)`
    OneLineForm {
        toolchain: "node",
        begins: Begins::Holding(", Error - "),
        pattern: r"^(?P<path>\S.*): line (?P<line>\d+), col (?P<column>\d+), Error - (?P<message>.+?)(?: \((?P<code>[^\s()]+)\))?$",
        kind: FailureKind::Lint,
    },
    // Prettier on a file that does not parse: `[error] x.js: SyntaxError: message (2:1)`
    OneLineForm {
        toolchain: "node",
        begins: Begins::With("[error] "),
        pattern: r"^\[error\] (?P<path>\S+): (?P<message>SyntaxError: .+?) \((?P<line>\d+):(?P<column>\d+)\)$",
        kind: FailureKind::Compile,
    },
    // PHP: `PHP Parse error:  message in x.php on line 3`
    OneLineForm {
        toolchain: "php",
        begins: Begins::Holding(" on line "),
        pattern: r"^(?:PHP )?(?:Parse|Fatal) error:\s+(?P<message>.+) in (?P<path>\S.*) on line (?P<line>\d+)$",
        kind: FailureKind::Compile,
    },
    // Ruby: `x.rb:3: syntax error, unexpected …`
    OneLineForm {
        toolchain: "ruby",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*):(?P<line>\d+): (?P<message>syntax error, .+)$",
        kind: FailureKind::Compile,
    },
    // Workflow commands: `::error file=x.js,line=1,col=2::message`
    OneLineForm {
        toolchain: "generic",
        begins: Begins::With("::error "),
        pattern: r"^::error (?:[^:]*,)?file=(?P<path>[^,:]+)(?:,line=(?P<line>\d+))?(?:,(?:endLine|endColumn)=\d+)*(?:,col=(?P<column>\d+))?(?:,[^:]*)?::(?P<message>.+)$",
        kind: FailureKind::Unknown,
    },
    // make, in any language: `make: *** No rule to make target 'x', needed by 'y'.  Stop.`
    OneLineForm {
        toolchain: "c",
        begins: Begins::Holding(": *** "),
        pattern: r"^g?make(?:\[\d+\])?: \*\*\* +(?P<message>[^\s\[].*[^.]\.|No rule to make target .+)$",
        kind: FailureKind::Compile,
    },
    // make: `Makefile:3: *** missing separator.  Stop.`
    OneLineForm {
        toolchain: "c",
        begins: Begins::Holding(": *** "),
        pattern: r"^(?P<path>[^\s:]+):(?P<line>\d+): \*\*\* (?P<message>.+?)(?:  Stop\.)?$",
        kind: FailureKind::Compile,
    },
    // .NET's and Microsoft's C++ compilers: `x.cs(1,2): error CS0103: message [/src/x.csproj]`
    OneLineForm {
        toolchain: "dotnet",
        begins: Begins::Holding(": error "),
        pattern: r"^\s*(?:\d+>)?(?P<path>\S[^()]*\.(?:cs|fs|fsx|vb|razor|cshtml|csproj|fsproj|vbproj|props|targets|sln))\((?P<line>\d+)(?:,(?P<column>\d+))?(?:,\d+,\d+)?\) ?: error (?P<code>[A-Z]{2,8}\d+): (?P<message>.+?)(?: \[[^\]]+\])?$",
        kind: FailureKind::Compile,
    },
    OneLineForm {
        toolchain: "c",
        begins: Begins::Holding("error C"),
        pattern: r"^\s*(?:\d+>)?(?P<path>\S[^()]*\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|ipp|inl))\((?P<line>\d+)(?:,(?P<column>\d+))?\) ?: (?:fatal )?error (?P<code>C\d{4}): (?P<message>.+?)(?: \[[^\]]+\])?$",
        kind: FailureKind::Compile,
    },
    // MSBuild and NuGet, of a project: `/src/x.csproj : error NU1101: message`, `CSC : error CS5001: …`
    OneLineForm {
        toolchain: "dotnet",
        begins: Begins::Holding(" error "),
        pattern: r"^\s*(?:\d+>)?(?:(?P<path>[^\s:]\S*\.\w+)|CSC|FSC|MSBUILD|VBC) ?: error (?P<code>(?:CS|FS|BC|MSB|NU|NETSDK)\d{3,5}): (?P<message>.+?)(?: \[[^\]]+\])?$",
        kind: FailureKind::Compile,
    },
    // XCTest: `/src/XTests.swift:8: error: -[M.XTests testAdds] : message`, on Linux `error: XTests.testAdds : message`
    OneLineForm {
        toolchain: "swift",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.swift):(?P<line>\d+): error: (?P<test>-\[[^\]]+\]|[\w.]+\.\w+) : (?P<message>.+)$",
        kind: FailureKind::Test,
    },
    // swift-testing: `✘ Test adds() recorded an issue at XTests.swift:8:5: message`
    OneLineForm {
        toolchain: "swift",
        begins: Begins::Holding(" recorded an issue "),
        pattern: r"^\S+ Test (?P<test>.+?) recorded an issue (?:with \d+ arguments? .+? )?at (?P<path>[^\s:]+\.swift):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$",
        kind: FailureKind::Test,
    },
    // Swift's own end: `M/x.swift:3: Fatal error: message`
    OneLineForm {
        toolchain: "swift",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.swift):(?P<line>\d+): (?P<message>(?:Fatal error|Assertion failed|Precondition failed): .+)$",
        kind: FailureKind::Crash,
    },
    // swiftc: `/src/x.swift:1:2: error: message`
    OneLineForm {
        toolchain: "swift",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.swift):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.+)$",
        kind: FailureKind::Compile,
    },
    // A script's own line: `ERROR src/a.py:2: message`, `Error: a.sh:3:1: message`
    OneLineForm {
        toolchain: "generic",
        begins: Begins::Holding("rror"),
        pattern: r"^(?:Error|error):? (?P<path>[^\s:]+\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.+)$",
        kind: FailureKind::Unknown,
    },
    OneLineForm {
        toolchain: "generic",
        begins: Begins::With("ERROR"),
        pattern: r"^ERROR:? (?P<path>[^\s:]+\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.+)$",
        kind: FailureKind::Unknown,
    },
    // Any other compiler or linter: `x.y:1:2: error: message [code]`
    OneLineForm {
        toolchain: "generic",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? (?:fatal )?error:? (?P<message>.+?)(?:  ?\[(?P<code>[\w-]+)\])?$",
        kind: FailureKind::Compile,
    },
    // `x.y:1:2: AB123 message`
    OneLineForm {
        toolchain: "generic",
        begins: Begins::Place,
        pattern: r"^(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? (?P<code>[A-Z]{1,4}\d{2,5}):? (?P<message>.+)$",
        kind: FailureKind::Lint,
    },
];
