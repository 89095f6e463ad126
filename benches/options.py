"""Reads the options of the scripts."""


def take_number(args, name, default):
    """Takes `name N` out of the arguments and returns N, or the default."""
    if name not in args:
        return default
    at = args.index(name)
    value = int(args[at + 1])
    del args[at:at + 2]
    return value
