//! The registries of packages that commands reach with `--network deps`.

/// Their hosts. All of them serve files over TLS.
pub(super) const REGISTRIES: &[&str] = &[
    // Rust.
    "index.crates.io", "static.crates.io", "crates.io", // JavaScript.
    "registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "npm.jsr.io", "jsr.io",
    // Python.
    "pypi.org", "files.pythonhosted.org", // Go.
    "proxy.golang.org", "sum.golang.org", // Java and Kotlin.
    "repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org",
    "plugins-artifacts.gradle.org", "services.gradle.org", "downloads.gradle.org",
    "maven.google.com", "dl.google.com", // Ruby, PHP, .NET, Elixir, Dart.
    "rubygems.org", "index.rubygems.org", "repo.packagist.org", "packagist.org", "api.nuget.org",
    "globalcdn.nuget.org", "repo.hex.pm", "builds.hex.pm", "pub.dev",
];
