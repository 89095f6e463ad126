//! Imports of Go, Java, C#, PHP, Ruby and C, on small trees.

use super::rig::Rig;
use crate::facts::ImportKind;

fn leads(texts: &[(&str, &str)], from: &str, modules: &[&str]) -> Vec<String> {
    let rig = Rig::of(texts);
    modules.iter().map(|module| rig.leads(from, module)).collect()
}

#[test]
fn go_packages_are_folders_without_their_tests_and_only_visible_modules_count() {
    let texts = [
        (
            "go.mod",
            "module example.com/shop // main\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b/v2 v2.1.0\n\texample.com/near v0.0.0\n)\nreplace example.com/near => ./near\nreplace example.com/gone => ../../gone\n",
        ),
        ("main.go", "package main\n"),
        ("cart/cart.go", "package cart\n"),
        ("cart/line.go", "package cart\n"),
        ("cart/cart_test.go", "package cart\n"),
        ("cart/readme.md", ""),
        ("near/go.mod", "module example.com/near\n"),
        ("near/x.go", "package near\n"),
        ("other/go.mod", "module example.com/other\n"),
        ("other/x.go", "package other\n"),
    ];
    let modules = [
        "example.com/shop/cart", "example.com/shop", "example.com/shop/none",
        "example.com/shopping", "example.com/near", "example.com/other", "example.com/gone",
        "github.com/a/b/v2/sub", "net/http", "C", "./cart", "../out",
    ];
    let expected = [
        "cart/cart.go cart/line.go",
        "main.go",
        "unresolved",
        "external example.com/shopping",
        "near/x.go",
        "external example.com/other",
        "external example.com/gone",
        "external github.com/a/b/v2",
        "builtin net/http",
        "builtin C",
        "cart/cart.go cart/line.go",
        "unresolved",
    ];
    assert_eq!(leads(&texts, "main.go", &modules), expected);
    let work = ("go.work", "go 1.22\nuse (\n\t.\n\t./other\n)\n");
    let texts = [texts.as_slice(), &[work]].concat();
    assert_eq!(leads(&texts, "main.go", &["example.com/other"]), ["other/x.go"]);
    assert_eq!(leads(&texts, "near/x.go", &["example.com/other"]), ["external example.com/other"]);
}

#[test]
fn go_without_a_manifest_or_with_a_broken_one_leads_nowhere() {
    let texts =
        [("go.mod", "module\nreplace =>\n)("), ("a.go", "package a\n"), ("b/b.go", "package b\n")];
    assert_eq!(leads(&texts, "a.go", &["b", "x.y/b"]), ["builtin b", "external x.y/b"]);
}

#[test]
fn java_classes_are_found_below_any_source_root_the_nearest_first() {
    let texts = [
        ("app/src/main/java/a/b/Cart.java", ""),
        ("app/src/main/java/a/b/Line.java", ""),
        ("app/src/test/java/a/b/CartTest.java", ""),
        ("lib/src/main/java/a/b/Cart.java", ""),
        ("lib/src/main/java/a/c/Deep.java", ""),
    ];
    let modules = [
        "a.b.Cart", "a.b.Cart.Inner", "a.c.Deep", "a.b.*", "java.util.List",
        "org.junit.jupiter.api.Test",
    ];
    let expected = [
        "app/src/main/java/a/b/Cart.java :: Cart",
        "app/src/main/java/a/b/Cart.java :: Cart.Inner",
        "lib/src/main/java/a/c/Deep.java :: Deep",
        "app/src/main/java/a/b/Cart.java app/src/main/java/a/b/Line.java app/src/test/java/a/b/CartTest.java",
        "builtin java.util",
        "external org.junit.jupiter.api",
    ];
    assert_eq!(leads(&texts, "app/src/test/java/a/b/CartTest.java", &modules), expected);
}

#[test]
fn php_classes_follow_composer_s_longest_prefix() {
    let texts = [
        (
            "composer.json",
            r#"{"autoload": {"psr-4": {"App\\": "src/", "App\\Db\\": ["db", "db2/"]}}, "autoload-dev": {"psr-4": {"Tests\\": "tests/"}}}"#,
        ),
        ("src/Cart/Line.php", "<?php\n"),
        ("src/Db/Wrong.php", "<?php\n"),
        ("db2/Pool.php", "<?php\n"),
        ("tests/CartTest.php", "<?php\n"),
        ("lib.php", "<?php\n"),
    ];
    let modules = [
        "App\\Cart\\Line", "\\App\\Db\\Pool", "App\\Db\\None", "Tests\\CartTest", "Vendor\\X",
        "Exception",
    ];
    let expected = [
        "src/Cart/Line.php :: Line",
        "db2/Pool.php :: Pool",
        "unresolved",
        "tests/CartTest.php :: CartTest",
        "external Vendor",
        "builtin Exception",
    ];
    assert_eq!(leads(&texts, "src/Cart/Line.php", &modules), expected);
    let rig = Rig::of(&texts);
    let beside = |module| rig.takes("src/Cart/Line.php", module, &[], ImportKind::Beside);
    assert_eq!([beside("/../../lib.php"), beside("../../../x.php")], ["lib.php", "unresolved"]);
}

#[test]
fn ruby_looks_beside_then_on_the_load_path_then_in_the_one_other_library() {
    let texts = [
        ("lib/shop/cart.rb", ""),
        ("lib/shop.rb", ""),
        ("spec/spec_helper.rb", ""),
        ("spec/cart_spec.rb", ""),
        ("gems/x/lib/extra.rb", ""),
    ];
    let modules = ["shop/cart", "spec_helper", "extra", "json", "rails/all", "./none"];
    let expected = [
        "lib/shop/cart.rb", "spec/spec_helper.rb", "gems/x/lib/extra.rb", "builtin json",
        "external rails", "unresolved",
    ];
    assert_eq!(leads(&texts, "spec/cart_spec.rb", &modules), expected);
    let rig = Rig::of(&texts);
    let beside = |module| rig.takes("spec/cart_spec.rb", module, &[], ImportKind::Beside);
    assert_eq!([beside("../lib/shop"), beside("../../x")], ["lib/shop.rb", "unresolved"]);
}

#[test]
fn headers_are_found_beside_then_on_include_paths_then_where_there_is_only_one() {
    let texts = [
        ("src/a.c", ""),
        ("src/a.h", ""),
        ("include/a.h", ""),
        ("include/lib/api.h", ""),
        ("third/x/only.h", ""),
        ("third/x/twice.h", ""),
        ("third/y/twice.h", ""),
    ];
    let rig = Rig::of(&texts);
    let quoted = |module| rig.takes("src/a.c", module, &[], ImportKind::Beside);
    let headers =
        ["a.h", "lib/api.h", "x/only.h", "twice.h", "none.h", "../../../only.h", "stdio.h"];
    let expected = [
        "src/a.h", "include/lib/api.h", "third/x/only.h", "unresolved", "unresolved",
        "third/x/only.h", "builtin stdio.h",
    ];
    assert_eq!(headers.map(quoted), expected);
    let expected = ["builtin stdio.h", "builtin vector", "external boost", "include/a.h"];
    assert_eq!(leads(&texts, "src/a.c", &["stdio.h", "vector", "boost/any.hpp", "a.h"]), expected);
}
