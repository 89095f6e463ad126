"""Reads the scenarios of tests/scenarios."""


def read(path):
    """Returns the command of a scenario, if it has one, and the text of each of its files."""
    command, files, section = None, {}, None
    for line in open(path).read().splitlines(keepends=True)[1:]:
        if line.startswith("-- ") and line.rstrip().endswith(" --"):
            section = line.rstrip()[3:-3]
            files[section] = ""
        elif section is None and line.startswith("$ "):
            command = line[2:].strip()
        elif section:
            files[section] += line
    return command, files
