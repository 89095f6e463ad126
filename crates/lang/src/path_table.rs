//! The table of path classes: patterns of lower case paths, in the order in which they are tried.
//!
//! A pattern with a `/` is matched from the root, others at any depth; one that ends with `/` is a folder
//! with everything below it; `/x` is `x` at the root.

use papayu_base::text::WordList;

use PathClass::{Build, Ci, Configuration, Generated, Manifest, TestSupport};

/// The class of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathClass {
    /// The product, and everything that no other class claims.
    Source,
    /// A file of tests.
    Test,
    /// A file that tests read or import: fixtures, snapshots, helpers.
    TestSupport,
    /// Settings of test runners, linters, formatters, type checkers, interpreters and package managers.
    Configuration,
    /// Build descriptions and task runners.
    Build,
    /// A file that lists dependencies, and that may have settings too.
    Manifest,
    /// Files of CI services.
    Ci,
    /// Lock files and generated code.
    Generated,
}

/// Each class with its patterns, separated by blanks; the first row that matches wins.
pub(super) const ROWS: &[(PathClass, &str)] = &[
    (
        TestSupport,
        "{testdata,test-data,test_data,__snapshots__,__fixtures__,__mocks__,__image_snapshots__,golden,goldens,golden_files,fixtures,cassettes,.snapshots,_snapshots,expected_output}/",
    ),
    (
        Ci,
        "/.github/ /.gitlab/ /.circleci/ /.buildkite/ /.azure-pipelines/ /.travis.{yml,yaml} \
        /.gitlab-ci.{yml,yaml} azure-pipelines*.{yml,yaml} jenkinsfile{,.*} \
        /bitbucket-pipelines.{yml,yaml} /{,.}appveyor.{yml,yaml} /.drone.{yml,yaml} \
        /.cirrus.{yml,yaml} /action.{yml,yaml}",
    ),
    // Installed packages: their code runs the tests.
    (
        Configuration,
        "node_modules/ site-packages/ dist-packages/ {.venv,.tox,.nox,.eggs}/ .pnpm-store/ \
        *.{dist-info,egg-info}/ /vendor/ pyvenv.cfg \
        {pytest,py.test,python,python3,node,npm,npx,jest,vitest,mocha,cargo,mvn,gradle,rspec,phpunit}",
    ),
    (
        Generated,
        "{cargo,poetry,pdm,uv,pixi,gemfile,composer,flake,mix,podfile,package.resolved}.lock \
        {package-lock,npm-shrinkwrap,packages.lock}.json pnpm-lock.yaml yarn.lock bun.lock{,b} \
        pipfile.lock go.{sum,work.sum} {__pycache__,.next,.nuxt,coverage,htmlcov,__generated__}/ \
        *.{pb.go,pb.cc,pb.h,g.dart,designer.cs} *_pb2{,_grpc}.{py,pyi} *.min.{js,css}",
    ),
    // Test runners, coverage.
    (
        Configuration,
        "{,.}pytest.{ini,toml} {tox,nose2}.{ini,cfg,toml} setup.cfg .coveragerc nose{,2}.cfg \
        unittest.cfg \
        {jest,vitest,vite,ava,cypress,playwright,wdio,nightwatch,web-test-runner,karma,protractor,testcafe,stryker,mocha,tap}{,.*}.{config,conf,workspace,setup}.{js,cjs,mjs,ts,cts,mts,json} \
        {jest,vitest,vite,ava,cypress,playwright,wdio,nightwatch,web-test-runner,karma,protractor,testcafe,stryker,mocha,tap}.{config,conf,workspace,setup,preset,globalsetup}.{js,cjs,mjs,ts,cts,mts,json} \
        {jest,vitest,mocha,test}{-,_,.}{setup,global-setup,globalsetup,preset,environment,env,resolver,transform,transformer,reporter,bootstrap}{,.*}.{js,cjs,mjs,ts,cts,mts,jsx,tsx} \
        setup{tests,jest,vitest,test,-tests,-jest,-vitest,filesafterenv}{,.*}.{js,cjs,mjs,ts,jsx,tsx} \
        cypress.json {.mocharc,.nycrc,.c8rc,.taprc,.jasmine,.testcaferc}{,.*} \
        jasmine{,.*}.{json,js,mjs,cjs} mocha.opts .jestrc{,.*} nyc.config.* \
        {,.config/}nextest.toml .config/nextest.toml \
        {tarpaulin,.tarpaulin,bacon,mutants,proptest}.toml phpunit{,.*}.{xml,xml.dist,dist.xml} \
        phpunit.xml{,.dist} {behat,codeception,infection}{,.*}.{yml,yaml,json,json5,dist} \
        .rspec{,-*} .simplecov {spec,rails,test}_helper.rb junit-platform.properties \
        testng{,-*}.xml {surefire,failsafe}{,.*}.{xml,properties} *.{runsettings,testsettings} \
        xunit.runner.json ctest{config,custom,testfile}{,.*}.{cmake,in} cmake{,user}presets.json \
        kotest.properties .user.ini io/kotest/provided/ dartconfig.cmake \
        {.codecov,codecov,.coveralls}.{yml,yaml} gotestsum{,.*}.{yml,yaml,json} .bats \
        setup_suite.bash .shellspec",
    ),
    // Linters, formatters and type checkers.
    (
        Configuration,
        "{,.}{ruff,mypy,flake8,pylintrc,basedpyright,pyre,pytype}{,.toml,.ini,.cfg} \
        .{pylintrc,pydocstyle,pycodestyle,isort.cfg,style.yapf,bandit,pyre_configuration,importlinter,yapfignore} \
        {pyrightconfig,basedpyrightconfig}.json {,.}{pep8,pycodestyle,yapf} \
        {tsconfig,jsconfig}{,.*,-*}.json tsconfig{.*,-*}.json \
        {.eslintrc,.prettierrc,.babelrc,.swcrc,.stylelintrc,.oxlintrc,.jshintrc,.jscsrc,.xo-config,.markdownlint,.markdownlint-cli2,.remarkrc,.commitlintrc,.htmlhintrc,.tslintrc}{,.*} \
        {eslint,prettier,babel,stylelint,oxlint,xo,commitlint,remark,markdownlint,knip,depcheck,ts-prune,tsup,swc}.config.{js,cjs,mjs,ts,cts,mts,json} \
        {tslint,biome,rome,dprint,deno,knip,cspell,.cspell}.{json,jsonc,json5} \
        .{eslint,prettier,stylelint,flow,git,semgrep,markdownlint,clang-format-,biome,oxlint,jshint,ts-prune}ignore \
        .{ignore,rgignore,fdignore,flowconfig} \
        {,.}{clippy,rustfmt,taplo,typos,_typos,deny,cargo-deny}.toml \
        .golangci{,-*}.{yml,yaml,toml,json} {revive,staticcheck,.revive,.staticcheck}.{toml,conf} \
        {phpstan,psalm,phpcs,.phpcs,rector,.php-cs-fixer,.php_cs,ecs,phan,phpmd}{,.*,-*}.{neon,xml,dist,php,yml,yaml} \
        {phpstan,psalm,phpcs}{,.*}.{neon,xml}.dist .rubocop{,_todo}.yml \
        .{reek,standard,haml-lint,erb-lint,erb_lint}.yml \
        {checkstyle,pmd,spotbugs,findbugs,ktlint,detekt}{,*}.{xml,yml,yaml} \
        .{clang-tidy,clang-format,cppcheck,cmake-format,shellcheckrc,hadolint}{,.*} \
        .{yamllint,ansible-lint,swiftlint,swiftformat,scalafmt,scalafix,credo,formatter,editorconfig,globalconfig,luacheckrc,luarc}{,.*} \
        {credo,.credo}.exs {directory.build,directory.packages}.{props,targets} /global.json \
        {stylecop,omnisharp}.json *.{ruleset,globalconfig} .pre-commit-config.{yml,yaml} \
        lefthook{,-local}.{yml,yaml,toml} .lintstagedrc{,.*} lint-staged.config.* \
        sonar-project.properties {mega,.mega,super,trunk}-linter.{yml,yaml} .trunk/",
    ),
    // Read by interpreters, package managers, shells and git without being asked.
    (
        Configuration,
        "{site,user}customize.py *.pth .cargo/ rust-toolchain{,.toml} /node.config.json \
        /patches/*.patch \
        .{npmrc,yarnrc,pnpmrc,nvmrc,node-version,python-version,ruby-version,go-version,java-version,tool-versions,noderc,swcrc}{,.*} \
        {,.}{pnpmfile,bunfig,mise}{,.*} .yarn/ pnpm-workspace.yaml \
        {turbo,nx,lerna,rush,angular}.json /{project,workspace}.json go.work \
        .{git,husky,hg,githooks,git-hooks,lefthook}/ .gitattributes .gitmodules .{envrc,env}{,.*} \
        .{vscode,idea,devcontainer,bundle,mvn,config}/ {.bazelrc,.bazelversion,.buckconfig} \
        {.mavenrc,lombok.config} meta-inf/services/ {pip,nuget}.{conf,ini,config} \
        .pnp.{cjs,js,mjs,loader.mjs}",
    ),
    // Build descriptions and task runners.
    (
        Build,
        "{gnu,bsd,}makefile{,.*} *.{mk,mak,cmake,ninja,bazel,bzl,gn,gni} cmakelists.txt \
        cmakepresets.json \
        {meson.build,meson_options.txt,meson.options,sconstruct,sconscript,wscript,configure,configure.ac,configure.in} \
        {build,workspace,module}{,.bazel} {,.}{justfile,taskfile{,.dist}}{,.yml,.yaml} *.just \
        rakefile{,.rb} *.rake {noxfile,dodo,fabfile,duties,setup,conanfile,pavement}.py /tasks.py \
        hatch_build.py build.{rs,zig,sbt,xml} /build.{sh,bat,ps1,py,js,mjs,cjs,ts} \
        {gulpfile,gruntfile,webpack,rollup,esbuild,rspack,tsdown,unbuild,parcel,metro,next,nuxt,svelte,astro,remix,snowpack,nitro}.config.{js,cjs,mjs,ts,cts,mts,json} \
        {gulpfile,gruntfile}.{js,cjs,mjs,ts,coffee} {settings,build,init}{,.*}.gradle{,.kts} \
        *.gradle{,.kts} gradle.properties {gradlew,mvnw}{,.bat,.cmd} gradle/ \
        /project/*.{sbt,scala,properties} \
        *.{csproj,fsproj,vbproj,vcxproj,sln,slnx,props,targets,proj} \
        {dockerfile,containerfile}{,.*} {docker-,}compose{,.*}.{yml,yaml} \
        {default,shell,flake}.nix \
        {earthfile,tiltfile,vagrantfile,procfile,dangerfile,fastfile}{,.*} \
        {magefile,mage_output_file}.go makefile.toml package.swift {cargo-make,cross}.toml \
        binding.gyp",
    ),
    (
        Manifest,
        "package.json cargo.toml pyproject.toml {pipfile,gemfile,podfile,cartfile,brewfile} \
        *.{gemspec,cabal,podspec,rockspec,nuspec} {requirements,constraints}{,-*,_*,.*}.{txt,in} \
        *{-,_}requirements.{txt,in} requirements/ go.mod composer.json pom.xml mix.exs \
        pubspec.{yml,yaml} environment.{yml,yaml} stack.yaml packages.config vcpkg.json \
        conanfile.txt libs.versions.toml",
    ),
    (
        TestSupport,
        "conftest.py *.{snap,golden,approved,ambr,storyshot} *.approved.* \
        {testutil,testutils,test_utils,test-utils,testhelper,testhelpers,test_helpers,test-helpers,test_support,test-support,testsupport}{,.py,.js,.cjs,.mjs,.ts,.tsx,.jsx,.rs,.go,.rb,.sh,.bash,.java,.kt} \
        {testutil,testutils,test_utils,test-utils,testhelper,testhelpers,test_helpers,test-helpers,test_support,test-support,testsupport}/ \
        *.bats",
    ),
];

/// Modules that tests import, besides the standard library of Python: a new module of such a name at a
/// place where imports are looked for first would replace it.
pub(super) static TEST_MODULES: WordList = WordList::new(
    "pytest _pytest mock hypothesis nose nose2 pluggy attr attrs click django exceptiongroup \
    fastapi flask httpx jinja2 numpy packaging pandas pkg_resources pydantic requests setuptools \
    six sqlalchemy tomli typing_extensions yaml iniconfig coverage testtools parameterized \
    freezegun responses requests_mock pytest_mock pytest_asyncio xdist assertpy hamcrest sure \
    expects behave robot tox nox mypy ruff flake8 pylint pyright black isort numpy pandas attr \
    attrs packaging exceptiongroup tomli pygments setuptools pkg_resources pip six colorama \
    faker factory django bandit trial twisted ward doctest_plus syrupy snapshottest pyflakes \
    pycodestyle",
);
