"""headers.py INCLUDE FOLDER PAGES: the public headers as Doxygen reads them, and a page for each in the site.

headers.py --warnings LOG: prints what Doxygen says of members without a comment, and exits with 1 if there
are any
headers.py --prepare XML: makes Doxygen's output ready for Breathe

In a header a comment before several declarations without an empty line between them is that of all, and so is
one behind several names; Doxygen gets it once for each.
"""

import re
import sys
from pathlib import Path

COMPONENTS = {
    "": "Core: models and algorithms",
    "geometry": "Core: connections",
    "json": "Models as JSON",
    "mujoco": "MuJoCo",
}
# Linked from the index alone: a tree of hundreds of pages beside each page takes Sphinx minutes.
PAGE = """---
orphan: true
---

# {inner}

    #include "{name}"

```{{eval-rst}}
.. doxygenfile:: {name}
   :sections: briefdescription detaileddescription innerclass func public-type public-attrib
      public-static-attrib public-func public-static-func define
```
"""
HEAD = re.compile(
    r"\s*(?:(?:class|struct|enum|union|namespace|extern|template)\b.*\{\s*(?:///.*)?$|\}"
    r"|(?:public|protected|private):)"
)
NAME = r"\w+(?:\s*=\s*[^,;()]+)?"
NAMES = re.compile(
    rf"^(\s*(?:[\w:<>,]|(?<=,) |(?<=[\w>]) (?=[\w:]))+?[\s&*]+)({NAME}(?:, {NAME})+);\s*(///<.*)?$"
)


def split_names(line):
    """`double a, b;  ///< both` as a line for each name."""
    match = NAMES.match(line)
    if not match:
        return [line]
    kind, names, comment = match.groups()
    return [f"{kind}{name};  {comment or ''}" for name in names.split(", ")]


def declared_apart(match):
    return "\n".join(f"extern const {match[1]} {name.strip()};" for name in match[2].split(","))


def is_comment(line):
    return line.lstrip().startswith("///") and not line.lstrip().startswith("///<")


def depth(line):
    code = re.sub(r'"(?:\\.|[^"\\])*"|//.*', "", line)
    return code.count("{") - code.count("}")


def regrouped(lines):
    """The lines with a comment and what stands below it, up to an empty line, a comment or the brace of a
    class, as a group."""
    result, at = [], 0
    while at < len(lines):
        if not is_comment(lines[at]):
            result += split_names(lines[at])
            at += 1
            continue
        comment, body, level = [], [], 0
        while at < len(lines) and is_comment(lines[at]):
            comment.append(lines[at])
            at += 1
        while at < len(lines) and lines[at].strip() and not (level == 0 and is_comment(lines[at])):
            if level == 0 and HEAD.match(lines[at]):
                break
            level += depth(lines[at])
            body += split_names(lines[at])
            at += 1
        several = sum(1 for line in body if re.search(r"[;}]\s*(?:///<.*)?$", line)) > 1
        result += ["///@{", *comment, *body, "///@}"] if several else [*comment, *body]
    return result


def write(include, folder, pages):
    listed = {}
    for header in sorted(include.rglob("*.h")):
        if not header.exists():
            continue
        name = header.relative_to(include)
        component = name.parts[1] if len(name.parts) > 2 else ""
        if component not in COMPONENTS:
            continue
        text = header.read_text(encoding="utf-8")
        text = re.sub(r"^extern const (\w+) ([^;()]*);", declared_apart, text, flags=re.MULTILINE)
        text = "\n".join(regrouped(text.split("\n")))
        text = re.sub(r"@throws?\b", "**Throws**", text)  # Sphinx takes what follows for one C++ name
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        inner = name.relative_to("civita")
        listed.setdefault(component, []).append(name)
        page = pages / inner.with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(PAGE.format(inner=inner, name=name), encoding="utf-8")
    table = "[what computes what](../docs/library.md#what-computes-what)"
    lines = ["# C++ reference\n", f"Headers by component; {table} has a table of them.\n"]
    for component, title in COMPONENTS.items():
        names = [str(name.relative_to("civita").with_suffix("")) for name in listed.get(component, [])]
        lines += [f"## {title}\n", *(f"- [{name}.h]({name}.md)" for name in names), ""]
    (pages / "index.md").write_text("\n".join(lines), encoding="utf-8")


def undocumented(log):
    """Lines of the log by header, one for each place."""
    found = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        match = re.match(r".*/headers/civita/([\w/]+\.h):(\d+): warning: (.*is not documented\.)", line)
        if match:
            found.setdefault(match[1], {}).setdefault(int(match[2]), match[3])
    return found


def check(log):
    found = undocumented(log)
    for header, lines in found.items():
        print(f"civita/{header}: {len(lines)} members without a comment")
        print("\n".join(f"  {text}" for text in lines.values()))
    return bool(found)


def without_values(text):
    """Without initial values in braces, which Sphinx does not read."""
    return re.sub(r" *<initializer>[^<]*\{.*?</initializer>\n", "", text, flags=re.DOTALL)


def prepare(xml):
    """Gives headers their paths as names in Doxygen's index, by which Breathe looks for them, and what a
    header declares in a namespace to its own file, as Breathe goes through the whole namespace otherwise."""
    members = {}
    for file in sorted(xml.glob("namespace*.xml")):
        for member in re.findall(
            r"      <memberdef .*?</memberdef>\n", file.read_text(encoding="utf-8"), re.DOTALL
        ):
            place = re.search(r'<location file="([^"]*)"', member)[1]
            members.setdefault(place, []).append(without_values(member))
    paths = {}
    for file in sorted(xml.glob("*_8h.xml")):
        text = file.read_text(encoding="utf-8")
        paths[file.stem] = re.search(r'\n    <location file="([^"]*)"/>', text)[1]
        own = "".join(members.get(paths[file.stem], []))
        text = re.sub(r"    <innernamespace .*?</innernamespace>\n", "", text)
        section = f'    <sectiondef kind="func">\n{own}      </sectiondef>\n' if own else ""
        file.write_text(
            text.replace("\n    <briefdescription>", f"\n{section}    <briefdescription>", 1),
            encoding="utf-8",
        )
    for file in [*xml.glob("class*.xml"), *xml.glob("struct*.xml")]:  # groups of a class, which have no title
        text = file.read_text(encoding="utf-8")
        text = without_values(text.replace('kind="user-defined"', 'kind="public-func"'))
        file.write_text(text, encoding="utf-8")
    index = xml / "index.xml"
    text = index.read_text(encoding="utf-8")
    text = re.sub(r'(<compound refid="([^"]*)" kind="file">)<name>[^<]*</name>',
                  lambda match: f"{match[1]}<name>{paths[match[2]]}</name>", text)  # fmt: skip
    index.write_text(text, encoding="utf-8")


def main():
    if sys.argv[1] == "--prepare":
        prepare(Path(sys.argv[2]))
        return 0
    if sys.argv[1] == "--warnings":
        return check(Path(sys.argv[2]))
    include, folder, pages = (Path(argument).resolve() for argument in sys.argv[1:])
    write(include, folder, pages)
    return 0


sys.exit(main())
