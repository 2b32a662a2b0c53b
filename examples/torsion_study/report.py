"""python report.py DIR [--docs DIR]: tables, figures and page of what study.py has run into DIR.

Writes a table of each experiment that has runs, A.csv and so on, and the figures, into
docs/study, and the part "When the choice of C matters" of docs/study.md, which is made of the tables alone:
`report.py --page` makes it of the tables that there are.
"""

from __future__ import annotations

import argparse
import pathlib
import string

import pandas
import sections
import tables

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
BEGIN, END = "<!-- study: examples/torsion_study/report.py -->\n", "<!-- end of study -->"


def write_part(folder: pathlib.Path) -> str:
    """The text of page.md.in, then that of each experiment that has a table, each with its numbers."""
    found = [letter for letter in sections.SECTIONS if (folder / f"{letter}.csv").exists()]
    texts = [fill(HERE / "page.md.in", {})]
    for letter in found:
        (text,) = HERE.glob(f"{letter}_*.md.in")
        table = pandas.read_csv(folder / f"{letter}.csv")
        texts.append(fill(text, sections.SECTIONS[letter](table, folder)))
    texts.append(fill(HERE / "end.md.in", {}))
    return "\n" + "\n".join(texts) + "\n"


def write_page(folder: pathlib.Path) -> None:
    """The part of the page beside the folder, or the page alone where there is none."""
    page = folder.with_suffix(".md")
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    before, _, rest = old.partition(BEGIN)
    page.write_text(before + BEGIN + write_part(folder) + END + rest.partition(END)[2], encoding="utf-8")


def fill(file: pathlib.Path, numbers: dict[str, object]) -> str:
    head = f"| {' | '.join(sections.HEAD)} |\n|{'---|' * len(sections.HEAD)}"
    return string.Template(file.read_text(encoding="utf-8")).substitute(numbers, head=head)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=pathlib.Path, nargs="?", help="the folder of study.py")
    parser.add_argument("--docs", type=pathlib.Path, default=DOCS, help="where the page goes")
    parser.add_argument(
        "--page", action="store_true", help="the page and figures of the tables that there are"
    )
    arguments = parser.parse_args()
    folder = arguments.docs / "study"
    folder.mkdir(parents=True, exist_ok=True)
    if not arguments.page:
        if arguments.runs is None:
            parser.error("name the folder of study.py, or --page")
        tables.collect(arguments.runs, folder)
    write_page(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
