"""Asks engines that others wrote whether they take our wire schemas as they are.

usage: schema_engines.py SCHEMAS_DIR    (the folder with the canonical schemas and wire/)

For each version of the protocol and each other form of a reply: jsonschema accepts every sample, and its canonical schema accepts the sample without nulls;
the OpenAI SDK's strict rewriter changes nothing; llguidance and outlines-core compile the schema, accept
every sample and refuse what the canonical schema forbids. A line a check; exit 1 if one failed.
"""

import copy
import json
import pathlib
import random
import re
import sys

import jsonschema
import llguidance
from openai.lib._pydantic import _ensure_strict_json_schema as openai_strict
from outlines_core.json_schema import build_regex_from_schema

SHA = "7f3f2a0c9f8b1a0c9b4c0f9e3d8a4b2d8c9e7f1a0b3c4d5e6f7a8b9c0d1e2f3a"
NASTY = 'line\n\t"quoted" \\ я 😀 {"actions": []} ```json'

ACTIONS = {
    1: [
        {"kind": "CREATE_FILE", "path": "a", "content": NASTY},
        {"kind": "CREATE_DIR", "path": "a"},
        {"kind": "UPDATE_FILE", "path": "a", "content": ""},
        {"kind": "DELETE_FILE", "path": "a"},
        {"kind": "DELETE_DIR", "path": "a"},
    ],
}
ACTIONS[2] = ACTIONS[1] + [
    {"kind": "PATCH_FILE", "path": "a", "base_sha256": SHA, "patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"},
    {"kind": "REPLACE_RANGE", "path": "a", "base_sha256": SHA, "start_line": 12, "end_line": 11, "content": NASTY},
]
EDITS = [
    {"op": "replace", "anchor": "def f(x):", "before": NASTY, "after": "y"},
    {"op": "insert_before", "anchor": NASTY, "before": "", "after": "y\n"},
    {"op": "insert_after", "anchor": "", "before": "x", "after": NASTY},
    {"op": "delete", "anchor": "", "before": "x", "after": ""},
]
ACTIONS[3] = ACTIONS[2] + [
    {"kind": "EDIT_FILE", "path": "a", "base_sha256": SHA, "edits": EDITS},
    {"kind": "EDIT_FILE", "path": "b", "base_sha256": SHA, "edits": EDITS[:1]},
]
REQUESTS = [
    {"type": "read_file", "path": "a", "start_line": 1, "end_line": 260},
    {"type": "read_file", "path": "a", "start_line": None, "end_line": None},
    {"type": "search", "query": NASTY, "glob": "*.rs"},
    {"type": "search", "query": "q", "glob": None},
    {"type": "logs", "source": "failure", "last_n": 50},
    {"type": "logs", "source": "verify", "last_n": None},
    {"type": "env"},
]
MEMORY = {
    "user.preferred_style": "brief",
    "user.ask_budget": 1,
    "user.risk_tolerance": "low",
    "user.default_language": "python",
    "user.output_format": "patch_first",
    "project.default_test_command": "pytest -q",
    "project.default_lint_command": None,
    "project.default_format_command": None,
    "project.package_manager": "npm",
    "project.build_command": None,
    "project.src_roots": ["src", "lib"],
    "project.test_roots": [],
    "project.ci_notes": NASTY,
}


def reply(actions=(), summary="s", requests=None, memory=None):
    return {"actions": list(actions), "summary": summary, "context_requests": requests, "memory_patch": memory}


CLAIM = {"claim": NASTY, "path": "src/a.py", "start_line": 1, "end_line": 2, "quote": NASTY}
REMARK = {"path": "src/a.py", "line": 2, "severity": "warning", "text": NASTY}
# Replies that are neither a plan nor a change: good samples, then bad ones.
FORMS = {
    "self_check": (
        [{"claims": []}, {"claims": [CLAIM, {**CLAIM, "path": "", "quote": None}]}],
        [{"claims": [{"claim": "x"}]}, {"claims": [{**CLAIM, "start_line": "1"}]}, {"claims": [], "actions": []}, []],
    ),
    "review": (
        [{"summary": "", "remarks": []}, {"summary": NASTY, "remarks": [REMARK, {**REMARK, "severity": "note"}]}],
        [{"remarks": []}, {"summary": "s", "remarks": [{**REMARK, "severity": "fatal"}]}, {"summary": "s", "remarks": [{**REMARK, "fix": "x"}]}],
    ),
    "web_summary": (
        [{"summary": NASTY, "sources": [1, 2]}, {"summary": "s", "sources": []}],
        [{"summary": "s"}, {"summary": "s", "sources": ["1"]}, {"summary": "s", "sources": [1], "actions": []}],
    ),
    "conversation_summary": (
        [{"summary": NASTY}, {"summary": "s"}],
        [{}, {"summary": 1}, {"summary": "s", "actions": []}],
    ),
    "recipe": (
        [{"recipe": NASTY}, {"recipe": "s"}],
        [{}, {"recipe": 1}, {"recipe": "s", "actions": []}],
    ),
}


def accepted(version):
    if version in FORMS:
        yield from ((f"{version} {number}", sample) for number, sample in enumerate(FORMS[version][0]))
        return
    yield "plan", reply(summary=NASTY, requests=REQUESTS, memory=MEMORY)
    yield "no changes", reply(summary="NO_CHANGES: nothing to do")
    yield "nulls", reply(summary=None, requests=[], memory={key: None for key in MEMORY})
    yield "all kinds", reply(ACTIONS[version])
    yield from ((action["kind"], reply([action])) for action in ACTIONS[version])
    yield from ((request["type"], reply(requests=[request])) for request in REQUESTS)


def refused(version):
    if version in FORMS:
        yield from ((f"{version} {number}", sample) for number, sample in enumerate(FORMS[version][1]))
        return
    yield "bare array", ACTIONS[version]
    yield "unknown kind", reply([{"kind": "RUN_COMMAND", "path": "rm -rf /"}])
    yield "unknown field", {**reply(), "commands": ["ls"]}
    yield "content of a directory", reply([{"kind": "CREATE_DIR", "path": "a", "content": "x"}])
    yield "no content", reply([{"kind": "CREATE_FILE", "path": "a"}])
    yield "unknown request", reply(requests=[{"type": "run_command", "command": "ls"}])
    if version == 1:
        yield "patch in v1", reply(ACTIONS[2][5:6])
    if version < 3:
        yield "edit before v3", reply(ACTIONS[3][-1:])
    else:
        edit = ACTIONS[3][-1]
        yield "unknown operation", reply([{**edit, "edits": [{**EDITS[0], "op": "append"}]}])
        yield "half an edit", reply([{**edit, "edits": [{"op": "delete", "before": "x"}]}])
        yield "an edit with a field more", reply([{**edit, "edits": [{**EDITS[0], "occurrence": 2}]}])
        yield "content beside edits", reply([{**edit, "content": "x"}])


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def check_jsonschema(version, wire, canonical):
    for schema in (wire, canonical):
        jsonschema.Draft202012Validator.check_schema(schema)
    for name, sample in accepted(version):
        jsonschema.validate(sample, wire)
        jsonschema.validate(without_nulls(sample), canonical)
    for name, sample in refused(version):
        assert not jsonschema.Draft202012Validator(wire).is_valid(sample), f"accepts: {name}"


def check_openai(version, wire, canonical):
    mine = copy.deepcopy(wire)
    theirs = openai_strict(mine, path=(), root=mine)
    # Byte for byte: the order of properties is the order in which a model writes them.
    assert json.dumps(theirs) == json.dumps(wire), "the SDK's strict rewriter changes the schema"
    # Limits of the structured-output guide.
    text = json.dumps(wire)
    assert text.count('"properties"') and depth(wire) <= 10, f"nested {depth(wire)} levels deep"
    assert properties(wire) <= 5000, f"{properties(wire)} properties"


def depth(node):
    inner = [*node.get("properties", {}).values(), *node.get("anyOf", []), *([node["items"]] if "items" in node else [])]
    own = 1 if "properties" in node or "items" in node else 0
    return own + max(map(depth, inner), default=0)


def properties(node):
    inner = [*node.get("properties", {}).values(), *node.get("anyOf", []), *([node["items"]] if "items" in node else [])]
    return len(node.get("properties", {})) + sum(map(properties, inner))


def check_llguidance(version, wire, canonical):
    tokenizer = llguidance.LLTokenizer("byte")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(wire))
    failed, messages = llguidance.LLMatcher.validate_grammar_with_warnings(grammar, tokenizer)
    assert not failed and not messages, f"{messages}"

    def takes(sample):
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        tokens = tokenizer.tokenize_str(json.dumps(sample, ensure_ascii=False))
        return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

    for name, sample in accepted(version):
        assert takes(sample), f"refuses: {name}"
    for name, sample in refused(version):
        assert not takes(sample), f"accepts: {name}"
    for seed in range(20):
        text = random_walk(tokenizer, grammar, random.Random(seed))
        jsonschema.validate(json.loads(text), wire)
        jsonschema.validate(without_nulls(json.loads(text)), bounded(canonical))


def bounded(canonical):
    """Leaves out bounds of numbers and lists: the wire form has none, so a random walk ignores them."""
    if isinstance(canonical, dict):
        bounds = ("minimum", "maximum", "minItems", "maxItems", "minLength")
        return {key: bounded(item) for key, item in canonical.items() if key not in bounds}
    return [bounded(item) for item in canonical] if isinstance(canonical, list) else canonical


def random_walk(tokenizer, grammar, rng):
    """Lets the engine write a document of its own: any byte it allows, closing ones more and more often."""
    matcher, out = llguidance.LLMatcher(tokenizer, grammar), []
    for step in range(50_000):
        mask = matcher.compute_bitmask()
        allowed = [token for token in range(tokenizer.vocab_size) if mask[token // 8] >> (token % 8) & 1]
        if tokenizer.eos_token in allowed:
            return bytes(out).decode()
        plain = [token for token in allowed if 0x20 < token < 0x7F and token != 0x5C] or allowed
        closing = [token for token in plain if chr(token) in '"]}']
        token = rng.choice(closing if closing and rng.random() < 0.1 + step / 5000 else plain)
        assert matcher.consume_token(token), matcher.get_error()
        out.append(token)
    raise AssertionError("the random walk does not come to an end")


def check_outlines(version, wire, canonical):
    pattern = re.compile(build_regex_from_schema(json.dumps(wire)))
    for name, sample in accepted(version):
        # The engine's strings hold characters beyond ASCII as they are, never as \u escapes.
        assert pattern.fullmatch(json.dumps(sample, ensure_ascii=False)), f"refuses: {name}"
    for name, sample in refused(version):
        assert not pattern.fullmatch(json.dumps(sample, ensure_ascii=False)), f"accepts: {name}"


def main(folder):
    failed = False
    checks = {"jsonschema": check_jsonschema, "openai": check_openai, "llguidance": check_llguidance, "outlines-core": check_outlines}
    schemas = [
        (1, "llm_response_schema.json", "papayu_reply_v1.json"),
        (2, "llm_response_schema_v2.json", "papayu_reply_v2.json"),
        (3, "llm_response_schema_v3.json", "papayu_reply_v3.json"),
        *((form, f"{form}_schema.json", f"papayu_{form}.json") for form in FORMS),
    ]
    for version, canonical, wire in schemas:
        canonical = json.loads((folder / canonical).read_text())
        wire = json.loads((folder / "wire" / wire).read_text())
        for name, check in checks.items():
            try:
                check(version, wire, canonical)
                verdict = "ok"
            except Exception as error:
                failed, verdict = True, f"FAIL {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            print(f"{version} {name:<14} {verdict}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
