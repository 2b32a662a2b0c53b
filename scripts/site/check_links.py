"""check_links.py SITE: every relative link of the pages leads to a file, and to a place in it. Prints a line
for each that does not and exits with 1."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.update(value for value in (found.get("id"), found.get("name")) if value)
        for name in ("href", "src"):
            if found.get(name):
                self.links.append(found[name])


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    bad, count = [], 0
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                bad.append(f"{file.relative_to(site)}: {link}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                bad.append(f"{file.relative_to(site)}: {link}: no such place")
    print("\n".join(sorted(set(bad))) if bad else f"{len(pages)} pages, {count} links lead somewhere")
    return bool(bad)


sys.exit(main())
