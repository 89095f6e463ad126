"""Reads `key = value` settings, one a line, `#` begins a comment."""

from src.values import parse_value


class ParseError(ValueError):
    """A line that is neither a setting nor a comment."""

    def __init__(self, number, line):
        super().__init__(f"line {number}: expected `key = value`, found {line!r}")
        self.number = number


def parse(text):
    """Returns the settings in `text` as a dictionary; no text means no settings."""
    settings = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = strip_comment(line)
        if not line:
            continue
        key, separator, value = line.partition("=")
        if not separator or not key.strip():
            raise ParseError(number, line)
        settings[key.strip()] = parse_value(value.strip())
    return settings


def strip_comment(line):
    """Returns the line without its comment and without the space around it."""
    return line.partition("#")[0].strip()
