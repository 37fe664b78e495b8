"""An error of minitf in JupyterLab: readable in both themes."""

import pytest

CELLS = [
    "import minitf as tf\nx = tf.placeholder(tf.float32, [None, 3], name='x')",
    "value = tf.Session().run(x)",
]
RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
SHOWN = ".jp-OutputArea-output pre"
# The lowest contrast of any text of the error with what lies behind it, by WCAG's formula.
CONTRAST = """(selector) => {
  const pre = document.querySelector(selector);
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb
    .map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {  // the error's own background is half transparent
    if (!element) return [255, 255, 255];
    const [r, g, b, alpha = 1] = channels(getComputedStyle(element).backgroundColor);
    if (alpha === 1) return [r, g, b];
    const below = behind(element.parentElement);
    return [r, g, b].map((c, i) => alpha * c + (1 - alpha) * below[i]);
  };
  const ground = light(behind(pre));
  return Math.min(...[pre, ...pre.querySelectorAll('*')].map((element) => {
    const text = light(channels(getComputedStyle(element).color).slice(0, 3));
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
  }));
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_error_is_readable(open_notebook, theme: str) -> None:
    book = open_notebook(CELLS, theme=theme, run=False)
    book.page.evaluate(RUN)
    book.page.wait_for_selector(SHOWN)
    lines = book.page.inner_text(SHOWN).splitlines()
    assert lines[0] == "Cell In[2], line 1: value = tf.Session().run(x)"
    assert len(lines) <= 12
    assert book.page.evaluate(CONTRAST, SHOWN) >= 7.0
