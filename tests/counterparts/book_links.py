#!/usr/bin/env python3
"""book_links.py FOLDER: checks that every local link in the HTML pages of a book leads to a file and an anchor.

Prints the number of links, or the broken ones and ends with code 1.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []
        self.anchors = set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def read(path):
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def main(folder):
    pages = {path.resolve(): read(path) for path in folder.rglob("*.html")}
    count, broken = 0, []
    for path, page in pages.items():
        # The page for unknown addresses has links from the root of the site, and the printed book has no pages of its own.
        if path.name in ("404.html", "toc.html"):
            continue
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            count += 1
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            found = pages.get(target)
            anchor = unquote(address.fragment)
            if not target.exists():
                broken.append(f"{path.name}: {link}: no file")
            elif anchor and found and anchor not in found.anchors:
                broken.append(f"{path.name}: {link}: no anchor")
    if broken:
        sys.exit("\n".join(broken))
    print(count, "links")


main(Path(sys.argv[1]))
