"""A module. TODO: not a comment"""
from __future__ import annotations, division
import os, sys as system
import a.b.c
import a.b as ab
from . import sibling
from .. pkg.mod import (one, two as deux,
    three)
from star import *
from .same import same as same
import importlib

if TYPE_CHECKING:
    from typing import Any
try:
    import fast
except ImportError:
    import slow as fast

LIMIT: int = 10
a = b = 1
a = 2
x, (y, *z) = values
_private = 1
bare: str
object.attribute = 1
items[0] = 1
type Pair[T] = tuple[T, T]

plugin = importlib.import_module("plugins.one")
__import__("two")


# TODO(bob): in a comment
@decorator(argument())
@other
class Store(Base, metaclass=Meta):
    """Doc."""

    kind = "store"
    size: int
    kind = "again"
    if LIMIT:
        conditional = 1

    def __init__(self, db):
        self.db = db
        self.a, self._b = db
        self.db = None
        other.c = 1

        def inner():
            self.not_here = 1

    @property
    async def total(self) -> int:
        import inside
        if self.a:
            pass
        elif self._b:
            for x in y:
                while x:
                    self.save(lambda: helper())
        return self._sum()

    def _sum(self): ...

    class Meta:
        ordering = []


async def fetch(url: str,
                *, retries=3) -> "Response":
    def nested():
        return get(url)
    return nested()


def _hidden(): pass
