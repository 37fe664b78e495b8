"""A drawing function that calls `curve` and `say` in place of returning a picture."""

import pytest

pytest.importorskip("ipywidgets")
from minitf_widgets import Live, Slider  # noqa: E402
from minitf_widgets.offline import keep  # noqa: E402


def test_curves_follow_the_sliders_also_on_a_page_without_python():
    live = Live(x="t", power=Slider(1, 3, 1))

    @live.draw
    def powers(power):
        """Powers of a number."""
        live.curve("power", [1, 2, 3], [number**power for number in (1, 2, 3)])
        live.say(f"to the power of {power}")

    assert "power: 1 at t 1, 3 at 3" in live.to_text()
    live.set(power=3)
    assert "27 at 3" in live.to_text() and "to the power of 3" in live.to_text()
    kept = keep(live)
    assert kept is not None
    answers = kept["answers"]
    text = "".join(answers["pool"])
    assert '[["","power",0,[1.0,2.0,3.0],[1.0,4.0,9.0]' in text and "to the power of 2" in text
    assert len(answers["said"]) == 4  # hello, and three places of the slider
    live.close()
