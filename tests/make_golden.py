"""Writes golden_traces from real runs against the scripted model; see golden_traces/README.md."""

import json
import subprocess
import sys
from pathlib import Path

import scripted_replies as replies
from scripted_model import CHECK, EXAMPLE, ROOT, Run, program
from scripted_replies import DIAGNOSIS, change, plan

SOURCE = (EXAMPLE / replies.PARSER).read_text()
FIX = ["fix", "--run", CHECK]
# No command proves these: they show one kind of action each.
GOAL = ["fix", "--goal", "apply: as scripted", "--max-attempts", "1"]
WANTED = [
    {"type": "read_file", "path": "src/values.py", "start_line": 1, "end_line": 5},
    {"type": "search", "query": "parse_value", "glob": "src/**"},
    {"type": "logs", "source": "failure", "last_n": 20},
]
MORE = plan("src/values.py may matter too.", *WANTED)
ONE_ROUND = {"PAPAYU_MAX_CONTEXT_ROUNDS": "1"}
# The text of tool calls is kept, because their validated reply does not show how they were read.
RAW = {"PAPAYU_TRACE_RAW": "1"}
NO_FALLBACK = {"PAPAYU_PROTOCOL_FALLBACK_TO_V1": "0"}
NO_CHANGES = change("NO_CHANGES: the parser does as it is asked")
UNKNOWN_KIND = change("Runs a command.", {"kind": "RUN_COMMAND", "path": "x", "content": "ls"})
FORBIDDEN = change("Adds a key.", {"kind": "CREATE_FILE", "path": ".env", "content": "KEY=1\n"})
CREATE = [
    {"kind": "CREATE_DIR", "path": "docs"},
    {"kind": "CREATE_FILE", "path": "docs/format.md", "content": "# The format\n\nOne setting a line.\n"},
]
DELETE = [
    {"kind": "DELETE_FILE", "path": "src/values.py"},
    {"kind": "DELETE_DIR", "path": "tests"},
]
RANGE = {
    "kind": "REPLACE_RANGE",
    "path": replies.PARSER,
    "base_sha256": "@",
    "start_line": 17,
    "end_line": 17,
    "content": replies.FIXED_LOOP,
}
NEW_FILE = {"kind": "UPDATE_FILE", "path": "src/empty.py", "content": "NOTHING = {}\n"}
# A whole line, and a piece of one near an anchor.
EDIT = replies.edit(("replace", "", replies.LOOP, replies.FIXED_LOOP))
PIECE = replies.edit(("replace", "def parse(text):", "text.splitlines()", '(text or "").splitlines()'))
EVERY_OP = replies.edit(
    ("insert_after", "from src.values import parse_value", "", "\n\nNOTHING = {}\n"),
    ("delete", "class ParseError", '    """A line that is neither a setting nor a comment."""\n\n', ""),
    ("insert_before", "def parse(text):", "    settings = {}\n", "    if text is None:\n        return NOTHING\n"),
    ("replace", "def strip_comment", 'partition("#")[0].strip()', 'split("#")[0].strip()'),
)
TWICE = replies.edit(("replace", "def parse(text):", "line", "row"))
NO_ANCHOR = replies.edit(("replace", "def load(stream):", "options = {}", "options = []"))
FAR = replies.edit(("replace", "def parse(text):", "stream.read()", "text"))
CLASHING = replies.edit(
    ("replace", "", "    settings = {}\n" + replies.LOOP, replies.FIXED_LOOP),
    ("delete", "def parse(text):", replies.LOOP, ""),
)
UNKNOWN_OP = replies.edit(("append", "", "settings", "more"))
# Tool calls in the forms of chat templates: Qwen's and Mistral's.
READ_CALL = (
    "I need more of the code.\n<tool_call>\n"
    + json.dumps({"name": "read_file", "arguments": {"path": "src/values.py", "start_line": 1, "end_line": 5}})
    + "\n</tool_call>"
)
EDIT_ARGUMENTS = {"path": replies.PARSER, "start": 17, "end": 17, "content": replies.FIXED_LOOP}
EDIT_CALLS = "[TOOL_CALLS]" + json.dumps(
    [{"name": "edit_lines", "arguments": EDIT_ARGUMENTS}, {"name": "run_tests", "arguments": {}}]
)
REPLACE_CALL = (
    f"<tool_call>\n<function=str_replace>\n<parameter=path>\n{replies.PARSER}\n</parameter>\n"
    '<parameter=old_str>\ntext.splitlines()\n</parameter>\n'
    '<parameter=new_str>\n(text or "").splitlines()\n</parameter>\n</function>\n</tool_call>'
)
# v3 always has v2 to fall back to; a limit on requests ends the run before it does.
TWO_REQUESTS = [*GOAL, "--max-requests", "2"]
BAD, GOOD = replies.patch(replies.MISREMEMBERED), replies.patch(replies.FITTING)
REWRITE = replies.rewrite(SOURCE)
V1_VARIABLES = {"PAPAYU_PROTOCOL_VERSION": "1"}
V3_VARIABLES = {"PAPAYU_PROTOCOL_VERSION": "3"}

# File, mode of the trace kept, arguments, replies, variables.
V2 = [
    ("001_plan", "plan", ["plan", "--run", CHECK], [DIAGNOSIS], {}),
    ("002_plan_after_context", "plan", ["plan", "--run", CHECK], [MORE, DIAGNOSIS], {}),
    ("003_plan_wants_context", "plan", ["plan", "--run", CHECK], [MORE, MORE], ONE_ROUND),
    ("004_patch_file", "apply", FIX, [DIAGNOSIS, GOOD], {}),
    ("005_replace_range", "apply", FIX, [DIAGNOSIS, change("Reads it as empty.", RANGE)], {}),
    ("006_create", "apply", GOAL, [change("Documents the format.", *CREATE)], {}),
    ("007_update_new_file", "apply", GOAL, [change("Adds a module.", NEW_FILE)], {}),
    ("008_delete", "apply", [*GOAL, "--allow-delete", "--allow-test-edits"],
     [change("Removes what is unused.", *DELETE)], {}),
    ("009_no_changes", "apply", GOAL, [NO_CHANGES], {}),
    ("010_apply_after_repair", "apply", FIX, [DIAGNOSIS, BAD, GOOD], {}),
    ("011_patch_never_fits", "apply", FIX, [DIAGNOSIS, BAD, BAD], NO_FALLBACK),
    ("012_schema_failure", "apply", GOAL, [UNKNOWN_KIND, UNKNOWN_KIND], {}),
    ("013_update_existing", "apply", FIX, [DIAGNOSIS, REWRITE, REWRITE], NO_FALLBACK),
    ("014_forbidden_path", "apply", GOAL, [FORBIDDEN], {}),
    ("015_apply_after_fallback", "apply", FIX, [DIAGNOSIS, TWICE, NO_ANCHOR, GOOD], V3_VARIABLES),
    ("016_direct", "direct", FIX, [GOOD], {}),
    ("017_direct_after_context", "direct", FIX, [MORE, GOOD], {}),
    ("018_direct_after_repair", "direct", FIX, [BAD, GOOD], {}),
    ("019_tool_call_wants_context", "plan", ["plan", "--run", CHECK], [READ_CALL, READ_CALL],
     {**ONE_ROUND, **RAW}),
    ("020_tool_calls_change", "direct", FIX, [EDIT_CALLS], RAW),
]
V1 = [
    ("001_plan", "plan", ["plan", "--run", CHECK], [DIAGNOSIS], V1_VARIABLES),
    ("002_plan_wants_context", "plan", ["plan", "--run", CHECK], [MORE, MORE],
     {**V1_VARIABLES, **ONE_ROUND}),
    ("003_update_file", "apply", FIX, [DIAGNOSIS, REWRITE], V1_VARIABLES),
    ("004_create_as_array", "apply", GOAL, [CREATE], V1_VARIABLES),
    ("005_proposed_changes", "apply", GOAL,
     [{"proposed_changes": {"actions": CREATE}, "summary": "Documents the format."}], V1_VARIABLES),
    ("006_delete", "apply", [*GOAL, "--allow-delete", "--allow-test-edits"],
     [change("Removes what is unused.", *DELETE)], V1_VARIABLES),
    ("007_no_changes", "apply", GOAL, [NO_CHANGES], V1_VARIABLES),
    ("008_apply_after_fallback", "apply", FIX, [DIAGNOSIS, BAD, BAD, REWRITE], {}),
    ("009_schema_failure", "apply", GOAL, [UNKNOWN_KIND, UNKNOWN_KIND], V1_VARIABLES),
    ("010_forbidden_path", "apply", GOAL, [FORBIDDEN], V1_VARIABLES),
    ("011_apply_after_two_fallbacks", "apply", FIX,
     [DIAGNOSIS, TWICE, NO_ANCHOR, BAD, BAD, REWRITE], V3_VARIABLES),
]
V3 = [
    ("001_plan", "plan", ["plan", "--run", CHECK], [DIAGNOSIS], V3_VARIABLES),
    ("002_plan_after_context", "plan", ["plan", "--run", CHECK], [MORE, DIAGNOSIS], V3_VARIABLES),
    ("003_plan_wants_context", "plan", ["plan", "--run", CHECK], [MORE, MORE],
     {**V3_VARIABLES, **ONE_ROUND}),
    ("004_edit_file", "apply", FIX, [DIAGNOSIS, EDIT], V3_VARIABLES),
    ("005_edit_near_anchor", "apply", FIX, [DIAGNOSIS, PIECE], V3_VARIABLES),
    ("006_every_operation", "apply", FIX, [DIAGNOSIS, EVERY_OP], V3_VARIABLES),
    ("007_patch_file", "apply", FIX, [DIAGNOSIS, GOOD], V3_VARIABLES),
    ("008_replace_range", "apply", FIX, [DIAGNOSIS, change("Reads it as empty.", RANGE)],
     V3_VARIABLES),
    ("009_create", "apply", GOAL, [change("Documents the format.", *CREATE)], V3_VARIABLES),
    ("010_update_new_file", "apply", GOAL, [change("Adds a module.", NEW_FILE)], V3_VARIABLES),
    ("011_delete", "apply", [*GOAL, "--allow-delete", "--allow-test-edits"],
     [change("Removes what is unused.", *DELETE)], V3_VARIABLES),
    ("012_no_changes", "apply", GOAL, [NO_CHANGES], V3_VARIABLES),
    ("013_edit_after_repair", "apply", FIX, [DIAGNOSIS, TWICE, EDIT], V3_VARIABLES),
    ("014_edit_ambiguous", "apply", TWO_REQUESTS, [TWICE, TWICE], V3_VARIABLES),
    ("015_edit_anchor_not_found", "apply", TWO_REQUESTS, [NO_ANCHOR, NO_ANCHOR], V3_VARIABLES),
    ("016_edit_before_not_found", "apply", TWO_REQUESTS, [FAR, FAR], V3_VARIABLES),
    ("017_edits_clash", "apply", [*GOAL, "--max-requests", "1"], [CLASHING], V3_VARIABLES),
    ("018_schema_failure", "apply", GOAL, [UNKNOWN_OP, UNKNOWN_OP], V3_VARIABLES),
    ("019_update_existing", "apply", FIX, [DIAGNOSIS, REWRITE, REWRITE],
     {**V3_VARIABLES, **NO_FALLBACK}),
    ("020_forbidden_path", "apply", GOAL, [FORBIDDEN], V3_VARIABLES),
    ("021_direct", "direct", FIX, [EDIT], V3_VARIABLES),
    ("022_direct_after_context", "direct", FIX, [MORE, EDIT], V3_VARIABLES),
    ("023_tool_call_change", "direct", FIX, [REPLACE_CALL], {**V3_VARIABLES, **RAW}),
]


def golden(binary, file, mode, run):
    """Writes the golden form of the run's last trace of that mode."""
    for trace in reversed(run.outcome.get("trace_paths", [])):
        if f'"mode":"{mode}"' in Path(trace).read_text():
            subprocess.run([binary, "trace", "to-golden", trace, "--output", file], check=True)
            return
    raise SystemExit(f"{file}: no {mode} trace\n{run.stderr}")


def main():
    target = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "golden_traces"
    binary = program()
    for folder, exchanges in [("v1", V1), ("v2", V2), ("v3", V3)]:
        for old in (target / folder).glob("0*.json"):
            old.unlink()
        for name, mode, arguments, script, variables in exchanges:
            with Run(binary, arguments, script, variables) as run:
                golden(binary, target / folder / f"{name}.json", mode, run)


if __name__ == "__main__":
    main()
