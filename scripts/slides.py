"""Slides of the lessons, with the figures that their cells make; this is what `make slides` runs.

    python scripts/slides.py                          every lesson, in build/slides
    python scripts/slides.py 03-gradients-and-regression ~/mine.ipynb

Nobody sets anything by hand; a lesson's own form says what becomes of each cell:

    ## heading          a slide: heading, first paragraph, formulas, tables; the rest is notes
    ### heading         the same, below the slide before
    text                notes; but **Predict** is a slide below, with what there is to choose from
    code                at a key, below the text, or a slide of its own after other code; more than
                        14 lines are not shown, what they print is
    code without output notes; left out where it is long
    folded solutions    notes

What was set in JupyterLab (`slideshow` in a cell's metadata) is left as it is. A page asks no
network: reveal.js and MathJax are npm's packages, unpacked beside it the first time.
"""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import nbformat
import run_notebooks
from nbconvert.exporters import SlidesExporter
from nbformat import NotebookNode
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "slides"
TEMPLATE = Path(__file__).parent / "slides_template"
LINES = 14  # of code, on a slide
# Which files of which packages a page needs beside it.
PACKAGES = {
    "reveal.js@5.2.1": (
        "dist/reveal.js",
        "dist/reveal.css",
        "dist/theme/white.css",
        "plugin/notes/notes.js",
    ),
    "mathjax@3.2.2": ("es5/tex-svg.js",),
}


def arrange(notebook: NotebookNode) -> NotebookNode:
    """Says for each cell of a lesson that has been run what becomes of it on the slides."""
    cells: list[NotebookNode] = []
    same_slide = False  # whether the next code comes, at a key, below what is there
    for cell in notebook.cells:
        if "slideshow" in cell.metadata:
            cells.append(cell)
            continue
        asked = _question(cell)
        if asked:
            made = [(nbformat.v4.new_markdown_cell(asked), "subslide")]
            same_slide = True
        elif cell.cell_type == "markdown":
            parts = _of_text(cell.source)
            same_slide = any(kind != "notes" for _, kind in parts)
            made = [(nbformat.v4.new_markdown_cell(text), kind) for text, kind in parts]
        else:
            made = _of_code(cell, "fragment" if same_slide else "subslide")
            same_slide = False
        for each, kind in made:
            each.metadata["slideshow"] = {"slide_type": kind}
            cells.append(each)
    notebook.cells = cells
    notebook.metadata.pop("widgets", None)  # their pictures stay; alive they would ask a network
    return notebook


def _question(cell: NotebookNode) -> str:
    """What `Predict("How many?", ["one", "two"])` asks, as a text; its picture has the answer."""
    if cell.cell_type != "code" or "Predict(" not in cell.source:
        return ""
    try:
        calls = [each for each in ast.walk(ast.parse(cell.source)) if isinstance(each, ast.Call)]
        [call] = [each for each in calls if getattr(each.func, "id", "") == "Predict"]
        question, *choices = map(ast.literal_eval, call.args)
    except (SyntaxError, ValueError):
        return ""
    listed = [f"- {each}" for each in choices[0]] if choices and choices[0] else []
    return "\n".join([f"**Predict.** {question}", "", *listed])


def _of_text(source: str) -> list[tuple[str, str]]:
    """Divides a text: what is on the slide, what follows at a key, and what is for the speaker."""
    paragraphs = [each for each in re.split(r"\n\n(?![^<]*</details>)", source) if each.strip()]
    level = len(re.match(r"#*", source)[0])
    shown, asked, notes = [], [], []
    for number, text in enumerate(paragraphs):
        if "**Predict" in text:
            asked.append(text)
        elif (
            level
            and (number <= 1 or text.startswith(("$$", "|", "```")))
            and "<details" not in text
        ):
            shown.append(text)
        else:
            notes.append(text)
    parts = [("\n\n".join(shown), "slide" if level < 3 else "subslide")] if shown else []
    if asked:
        parts.append(("\n\n".join(asked), "fragment" if level else "subslide"))
    return [*parts, *([("\n\n".join(notes), "notes")] if notes else [])]


def _of_code(cell: NotebookNode, kind: str) -> list[tuple[NotebookNode, str]]:
    """Code with what it shows; long code without it."""
    long = len(cell.source.splitlines()) > LINES
    if not cell.outputs:
        return [(cell, "skip" if long else "notes")]
    if long:
        cell.metadata.setdefault("tags", []).append("outputs-only")
    return [(cell, kind)]


def export(path: Path, out: Path) -> Path:
    """Runs a lesson and writes its slides; returns the page."""
    config = Config()
    config.TagRemovePreprocessor.remove_input_tags = {"outputs-only"}
    config.TagRemovePreprocessor.enabled = True
    config.SlidesExporter.exclude_input_prompt = config.SlidesExporter.exclude_output_prompt = True
    exporter = SlidesExporter(config=config, extra_template_paths=[str(TEMPLATE)])
    exporter.template_file = "slides.html.j2"
    exporter.reveal_url_prefix = "shared"
    page, _ = exporter.from_notebook_node(
        arrange(run_notebooks.run(path)), {"metadata": {"name": path.stem}}
    )
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{path.stem}.html"
    page = re.sub("shared/dist/(theme/)?", "shared/", page)  # where fetch_packages puts them
    target.write_text(page, encoding="utf-8")
    return target


def fetch_packages(folder: Path) -> None:
    """Unpacks what a page needs into `folder`; npm's cache makes the second time quick."""
    folder.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    for package, names in PACKAGES.items():
        if all((folder / Path(name).name).exists() for name in names):
            continue
        if npm is None:
            raise SystemExit(
                f"Slides need {package}, and this machine has no npm (Node.js) to get it with. "
                f"Put {', '.join(names)} of that package into {folder}."
            )
        with tempfile.TemporaryDirectory() as scratch:
            packed = subprocess.check_output(
                [npm, "pack", "--silent", package], cwd=scratch, text=True
            )
            with tarfile.open(Path(scratch) / packed.strip()) as archive:
                for name in names:
                    content = archive.extractfile(f"package/{name}").read()
                    (folder / Path(name).name).write_bytes(content)


def main() -> None:
    """Makes the slides that the command line names, or all."""
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    named = {path.stem: path for path in lessons}
    fetch_packages(OUT / "shared")
    for path in [named.get(each, Path(each)) for each in sys.argv[1:]] or lessons:
        print(export(path.resolve(), OUT), flush=True)


if __name__ == "__main__":
    main()
