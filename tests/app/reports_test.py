#!/usr/bin/env python3
"""reports_test.py PROGRAM [--pictures DIR]: the pages of reports in Chromium, at 1280 and at 400 pixels.

Points at curves, hides lines, enlarges stretches, and looks at what the page then says. Exit code 77 where
Chromium is not installed.
"""

import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = (1280, 400)
SKIPPED = 77

# Runs in the page after its own script; posts what it found to the page around it.
PROBE = r"""
<script>
(() => {
const found = {width: innerWidth, overflow: document.documentElement.scrollWidth - innerWidth, figures: []};
Element.prototype.setPointerCapture = () => {};
const fire = (plot, type, part) => {
  const area = plot.querySelector('.area'), box = area.getBoundingClientRect();
  const at = {clientX: box.left + part * box.width, clientY: box.top + box.height / 2};
  area.dispatchEvent(new PointerEvent(type, {...at, pointerId: 1, bubbles: true}));
};
const isVisible = node => node && getComputedStyle(node).display !== 'none';
for (const figure of document.querySelectorAll('figure')) {
  const plots = [...figure.querySelectorAll('section > svg')].filter(svg => svg.querySelector('.area'));
  if (!plots.length) continue;
  const plot = plots[0], note = plot.parentNode.querySelector('output'), result = {};
  const ticks = () => plot.querySelector('.ticks').innerHTML, path = () => plot.querySelector('.s path').getAttribute('d');
  const names = [...plot.querySelectorAll('.s')].map(s => s.dataset.name).filter(name => name);
  fire(plot, 'pointermove', 0.5);
  const box = note.getBoundingClientRect();
  result.note = {visible: isVisible(note), head: note.firstChild.textContent, left: box.left, right: box.right,
                 rows: [...note.querySelectorAll('span')].map(row => row.textContent)};
  result.names = names;
  const key = [...figure.querySelectorAll('.key')].find(k => k.dataset.name === names[0]);
  const line = [...plot.querySelectorAll('.s')].find(s => s.dataset.name === names[0]);
  key.click();
  fire(plot, 'pointermove', 0.5);
  result.hidden = {pressed: key.getAttribute('aria-pressed'), line: isVisible(line),
                   rows: note.querySelectorAll('span').length};
  key.click();
  result.shown = {pressed: key.getAttribute('aria-pressed'), line: isVisible(line)};
  fire(plot, 'pointerleave', 0.5);
  result.leaves = !isVisible(note);
  const before = [ticks(), path()];
  fire(plot, 'pointerdown', 0.3);
  fire(plot, 'pointermove', 0.6);
  fire(plot, 'pointerup', 0.6);
  result.enlarged = ticks() !== before[0] && path() !== before[1];
  fire(plot, 'pointermove', 0);
  result.from = note.firstChild.textContent;
  plot.querySelector('.area').dispatchEvent(new MouseEvent('dblclick'));
  result.restored = ticks() === before[0] && path() === before[1];
  const whole = figure.querySelector('.hint button');
  if (whole) {
    whole.click();
    result.whole = {enlarged: ticks() !== before[0], text: whole.textContent};
    whole.click();
    result.whole.restored = ticks() === before[0];
  }
  found.figures.push(result);
}
parent.postMessage(found, '*');
})();
</script>
"""

FRAME = r"""<!DOCTYPE html><meta charset="utf-8"><pre></pre>
<script>
const found = [];
addEventListener('message', event => {
  found.push(event.data);
  document.querySelector('pre').textContent = JSON.stringify(found);
});
</script>
"""


def chromium(*words):
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"]
    run = subprocess.run(
        [shutil.which("chromium"), *flags, *map(str, words)], capture_output=True, text=True, timeout=600
    )
    return run.stdout


def probe(page, folder):
    """What the probe finds in a page, by width."""
    errors = "<script>addEventListener('error', e => parent.postMessage({error: e.message}, '*'));</script>"
    text = page.read_text()
    probed = folder / "probed.html"
    probed.write_text(text.replace("<main>", errors + "<main>", 1).replace("</body>", PROBE + "</body>"))
    frames = "".join(
        f'<iframe src="probed.html" style="width:{w}px;height:900px;border:0"></iframe>' for w in WIDTHS
    )
    outer = folder / "frames.html"
    outer.write_text(FRAME + frames)
    dom = chromium("--dump-dom", f"--window-size={max(WIDTHS) + 100},2000", outer.as_uri())
    results = re.search(r"<pre>(.*?)</pre>", dom, re.DOTALL)
    return json.loads(html.unescape(results[1])) if results and results[1] else []


def number(text):
    """A number as pages write it: −1.25·10⁻³."""
    text = text.translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")).replace("\u2009", "")
    mantissa, _, exponent = text.partition("·10")
    return float(mantissa) * 10 ** int(exponent or 0)


def check(name, results):
    """The complaints about a page."""
    bad = [f"{name}: {r['error']}" for r in results if "error" in r]
    by_width = {r["width"]: r for r in results if "width" in r}
    if sorted(by_width) != sorted(WIDTHS):
        return bad + [f"{name}: answers at {sorted(by_width)} pixels"]
    for width, result in by_width.items():
        at = f"{name} at {width} pixels"

        def expect(holds, what, at=at):
            if not holds:
                bad.append(f"{at}: {what}")

        expect(result["overflow"] <= 0, f"is {result['overflow']} pixels wider")
        expect(result["figures"], "has no figure to point at")
        for figure in result["figures"]:
            note, names = figure["note"], figure["names"]
            expect(note["visible"], "pointing shows no values")
            expect(len(note["rows"]) == len(names), f"{len(note['rows'])} values of {len(names)} lines")
            for row in note["rows"]:
                value = row.rsplit(" ", 1)[1]
                try:
                    number(value)
                except ValueError:
                    expect(False, f"'{row}' ends with no number")
            expect(note["left"] >= 0 and note["right"] <= width, "values beyond the page")
            expect(re.fullmatch(r".+ \S+ \S*", note["head"]), f"head '{note['head']}'")
            hidden = {"pressed": "false", "line": False, "rows": len(names) - 1}
            expect(figure["hidden"] == hidden, f"a hidden line: {figure['hidden']}")
            expect(figure["shown"] == {"pressed": "true", "line": True}, f"shown again: {figure['shown']}")
            expect(figure["leaves"], "values stay when the pointer leaves")
            expect(figure["enlarged"], "dragging enlarges nothing")
            first, middle = (number(text.rsplit(" ", 2)[1]) for text in (figure["from"], note["head"]))
            expect(first < middle, f"enlarged from {first}, whose middle was {middle}")
            expect(figure["restored"], "a double click does not go back")
            if "whole" in figure:
                whole = figure["whole"]
                expect(whole["enlarged"] and whole["restored"], "the whole run is not shown, or stays")
                expect(whole["text"].startswith("Show "), f"button '{whole['text']}'")
    return bad


def make_pages(program, folder):
    """Reports of an arm and of a robot on legs."""
    compares = {
        "arm": ["arm7_twist", "--vary", "factorization=christoffel,t:1,t:2.57", "--duration", "4"],
        "legs": ["biped_push", "--vary", "factorization=christoffel,t:1", "--duration", "1"],
    }
    for name, words in compares.items():
        out = folder / name
        run = subprocess.run([program, "compare", *words, "--out", out], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{name}: {run.stderr}")
        yield name, out / "report.html"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path, help="also takes pictures of the pages")
    options = parser.parse_args()
    if not shutil.which("chromium"):
        print("skipped: chromium is not installed")
        return SKIPPED
    bad, figures = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for page_name, page in make_pages(options.program.resolve(), folder):
            results = probe(page, folder)
            figures += sum(len(r.get("figures", [])) for r in results)
            bad += check(page_name, results)
            for width in WIDTHS if options.pictures else ():
                options.pictures.mkdir(parents=True, exist_ok=True)
                picture = options.pictures.resolve() / f"{page_name}_{width}.png"
                chromium(f"--screenshot={picture}", f"--window-size={width},1800", page.as_uri())
    print("\n".join(bad) or f"{figures} figures at {' and '.join(map(str, WIDTHS))} pixels as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
