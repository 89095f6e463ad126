//! Rules with a fix that their own pattern matches: a second run leaves the result of the first one as it is.

mod rig;

use rig::{Rig, rewrite, rule};

#[test]
fn a_fix_that_matches_its_own_pattern_is_not_applied_to_its_result() {
    for (language, path, pattern, fix, before, after) in [
        (
            "python",
            "a.py",
            "fetch($$$A)",
            "fetch($$$A, timeout=5)",
            "from acme import fetch\n\nfetch('a')\nfetch('b', size=fetch('c'))\n",
            "from acme import fetch\n\nfetch('a', timeout=5)\nfetch('b', size=fetch('c', timeout=5), timeout=5)\n",
        ),
        (
            "python",
            "a.py",
            "fetch($A)",
            "fetch(str($A))",
            "import acme as ac\n\nac.fetch(1)\n",
            "import acme as ac\n\nac.fetch(str(1))\n",
        ),
        (
            "python",
            "a.py",
            "fetch($A)",
            "wait(fetch($A))",
            "from acme import fetch\n\nfetch(1)\n",
            "from acme import fetch\n\nwait(fetch(1))\n",
        ),
        (
            "typescript",
            "a.ts",
            "fetch($A)",
            "fetch({ url: $A })",
            "import { fetch as get } from 'acme';\n\nget('a');\n",
            "import { fetch as get } from 'acme';\n\nget({ url: 'a' });\n",
        ),
        (
            "rust",
            "src/a.rs",
            "fetch($A)",
            "fetch(Some($A))",
            "use acme::fetch;\n\nfn f() { fetch(1); }\n",
            "use acme::fetch;\n\nfn f() { fetch(Some(1)); }\n",
        ),
    ] {
        let yaml = rule(language, pattern, fix, ["fetch from acme", "fetch from acme"])
            .replace("becomes:\n  fetch: fetch from acme\n", "");
        let once = rewrite(&yaml, path, before);
        assert_eq!(once, after, "{fix}");
        assert_eq!(rewrite(&yaml, path, &once), after, "{fix}");
    }
}

#[test]
fn a_place_that_looks_like_the_fix_is_named() {
    let yaml =
        rule("python", "sleep($A)", "sleep($A * 1000)", ["sleep from acme", "sleep from acme"])
            .replace("becomes:\n  sleep: sleep from acme\n", "");
    let rig = Rig::of("a.py", "from acme import sleep\n\nsleep(2)\nsleep(3 * 1000)\n");
    let made = rig.apply(&yaml);
    assert_eq!(made["a.py"], "from acme import sleep\n\nsleep(2 * 1000)\nsleep(3 * 1000)\n");
    let left: Vec<String> = rig.left.borrow().iter().cloned().collect();
    assert_eq!(left, ["a.py:4 it is what the fix makes already"]);
}

#[test]
fn a_swap_has_no_result_that_could_be_known_and_is_undone_by_a_second_run() {
    let yaml = rule("python", "send($A, $B)", "send($B, $A)", ["send from acme", "send from acme"])
        .replace("becomes:\n  send: send from acme\n", "");
    let before = "from acme import send\n\nsend(1, send(2, 3))\n";
    let once = rewrite(&yaml, "a.py", before);
    assert_eq!(once, "from acme import send\n\nsend(send(3, 2), 1)\n");
    assert_eq!(rewrite(&yaml, "a.py", &once), before);
}
