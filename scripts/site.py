"""Makes a static gallery of the lessons: run once, widgets alive on what was recorded.

    lesson --a kernel--> outputs, and of each widget its state and answers (minitf_widgets/offline)
                            |                    |
                      NN-name.html         data/NN-name.js      assets/: the widgets' front ends

    python scripts/site.py                            all lessons and builder's sheets, to site/
    python scripts/site.py --out FOLDER PATH.ipynb    these

Pages need no server, kernel or network: they are opened from the folder, or put on any web server.
With all lessons comes site/lite, where some of them run in the browser; scripts/lite.py makes it.
"""

import argparse
import base64
import html
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lite
import nbformat
from latex2mathml.converter import convert as mathml
from minitf_widgets.offline import STATIC
from minitf_widgets.page import data_script, front_script, site_script
from minitf_widgets.page import page as html_page
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbconvert.filters import ansi2html, markdown2html
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Number, String
from run_notebooks import keep_to_ourselves, run

ROOT = Path(__file__).resolve().parent.parent
COLLECT = """
import json as _json, pathlib as _pathlib
from minitf_widgets.offline import collect as _collect
_pathlib.Path({path!r}).write_text(_json.dumps(_collect()), encoding="utf-8")
"""
PICTURE = re.compile(r'<img alt="([^"]*)"[^>]*src="data:image/svg\+xml;base64,([^"]+)"')
# Inline and displayed formulas; a dollar beside a space is one of money.
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![\w$])", re.DOTALL)
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
# The link to site/lite. Browsers do not run it from a folder, so that it is not shown there.
RUN = '<a class="site-run" href="lite/lab/index.html{}" hidden>{} in this browser</a>'
SHOW_RUN = """<script>
for (const link of document.querySelectorAll(".site-run"))
  link.hidden = location.protocol === "file:";
</script>"""
COLORS = ((Comment, "c"), (Keyword, "k"), (String, "s"), (Number, "m"))


@dataclass
class Page:
    """A lesson, executed.

    Attributes:
      name: of its file, without ending.
      notebook: with outputs.
      widgets: what `collect` said of them.
    """

    name: str
    notebook: nbformat.NotebookNode
    widgets: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its first heading."""
        found = re.search(r"^# (.+)$", self._prose(), re.MULTILINE)
        return found[1].replace("`", "") if found else self.name

    @property
    def number(self) -> str:
        """Its place in the course; empty outside of it."""
        found = re.match(r"\d+", self.name)
        if not found:
            return ""
        return str(int(found[0])) if len(found[0]) > 1 else f"Builders {found[0]}"

    @property
    def summary(self) -> str:
        """The first paragraph below the heading."""
        found = re.search(r"<p>(.*?)</p>", markdown(self._prose()), re.DOTALL)
        text = re.sub(r"<[^>]+>", "", found[1]) if found else ""
        return " ".join(html.unescape(text).split())

    @property
    def minutes(self) -> str:
        """How long it takes, where it says so."""
        found = re.search(r"(\d+(?:\s*(?:to|-|–)\s*\d+)?)\s+minutes", self._prose())
        return f"{found[1]} minutes" if found else ""

    @property
    def picture(self) -> str:
        """The first picture that a widget left, as an SVG document; empty without one.

        A question is no picture.
        """
        for cell in self.notebook.cells:
            for output in cell.get("outputs", ()):
                found = PICTURE.search(output.get("data", {}).get("text/html", ""))
                if found and not found[1].startswith("Predict"):
                    return base64.b64decode(found[2]).decode()
        return ""

    def _prose(self) -> str:
        cells = self.notebook.cells[:4]
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def execute(path: Path) -> Page:
    """Runs a lesson, and asks its widgets what a page without a kernel must know."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "widgets.json")
        notebook = run(path, COLLECT.format(path=str(kept)))
        return Page(path.stem, notebook, json.loads(kept.read_text(encoding="utf-8")))


def markdown(source: str) -> str:
    """Markdown with formulas as HTML with MathML, which browsers draw by themselves."""
    formulas: list[str] = []

    def take(found: re.Match[str]) -> str:
        display = "block" if found[1] else "inline"
        formulas.append(mathml(found[1] or found[2], display=display))
        return f"\x02{len(formulas) - 1}\x03"

    parts = CODE.split(source)
    parts[::2] = [FORMULA.sub(take, part) for part in parts[::2]]
    made = markdown2html("".join(parts))
    made = re.sub("\x02(\\d+)\x03", lambda found: formulas[int(found[1])], made)
    return re.sub(r'<a class="anchor-link"[^>]*>.*?</a>', "", made)


def code(source: str) -> str:
    """Python with its words marked."""
    parts = []
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(source):
        name = next((name for kind, name in COLORS if token in kind), "")
        text = html.escape(text)
        parts.append(f'<span class="{name}">{text}</span>' if name else text)
    return f'<div class="code"><pre>{"".join(parts)}</pre></div>'


def shown(output: Any, widgets: dict[str, Any]) -> str:
    """One output as HTML: the live widget, or the richest form that it has."""
    if output.output_type == "stream":
        return f"<pre>{ansi2html(output.text)}</pre>"
    if output.output_type == "error":
        return f'<pre class="error">{ansi2html(chr(10).join(output.traceback))}</pre>'
    data = output.data
    view = data.get("application/vnd.jupyter.widget-view+json")
    if view is not None:
        known = view["model_id"] in widgets
        return f'<div class="site-live" data-widget="{view["model_id"]}"></div>' if known else ""
    if "text/html" in data:
        return f'<div class="html">{data["text/html"]}</div>'
    for kind in ("image/svg+xml", "image/png", "image/jpeg"):
        if kind in data:
            raw = data[kind] if kind != "image/svg+xml" else base64.b64encode(data[kind].encode())
            text = raw if isinstance(raw, str) else raw.decode()
            alt = html.escape(data.get("text/plain", ""))
            return f'<img alt="{alt}" src="data:{kind};base64,{text.strip()}">'
    if "text/markdown" in data:
        return f'<div class="text">{markdown(data["text/markdown"])}</div>'
    text = data.get("text/plain", "")
    return f"<pre>{ansi2html(text)}</pre>" if text else ""


def links(text: str, names: set[str]) -> str:
    """Leads links between lessons to their pages; words remain of those to other files."""

    def lead(found: re.Match[str]) -> str:
        target = found[1]
        if re.match(r"https?:|#", target):
            return found[0]
        stem = Path(target.partition("#")[0]).stem
        if target.partition("#")[0].endswith(".ipynb") and stem in names:
            return f'<a href="{stem}.html">{found[2]}</a>'
        return found[2]

    return re.sub(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', lead, text, flags=re.DOTALL)


def lesson_body(page: Page, names: set[str]) -> str:
    """All cells of a lesson as HTML."""
    parts = []
    for cell in page.notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(f'<div class="text">{links(markdown(cell.source), names)}</div>')
        elif cell.cell_type == "code":
            if not cell.metadata.get("jupyter", {}).get("source_hidden"):
                parts.append(code(cell.source))
            made = [shown(output, page.widgets) for output in cell.outputs]
            parts += [f'<div class="output">{each}</div>' for each in made if each]
    return "\n".join(parts)


def index_body(pages: list[Page], lab: bool) -> str:
    """The gallery's first page: a card for each lesson; `lab`: some run in the browser."""
    cards = []
    run = RUN.format("", "Some lessons run") if lab else ""
    for page in pages:
        picture = f'<img alt="" src="pictures/{page.name}.svg">' if page.picture else ""
        time = f"<p>{page.minutes}</p>" if page.minutes else ""
        title = html.escape(" · ".join(filter(None, (page.number, page.title))))
        cards.append(
            f'<li><a href="{page.name}.html">{picture}<div><h2>{title}</h2>'
            f"{time}<p>{html.escape(page.summary)}</p></div></a></li>"
        )
    return (
        "<h1>minitf: the lessons</h1><p>Each page is a lesson that was run. Its graphs, runs, "
        "traffic and charts can be opened, stepped and replayed here, without a kernel; to change "
        f"a program, run the lesson in a notebook: <code>make lab</code>. {run}</p>"
        f'<ul class="site-cards">{"".join(cards)}</ul>'
    )


def write(pages: list[Page], folder: Path) -> None:
    """Writes the site; files of an earlier one with other names stay."""
    fronts = sorted({each["widget"] for page in pages for each in page.widgets.values()})
    for name in ("assets", "data", "pictures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in fronts:
        script = front_script(STATIC / f"{name}.js")
        (folder / "assets" / f"{name}.js").write_text(script, encoding="utf-8")
    (folder / "assets/site.js").write_text(site_script(), encoding="utf-8")
    for name in ("site", *fronts):
        if (STATIC / f"{name}.css").exists():
            style = (STATIC / f"{name}.css").read_text(encoding="utf-8")
            (folder / "assets" / f"{name}.css").write_text(style, encoding="utf-8")
    names = {page.name for page in pages}
    lab = (folder / "lite").is_dir()
    for place, page in enumerate(pages):
        data = data_script(page.widgets)
        (folder / "data" / f"{page.name}.js").write_text(data, encoding="utf-8")
        if page.picture:
            (folder / "pictures" / f"{page.name}.svg").write_text(page.picture, encoding="utf-8")
        used = sorted({each["widget"] for each in page.widgets.values()})
        around = ['<a href="index.html">All lessons</a>']
        for near, word in ((place - 1, "Previous"), (place + 1, "Next")):
            if 0 <= near < len(pages):
                title = html.escape(pages[near].title)
                around.append(f'<a href="{pages[near].name}.html">{word}: {title}</a>')
        if lab and page.name in lite.LESSONS:
            around.append(RUN.format(f"?path={page.name}.ipynb", "Run it"))
        scripts = [f"data/{page.name}.js", *(f"assets/{name}.js" for name in used)]
        text = _page(page.title, lesson_body(page, names), around, used, scripts)
        (folder / f"{page.name}.html").write_text(text, encoding="utf-8")
    (folder / "index.html").write_text(_page("minitf", index_body(pages, lab), [], [], []), "utf-8")


def _page(title: str, body: str, around: list[str], used: list[str], scripts: list[str]) -> str:
    styles = [f"assets/{name}.css" for name in (*used, "site") if (STATIC / f"{name}.css").exists()]
    return html_page(
        title,
        body,
        (f'<link rel="stylesheet" href="{path}">' for path in styles),
        [*(f'<script src="{path}"></script>' for path in (*scripts, "assets/site.js")), SHOW_RUN],
        "".join(around),
    )


def main() -> int:
    """Runs the lessons named on the command line, or all, and writes their pages."""
    parser = argparse.ArgumentParser(description="Makes a static gallery of the lessons.")
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "site", metavar="FOLDER")
    parser.add_argument("--pyodide", metavar="FOLDER_OR_ADDRESS", help="as of scripts/lite.py")
    arguments = parser.parse_args()
    paths = arguments.notebooks or [
        *sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")),
        *sorted((ROOT / "notebooks/builders/release").glob("*/*.ipynb")),
    ]
    pages: list[Page] = []
    failed = 0
    if not arguments.notebooks:
        try:
            lite.build(arguments.out / "lite", arguments.pyodide)
        except (OSError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"{arguments.out / 'lite'} was not made: {error}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        keep_to_ourselves(folder)
        try:
            for path in paths:
                try:
                    pages.append(execute(path.resolve()))
                except (CellControlSignal, DeadKernelError) as error:
                    failed += 1
                    print(f"{path.name}: failed, and has no page\n{error}", file=sys.stderr)
                    continue
                print(f"{path.name}: {len(pages[-1].widgets)} widgets", flush=True)
        finally:  # whatever ends it, what has run is not lost
            write(pages, arguments.out)
    print(f"Open {arguments.out / 'index.html'} in a browser.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
