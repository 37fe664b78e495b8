"""A page of HTML on which widgets live without Python: what `make site` and `save_html` write.

    styles, front ends as plain scripts, data     -> one file, or links to files beside it

Browsers load no modules from a folder, so that front ends and data are plain scripts, which enter
themselves in `minitfSite`; src/site/ finds them there.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from minitf_widgets.offline import STATIC
from minitf_widgets.svg import escape

__all__ = ["BEGIN", "data_script", "front_script", "page", "site_script", "standalone"]

BEGIN = "globalThis.minitfSite ??= {fronts: {}, widgets: {}};\n"
_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
{styles}
</head>
<body>
<header class="site-bar">{links}<span></span>
<button type="button" class="site-theme">Dark</button></header>
<main>
{body}
</main>
{scripts}
</body>
</html>
"""


def page(
    title: str, body: str, styles: Iterable[str], scripts: Iterable[str], links: str = ""
) -> str:
    """A whole page.

    Args:
      title: text, which is quoted here.
      body: HTML.
      styles: HTML elements for the head.
      scripts: HTML elements for the end.
      links: HTML for the bar on top.
    """
    return _PAGE.format(
        title=escape(title),
        styles="\n".join(styles),
        links=links,
        body=body,
        scripts="\n".join(scripts),
    )


def front_script(path: pathlib.Path) -> str:
    """A built front end as a plain script, which enters itself in `minitfSite.fronts`.

    Raises:
      ValueError: when the file does not end with its default export.
    """
    text, count = re.subn(
        r"export\{[^}]*?([\w$]+) as default[^}]*\};?\s*\Z",
        lambda found: f"minitfSite.fronts[{json.dumps(path.stem)}]={found[1]};",
        path.read_text(encoding="utf-8"),
    )
    if not count:
        raise ValueError(f"{path.name} does not end with its default export")
    return f"{BEGIN}(()=>{{{text}}})();\n"


def site_script() -> str:
    """What brings the widgets of a page to life."""
    return f"(()=>{{{(STATIC / 'site.js').read_text(encoding='utf-8')}}})();\n"


def data_script(widgets: Mapping[str, Any]) -> str:
    """What `offline.collect` gives as a script."""
    return f"{BEGIN}Object.assign(minitfSite.widgets, {json.dumps(widgets)});\n"


def standalone(title: str, body: str, widgets: Mapping[str, Any]) -> str:
    """One file with everything in it.

    Args:
      title: the heading; text, which is quoted here.
      body: HTML below it.
      widgets: the widgets, one below the other, as `offline.collect` describes them.
    """
    names = sorted({each["widget"] for each in widgets.values()})
    styles = [STATIC / f"{name}.css" for name in (*names, "site")]
    scripts = [data_script(widgets), *(front_script(STATIC / f"{name}.js") for name in names)]
    places = "".join(f'<div class="site-live" data-widget="{escape(k)}"></div>' for k in widgets)
    return page(
        title,
        f"<h1>{escape(title)}</h1>{body}{places}",
        [f"<style>{path.read_text(encoding='utf-8')}</style>" for path in styles if path.exists()],
        [f"<script>{_inside(each)}</script>" for each in (*scripts, site_script())],
    )


def _inside(script: str) -> str:
    """A script as the text of an element: no name in a graph ends it."""
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")
