"""The queue that a lesson draws: as many full places as it holds, and who waits."""

from xml.etree import ElementTree

from minitf_widgets.lessons.drawings import belt_svg

SVG = "{http://www.w3.org/2000/svg}"


def places(svg: str) -> list[bool]:
    """Which places are full, from where one puts to where one takes."""
    boxes = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [box.get("fill") != "none" for box in boxes]


def test_the_first_to_be_taken_is_on_the_right() -> None:
    assert places(belt_svg(2, 5)) == [False, False, False, True, True]
    assert places(belt_svg(0, 3)) == [False] * 3


def test_who_waits_is_said_in_words() -> None:
    words = [
        each.text
        for each in ElementTree.fromstring(belt_svg(3, 3, putting=False)).iter(f"{SVG}text")
    ]
    assert words == ["puts: WAITS", "▸ takes"]
