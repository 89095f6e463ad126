#!/usr/bin/env python3
"""Checks request bodies against the types of the vendors' own SDKs (see requirements.txt).

usage: sdk_types.py FILE ...    one JSON body a file, or an insta snapshot of one; `.jsonl` holds many

The vendor is read from the file's name: it must contain `responses`, `openai`, `anthropic`,
`gemini` or `ollama`. Keys that
the SDK does not know are refused at every level. Prints a line a body; exits 1 when any is wrong.
"""

import json
import sys
import typing
from pathlib import Path

import typing_extensions
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError


def openai_type():
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    return CompletionCreateParamsNonStreaming


def anthropic_type():
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return MessageCreateParamsNonStreaming


def ollama_type():
    from ollama._types import ChatRequest, Message, Options

    # The SDK itself takes any mapping in these two places; its own models say more.
    class StrictChatRequest(ChatRequest):
        messages: list[Message]
        options: Options

    return StrictChatRequest


def responses_type():
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    return ResponseCreateParamsNonStreaming


def gemini_type():
    from google.genai.types import Content, GenerationConfig
    from pydantic import Field

    # The SDK makes this body from flat arguments and has no type of it.
    class GenerateContentRequest(BaseModel):
        contents: list[Content]
        system_instruction: Content = Field(alias="systemInstruction")
        generation_config: GenerationConfig = Field(alias="generationConfig")

    return GenerateContentRequest


# The name `openai-responses` contains two of them.
VENDORS = {
    "responses": responses_type,
    "openai": openai_type,
    "anthropic": anthropic_type,
    "gemini": gemini_type,
    "ollama": ollama_type,
}


def refuse_unknown_keys(kind, seen):
    """Marks a type, and every type it is made of, so that pydantic refuses keys it does not name."""
    if id(kind) in seen:
        return
    seen.add(id(kind))
    parts = typing.get_args(kind)
    if typing_extensions.is_typeddict(kind):
        kind.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        parts = typing_extensions.get_type_hints(kind, include_extras=True).values()
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        kind.model_config["extra"] = "forbid"
        parts = [field.annotation for field in kind.model_fields.values()]
    for part in parts:
        if not isinstance(part, str):
            refuse_unknown_keys(part, seen)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        kind.model_rebuild(force=True)


def read_through(value):
    """Reads lazily validated lists to their end: pydantic judges an Iterable only as it is read."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ValidatorIterator":
        for part in value:
            read_through(part)


def bodies(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if path.suffix == ".snap":
        text = text.split("\n---\n", 1)[1]
    return [json.loads(text)]


def complaints(adapter, body):
    try:
        read_through(adapter.validate_python(body))
    except ValidationError as error:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return []


def main(files):
    if not files:
        sys.exit(__doc__)
    wrong = 0
    adapters = {}
    for path in map(Path, files):
        vendor = next((vendor for vendor in VENDORS if vendor in path.name), None)
        if vendor is None:
            sys.exit(f"{path}: the name says no vendor")
        if vendor not in adapters:
            kind = VENDORS[vendor]()
            refuse_unknown_keys(kind, set())
            adapters[vendor] = TypeAdapter(kind)
        for number, body in enumerate(bodies(path), 1):
            found = complaints(adapters[vendor], body)
            wrong += bool(found)
            print(f"{'FAIL' if found else 'ok  '} {path.name}:{number} {'; '.join(found[:6])}".rstrip())
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
