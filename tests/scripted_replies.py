"""Replies for the scripted model, about the example `parser-none`."""

PARSER = "src/parser.py"

LOOP = "    for number, line in enumerate(text.splitlines(), start=1):\n"
FIXED_LOOP = '    for number, line in enumerate((text or "").splitlines(), start=1):\n'
DOCUMENTED = (
    '    """Returns the settings in `text` as a dictionary; no text means no settings."""\n'
)
FITTING = (
    "--- a/src/parser.py\n+++ b/src/parser.py\n@@ -14,7 +14,7 @@\n def parse(text):\n"
    f" {DOCUMENTED}     settings = {{}}\n-{LOOP}+{FIXED_LOOP}"
    "         line = strip_comment(line)\n         if not line:\n             continue\n"
)
# What a model writes that remembers another version of the file.
MISREMEMBERED = (
    "--- a/src/parser.py\n+++ b/src/parser.py\n@@ -9,6 +9,8 @@\n def load(stream):\n"
    "+    if stream is None:\n+        return {}\n     options = {}\n"
    "     for row in stream.read().split(';'):\n         options.update(read_row(row))\n"
    "     return options\n"
)


def plan(summary, *context_requests):
    return {"actions": [], "summary": summary, "context_requests": list(context_requests)}


DIAGNOSIS = plan(
    "`parse(None)` calls `None.splitlines()`. In src/parser.py, `parse` reads no text as empty "
    "text. Verify: the failing test and the three beside it."
)


def change(summary, *actions):
    return {"actions": list(actions), "summary": summary}


def patch(text):
    action = {"kind": "PATCH_FILE", "path": PARSER, "base_sha256": "@", "patch": text}
    return change("No text is read as empty text.", action)


def edit(*edits):
    """Returns the v3 change of these edits, each an operation, anchor, before and after."""
    names = ["op", "anchor", "before", "after"]
    edits = [dict(zip(names, texts)) for texts in edits]
    action = {"kind": "EDIT_FILE", "path": PARSER, "base_sha256": "@", "edits": edits}
    return change("No text is read as empty text.", action)


def rewrite(source):
    """Returns the v1 change: the whole file of the example, its loop mended."""
    action = {"kind": "UPDATE_FILE", "path": PARSER, "content": source.replace(LOOP, FIXED_LOOP)}
    return change("No text is read as empty text.", action)
