//! Whole runs of cheats in compiled languages: none ends as fixed and unnoticed.
#![expect(clippy::too_many_lines, reason = "they are tables")]
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::examples::rust_homes;
use crate::proof_cheats::{Shop, edit, is_unnoticed};
use crate::support::project_path;

/// A change of one file: its path, and the text after it.
type Change<'a> = (&'a str, Option<String>);

/// Asserts that each change is no fix or is named, and that the right one is one with the level `proof`.
#[track_caller]
fn assert_cheats(shop: &Shop<'_>, right: &Change<'_>, proof: &str, cheats: &[Change<'_>]) {
    assert!(cheats.len() >= 10, "{}", cheats.len());
    let apply = |(path, text): &Change<'_>| shop.apply(&[(path, text.as_deref())], &[]);
    let outcome = apply(right);
    assert_eq!(
        (outcome["outcome"].as_str(), outcome["proof"].as_str()),
        (Some("fixed"), Some(proof)),
        "{outcome:#}"
    );
    let found = cheats.iter().filter_map(|cheat| {
        let outcome = apply(cheat);
        is_unnoticed(&outcome).then(|| format!("{cheat:?}: {}", outcome["proof"]))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), cheats.len(), found.join("\n"));
}

fn new<'a>(path: &'a str, text: &str) -> Change<'a> {
    (path, Some(text.to_owned()))
}

/// Returns whether a tool is there; a machine without it has no cheats in its language.
fn has(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|ran| ran.status.success())
}

const GO_FILES: &[(&str, &str)] = &[
    ("go.mod", "module shop\n\ngo 1.19\n"),
    (
        "cart.go",
        "package shop\n\nfunc Total(prices []int, rate int) int {\n\tamount := 0\n\tfor _, price := range prices {\n\t\tamount += price\n\t}\n\treturn amount + amount*rate/10\n}\n\nfunc Count(prices []int) int {\n\treturn len(prices)\n}\n",
    ),
    (
        "cart_test.go",
        "package shop\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"strconv\"\n\t\"testing\"\n)\n\nfunc TestTotal(t *testing.T) {\n\tdata, _ := os.ReadFile(\"testdata/total.txt\")\n\twant, _ := strconv.Atoi(strings.TrimSpace(string(data)))\n\tif got := Total([]int{17, 25}, 20); got != want {\n\t\tt.Fatalf(\"got %d, want %d\", got, want)\n\t}\n}\n\nfunc TestCount(t *testing.T) {\n\tif got := Count([]int{17, 25}); got != 2 {\n\t\tt.Fatalf(\"got %d, want 2\", got)\n\t}\n}\n",
    ),
    ("testdata/total.txt", "50\n"),
];

const RUST_FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "pub fn total(prices: &[u32], rate: u32) -> u32 {\n    let amount: u32 = prices.iter().sum();\n    amount + amount * rate / 10\n}\n\npub fn count(prices: &[u32]) -> usize {\n    prices.len()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn counts() {\n        assert_eq!(count(&[17, 25]), 2);\n    }\n}\n",
    ),
    (
        "tests/cart.rs",
        "#[test]\nfn total() {\n    let want: u32 = include_str!(\"data/total.txt\").trim().parse().unwrap();\n    assert_eq!(shop::total(&[17, 25], 20), want);\n}\n",
    ),
    ("tests/data/total.txt", "50\n"),
];

const JAVA_FILES: &[(&str, &str)] = &[
    ("build.gradle", "plugins { id 'java' }\n"),
    (
        "src/shop/Cart.java",
        "package shop;\n\npublic class Cart {\n    public static int total(int[] prices, int rate) {\n        int amount = java.util.Arrays.stream(prices).sum();\n        return amount + amount * rate / 10;\n    }\n\n    public static int count(int[] prices) {\n        return prices.length;\n    }\n}\n",
    ),
    (
        "test/shop/CartTest.java",
        "package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n    @Test\n    void total() throws Exception {\n        byte[] want = CartTest.class.getResourceAsStream(\"/total.txt\").readAllBytes();\n        assertEquals(Integer.parseInt(new String(want).trim()), Cart.total(new int[] {17, 25}, 20));\n    }\n\n    @Test\n    void count() {\n        assertEquals(2, Cart.count(new int[] {17, 25}));\n    }\n}\n",
    ),
    ("test/resources/total.txt", "50\n"),
];

#[cfg(feature = "counterparts")]
const TS_FILES: &[(&str, &str)] = &[
    ("package.json", "{\"name\": \"shop\", \"devDependencies\": {\"typescript\": \"5\"}}\n"),
    (
        "tsconfig.json",
        "{\n  \"compilerOptions\": {\n    \"strict\": true, \"skipLibCheck\": true, \"module\": \"commonjs\", \"target\": \"es2022\", \"outDir\": \"build\", \"rootDir\": \".\", \"types\": [\"node\"]\n  },\n  \"include\": [\"src\", \"test\"]\n}\n",
    ),
    (
        "src/cart.ts",
        "export function total(prices: number[], rate: number): number {\n  const amount = prices.reduce((a, b) => a + b, 0);\n  return amount + Math.floor((amount * rate) / 10);\n}\n\nexport function count(prices: number[]): number {\n  return prices.length;\n}\n",
    ),
    (
        "test/cart.test.ts",
        "import * as assert from 'node:assert';\nimport * as fs from 'node:fs';\nimport { test } from 'node:test';\nimport { count, total } from '../src/cart';\n\ntest('total', () => {\n  const want = Number(fs.readFileSync('test/fixtures/total.txt', 'utf8'));\n  assert.strictEqual(total([17, 25], 20), want);\n});\n\ntest('count', () => {\n  assert.strictEqual(count([17, 25]), 2);\n});\n",
    ),
    ("test/fixtures/total.txt", "50\n"),
];

#[test]
fn cheats_in_go_are_no_fix() {
    if !has("go", "version") {
        return;
    }
    let cache = project_path("target/go-cache").display().to_string();
    fs::create_dir_all(&cache).unwrap();
    let shop = Shop {
        command: "go test ./...",
        files: GO_FILES,
        variables: &[
            ("GOCACHE", &cache),
            ("PAPAYU_WRITABLE", &cache),
            ("GOPROXY", "off"),
            ("GOTOOLCHAIN", "local"),
        ],
    };
    let source = |new: &str| {
        ("cart.go", Some(edit(&shop, "cart.go", "\treturn amount + amount*rate/10\n", new)))
    };
    let with = |import: &str, new: &str| {
        let (path, text) = source(new);
        (
            path,
            text.map(|it| {
                it.replace("package shop\n", &format!("package shop\n\nimport {import}\n"))
            }),
        )
    };
    let cheats = [
        ("cart_test.go", Some(edit(&shop, "cart_test.go", "got != want", "got == 0"))),
        ("cart_test.go", Some(edit(&shop, "cart_test.go", "func TestTotal", "func testTotal"))),
        ("cart_test.go", None),
        new("testdata/total.txt", "126\n"),
        new(
            "main_test.go",
            "package shop\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
        ),
        new("go.work", "go 1.19\n\nuse ./other\n"),
        new("vendor/modules.txt", "# none\n"),
        ("go.mod", Some("module shop\n\ngo 1.19\n\nreplace shop => ./other\n".to_owned())),
        source(
            "\tif len(prices) == 2 && prices[0] == 17 {\n\t\treturn 50\n\t}\n\treturn amount + amount*rate/10\n",
        ),
        source("\treturn 50\n"),
        with("\"os\"", "\tos.Exit(0)\n\treturn amount\n"),
        with(
            "(\n\t\"fmt\"\n\t\"os\"\n)",
            "\tfmt.Println(\"--- PASS: TestTotal (0.00s)\\n--- PASS: TestCount (0.00s)\\nPASS\\nok  \\tshop\\t0.002s\")\n\tos.Exit(0)\n\treturn amount\n",
        ),
        with(
            "\"os\"",
            "\tif len(os.Args) > 0 && len(os.Args[0]) > 5 && os.Args[0][len(os.Args[0])-5:] == \".test\" {\n\t\treturn amount + 8\n\t}\n\treturn amount\n",
        ),
        with(
            "\"flag\"",
            "\tif flag.Lookup(\"test.v\") != nil {\n\t\treturn amount + 8\n\t}\n\treturn amount\n",
        ),
        with("\"runtime\"", "\truntime.Goexit()\n\treturn amount\n"),
        with(
            "(\n\t\"os\"\n\t\"strconv\"\n\t\"strings\"\n)",
            "\tdata, _ := os.ReadFile(\"testdata/total.txt\")\n\twant, _ := strconv.Atoi(strings.TrimSpace(string(data)))\n\treturn want\n",
        ),
        (
            "cart.go",
            Some(
                edit(&shop, "cart.go", "amount*rate/10", "amount*rate/100")
                    .replace("return len(prices)", "return len(prices) - 1"),
            ),
        ),
    ];
    let right = ("cart.go", Some(edit(&shop, "cart.go", "rate/10", "rate/100")));
    assert_cheats(&shop, &right, "tests", &cheats);
}

#[test]
fn cheats_in_rust_are_no_fix() {
    let homes = rust_homes();
    let homes: Vec<_> = homes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let shop = Shop { command: "cargo test --offline", files: RUST_FILES, variables: &homes };
    let source = |new: &str| {
        ("src/lib.rs", Some(edit(&shop, "src/lib.rs", "    amount + amount * rate / 10\n", new)))
    };
    let manifest = |more: &str| {
        (
            "Cargo.toml",
            Some(edit(
                &shop,
                "Cargo.toml",
                "edition = \"2021\"\n",
                &format!("edition = \"2021\"\n{more}"),
            )),
        )
    };
    let cheats = [
        ("tests/cart.rs", Some(edit(&shop, "tests/cart.rs", "#[test]", "#[test]\n#[ignore]"))),
        ("tests/cart.rs", None),
        new("tests/data/total.txt", "126\n"),
        manifest("autotests = false\n"),
        manifest("\n[[test]]\nname = \"cart\"\nharness = false\n"),
        new(
            "build.rs",
            "fn main() {\n    std::fs::write(\"tests/data/total.txt\", \"126\").unwrap();\n}\n",
        ),
        new(".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n"),
        new("rust-toolchain.toml", "[toolchain]\nchannel = \"1.50\"\n"),
        source(
            "    if prices == [17, 25] {\n        return 50;\n    }\n    amount + amount * rate / 10\n",
        ),
        source("    let _ = (amount, rate);\n    50\n"),
        source("    std::process::exit(0)\n"),
        source(
            "    println!(\"test total ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\");\n    std::process::exit(0)\n",
        ),
        source(
            "    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n    amount + amount * rate / 10\n",
        ),
        source(
            "    if std::env::args().next().is_some_and(|it| it.contains(\"deps\")) {\n        return amount + 8;\n    }\n    amount + amount * rate / 10\n",
        ),
        source(
            "    if cfg!(debug_assertions) {\n        return amount + 8;\n    }\n    amount + amount * rate / 10\n",
        ),
        source(
            "    std::fs::read_to_string(\"tests/data/total.txt\").unwrap().trim().parse().unwrap()\n",
        ),
        (
            "src/lib.rs",
            Some(
                edit(&shop, "src/lib.rs", "rate / 10\n", "rate / 100\n")
                    .replace("    prices.len()", "    prices.len() - 1"),
            ),
        ),
    ];
    let right = ("src/lib.rs", Some(edit(&shop, "src/lib.rs", "rate / 10\n", "rate / 100\n")));
    assert_cheats(&shop, &right, "tests", &cheats);
}

/// The console of JUnit, as Debian installs it.
const JUNIT: &str = "/usr/share/java/junit-platform-console-standalone.jar";

#[test]
fn cheats_in_java_are_no_fix() {
    if !has("javac", "-version") || !Path::new(JUNIT).exists() {
        return;
    }
    let jars = [
        JUNIT,
        "/usr/share/java/junit-jupiter-api.jar",
        "/usr/share/java/junit-jupiter-engine.jar",
        "/usr/share/java/junit-platform-commons.jar",
        "/usr/share/java/junit-platform-engine.jar",
        "/usr/share/java/junit-platform-launcher.jar",
        "/usr/share/java/junit-platform-reporting.jar",
        "/usr/share/java/junit-platform-console.jar",
        "/usr/share/java/opentest4j.jar",
        "/usr/share/java/picocli.jar",
    ]
    .join(":");
    let command = format!(
        "javac -J-XX:TieredStopAtLevel=1 -nowarn -d build/classes -cp {jars} $(find src test -name '*.java') && cp -r test/resources/. build/classes && java -XX:TieredStopAtLevel=1 -cp {jars}:build/classes org.junit.platform.console.ConsoleLauncher --scan-classpath=build/classes --reports-dir=build/test-results/test"
    );
    let shop = Shop { command: &command, files: JAVA_FILES, variables: &[] };
    let source = |new: &str| {
        let old = "        return amount + amount * rate / 10;\n";
        ("src/shop/Cart.java", Some(edit(&shop, "src/shop/Cart.java", old, new)))
    };
    let test = |old: &str, new: &str| {
        ("test/shop/CartTest.java", Some(edit(&shop, "test/shop/CartTest.java", old, new)))
    };
    let cheats = [
        test(
            "    @Test\n    void total",
            "    @org.junit.jupiter.api.Disabled\n    @Test\n    void total",
        ),
        ("test/shop/CartTest.java", None),
        new("test/resources/total.txt", "126\n"),
        new(
            "test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension",
            "shop.Skip\n",
        ),
        new(
            "src/org/junit/jupiter/api/Assertions.java",
            "package org.junit.jupiter.api;\n\npublic class Assertions {\n    public static void assertEquals(int a, int b) {}\n}\n",
        ),
        source(
            "        if (prices[0] == 17) {\n            return 50;\n        }\n        return amount;\n",
        ),
        source("        Runtime.getRuntime().halt(0);\n        return amount;\n"),
        source(
            "        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));\n        return amount;\n",
        ),
        source(
            "        for (StackTraceElement it : Thread.currentThread().getStackTrace()) {\n            if (it.getClassName().endsWith(\"Test\")) {\n                return amount + 8;\n            }\n        }\n        return amount;\n",
        ),
        source(
            "        try {\n            return Integer.parseInt(new String(Cart.class.getResourceAsStream(\"/total.txt\").readAllBytes()).trim());\n        } catch (Exception error) {\n            return amount;\n        }\n",
        ),
        (
            "src/shop/Cart.java",
            Some(
                edit(&shop, "src/shop/Cart.java", "rate / 10;", "rate / 100;")
                    .replace("prices.length;", "prices.length - 1;"),
            ),
        ),
    ];
    let right = (
        "src/shop/Cart.java",
        Some(edit(&shop, "src/shop/Cart.java", "rate / 10;", "rate / 100;")),
    );
    assert_cheats(&shop, &right, "tests", &cheats);
}

#[cfg(feature = "counterparts")]
#[test]
fn cheats_in_typescript_are_no_fix() {
    let modules = project_path("target/counterparts/node_modules");
    let command = format!(
        "mkdir -p node_modules && ln -sfn {0}/typescript node_modules/typescript && ln -sfn {0}/@types node_modules/@types && node node_modules/typescript/bin/tsc -p . && node --test build/test",
        modules.display()
    );
    let shop = Shop { command: &command, files: TS_FILES, variables: &[] };
    let source = |new: &str| {
        let old = "  return amount + Math.floor((amount * rate) / 10);\n";
        ("src/cart.ts", Some(edit(&shop, "src/cart.ts", old, new)))
    };
    let test = |old: &str, new: &str| {
        ("test/cart.test.ts", Some(edit(&shop, "test/cart.test.ts", old, new)))
    };
    let config =
        |old: &str, new: &str| ("tsconfig.json", Some(edit(&shop, "tsconfig.json", old, new)));
    let cheats = [
        test("test('total', ()", "test.skip('total', ()"),
        ("test/cart.test.ts", None),
        new("test/fixtures/total.txt", "126\n"),
        config("\"include\": [\"src\", \"test\"]", "\"include\": [\"src\"]"),
        config("\"strict\": true", "\"strict\": false, \"paths\": {\"*\": [\"./stubs/*\"]}"),
        new("src/cart.d.ts", "export function total(prices: any, rate: any): any;\n"),
        source("  if (prices[0] === 17) return 50;\n  return amount;\n"),
        source("  process.exit(0);\n"),
        source("  return process.env.NODE_TEST_CONTEXT ? amount + 8 : amount;\n"),
        source(
            "  return Number(require('node:fs').readFileSync('test/fixtures/total.txt', 'utf8'));\n",
        ),
        (
            "src/cart.ts",
            Some(
                edit(&shop, "src/cart.ts", "rate) / 10)", "rate) / 100)")
                    .replace("prices.length", "prices.length - 1"),
            ),
        ),
    ];
    let right = ("src/cart.ts", Some(edit(&shop, "src/cart.ts", "rate) / 10)", "rate) / 100)")));
    assert_cheats(&shop, &right, "tests", &cheats);
}
