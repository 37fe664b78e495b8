"""Makes README's pictures from the gallery in site/; this is what `make pictures` runs.

    site/pictures/NN-name.svg  ──drawn small─────> docs/images/lessons/NN-name.webp
    site/03-....html, a run    ──step by step──┐
    site/13-....html, traffic  ──in slow motion┴─> docs/images/minitf.webp, a loop of ten seconds

A headless Chromium shows the pages. This script moves the page's clock, so that a loaded machine
gives the same picture as a quiet one.
"""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SITE, IMAGES = ROOT / "site", ROOT / "docs" / "images"
THUMBNAIL = {"width": 480, "height": 270}
LOOP = (840, 420)  # pixels
STEPS, STEP_MS = 12, 420  # of the run
MOVES, MOVE_MS = 50, 100  # of the traffic

#: A picture of any form in a frame of one form, on the colour of a page.
FRAME = """<body style="margin:0;background:#fff;display:grid;place-items:center;height:100vh">
<style>svg {{width: 460px; height: 250px}}</style>{svg}"""


def thumbnail(page: Page, picture: Path) -> Image.Image:
    """A lesson's picture, small."""
    page.set_content(FRAME.format(svg=picture.read_text(encoding="utf-8")))
    return _image(page.screenshot())


def steps_of_run(page: Page) -> Iterator[tuple[Image.Image, int]]:
    """The first run of the lesson on gradients, operation by operation: values, then gradients."""
    view = _opened(page, "03-gradients-and-regression", ".mtfw-graph:has(.mtfw-play)")
    view.get_by_label("Position in the run").press("Home")
    for number in range(STEPS):
        if number:
            view.get_by_label("One step on").click()
        page.clock.run_for(1000)
        yield _framed(view), STEP_MS


def moves_of_messages(page: Page) -> Iterator[tuple[Image.Image, int]]:
    """The training of the lesson on clusters: messages on their way, in slow motion."""
    view = _opened(page, "13-clusters", ".mtfw-traffic")
    view.get_by_label("Moment shown").fill("120")
    view.get_by_label("One message on").click()  # to where there are messages
    view.locator("select").first.select_option(label="20× slower")
    view.get_by_label("Look back: play from here").click()
    for _ in range(MOVES):
        page.clock.run_for(MOVE_MS)
        yield _framed(view), MOVE_MS


def _opened(page: Page, lesson: str, kind: str) -> Locator:
    """The first widget of a kind on the page of a lesson, in view."""
    page.clock.install()
    page.goto((SITE / f"{lesson}.html").as_uri())
    for place in page.locator(".site-live").all():  # a widget comes alive when it comes into view
        place.scroll_into_view_if_needed()
        place.locator(".mtfw").wait_for()
        if place.locator(kind).count():
            break
    page.clock.pause_at("2100-01-01")
    return place.locator(kind)


def _framed(view: Locator) -> Image.Image:
    """What a widget shows, in the size of the loop."""
    seen = _image(view.screenshot())
    seen.thumbnail(LOOP)
    frame = Image.new("RGB", LOOP, "white")
    frame.paste(seen, ((LOOP[0] - seen.width) // 2, (LOOP[1] - seen.height) // 2))
    return frame


def _image(screenshot: bytes) -> Image.Image:
    return Image.open(io.BytesIO(screenshot)).convert("RGB")


def main() -> None:
    """Draws all of them."""
    (IMAGES / "lessons").mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport=THUMBNAIL)
        for picture in sorted(SITE.glob("pictures/[0-9][0-9]-*.svg")):
            path = IMAGES / "lessons" / f"{picture.stem}.webp"
            thumbnail(page, picture).save(path, quality=70, method=6)
        size = {"width": 1000, "height": 900}
        run, traffic = (browser.new_page(viewport=size) for _ in range(2))
        frames, times = zip(*steps_of_run(run), *moves_of_messages(traffic))
        browser.close()
    first, *others = frames
    path = IMAGES / "minitf.webp"
    first.save(
        path, save_all=True, append_images=others, duration=times, loop=0, quality=60, method=6
    )
    print(f"{path}: {len(frames)} frames, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
