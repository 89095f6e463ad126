"""Records examples/parser-none/recordings again; run it when prompts or the format of recordings change."""

import scripted_replies as replies
from scripted_model import CHECK, EXAMPLE, Run, program

SESSIONS = {
    "repair": [
        replies.DIAGNOSIS,
        replies.patch(replies.MISREMEMBERED),
        replies.patch(replies.FITTING),
    ],
    "fallback": [
        replies.DIAGNOSIS,
        replies.patch(replies.MISREMEMBERED),
        replies.patch(replies.MISREMEMBERED),
        replies.rewrite((EXAMPLE / replies.PARSER).read_text()),
    ],
}


def main():
    binary = program()
    for name, session in SESSIONS.items():
        file = EXAMPLE / f"recordings/{name}.jsonl"
        with Run(binary, ["fix", "--run", CHECK, "--record", file], session) as run:
            if run.outcome.get("outcome") != "fixed":
                raise SystemExit(f"{name}: {run.stderr}")


if __name__ == "__main__":
    main()
