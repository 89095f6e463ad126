//! The packages of Go's standard library, those of later versions included.

use std::str::SplitAsciiWhitespace;

use papayu_index::go_package_name;

/// Import paths of all packages, one per line, sorted.
const PACKAGES: &str = include_str!("std.txt");

/// Exported names of the most common packages, for corrections of spelling.
const MEMBERS: [(&str, &str); 14] = [
    ("bufio", "NewReader NewScanner NewWriter Reader ScanLines ScanWords Scanner Writer"),
    (
        "bytes",
        "Buffer Contains Equal HasPrefix HasSuffix NewBuffer NewBufferString NewReader Split TrimSpace",
    ),
    (
        "context",
        "Background CancelFunc Canceled Context DeadlineExceeded TODO WithCancel WithTimeout WithValue",
    ),
    (
        "encoding/json",
        "Decoder Encoder Marshal MarshalIndent NewDecoder NewEncoder RawMessage Unmarshal Valid",
    ),
    ("errors", "As Is Join New Unwrap"),
    (
        "fmt",
        "Errorf Fprint Fprintf Fprintln Print Printf Println Scan Scanf Sprint Sprintf Sprintln Sscanf Stringer",
    ),
    ("io", "Copy Discard EOF MultiReader Pipe ReadAll ReadFull Reader WriteString Writer"),
    ("math", "Abs Ceil Floor Inf MaxInt MaxInt64 MinInt NaN Pow Round Sqrt Trunc"),
    (
        "os",
        "Args Create Exit Getenv Getwd IsNotExist LookupEnv Mkdir MkdirAll Open OpenFile ReadFile Remove RemoveAll Stat Stderr Stdin Stdout WriteFile",
    ),
    ("path/filepath", "Abs Base Clean Dir Ext Glob Join Rel Split Walk WalkDir"),
    ("sort", "Ints Search SearchInts Slice SliceStable Sort Strings"),
    (
        "strconv",
        "Atoi FormatFloat FormatInt Itoa ParseBool ParseFloat ParseInt ParseUint Quote Unquote",
    ),
    (
        "strings",
        "Builder Contains ContainsAny ContainsRune Count Cut EqualFold Fields HasPrefix HasSuffix Index Join LastIndex Map NewReader NewReplacer Repeat Replace ReplaceAll Split SplitN Title ToLower ToUpper Trim TrimFunc TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix",
    ),
    (
        "time",
        "After Date Duration Hour Millisecond Minute Month NewTicker NewTimer Now Parse ParseDuration RFC3339 Second Since Sleep Tick Time UTC Unix Until",
    ),
];

/// Returns the known names of a package; none for a package that is not in the table.
pub(super) fn members(path: &str) -> SplitAsciiWhitespace<'static> {
    let row = MEMBERS.iter().find(|(name, _)| *name == path);
    row.map_or("", |(_, names)| names).split_ascii_whitespace()
}

/// Returns the import paths of all packages.
pub(super) fn all_paths() -> Vec<&'static str> {
    PACKAGES.lines().collect()
}

/// Returns the import paths of the packages that have a name: `rand` has two.
pub(super) fn paths(name: &str) -> Vec<&'static str> {
    let found = PACKAGES.lines().filter(|path| go_package_name(path) == name);
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_packages_of_the_standard_library() {
        assert!(MEMBERS.iter().all(|(path, _)| all_paths().contains(path)));
        assert!(members("strings").any(|name| name == "ToLower"));
        assert_eq!(members("example.com/strings").count(), 0);
    }

    #[test]
    fn a_name_stands_for_one_package_or_for_several() {
        assert!(PACKAGES.lines().is_sorted());
        for (name, expected) in [
            ("fmt", vec!["fmt"]),
            ("json", vec!["encoding/json"]),
            ("rand", vec!["crypto/rand", "math/rand", "math/rand/v2"]),
            ("template", vec!["html/template", "text/template"]),
            ("nothing", vec![]),
        ] {
            assert_eq!(paths(name), expected);
        }
    }
}
