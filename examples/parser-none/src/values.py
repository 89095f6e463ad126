"""Turns the text of a value into a boolean, a number or a string."""

WORDS = {"true": True, "false": False}


def parse_value(text):
    """Returns the value that `text` spells; quotes keep a string a string."""
    if text in WORDS:
        return WORDS[text]
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        return int(text)
    except ValueError:
        return text
