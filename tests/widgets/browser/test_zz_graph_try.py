import pathlib, time
SRC = """
import sys; sys.path.insert(0, %r)
import graphs
from minitf_widgets import GraphView
view = GraphView(graphs.mlp(devices=("/job:ps/task:0/device:CPU:0","/job:worker/task:0/device:GPU:0")))
""" % str(pathlib.Path(__file__).parents[1])
def test_try(open_notebook):
    book = open_notebook([SRC, "view"])
    page = book.page
    page.wait_for_selector(".mtfw-graph .mtfw-box")
    time.sleep(.5)
    shot = lambda n: page.locator(".mtfw-graph").screenshot(path=f"/tmp/shots/{n}.png")
    page.screenshot(path="/tmp/shots/page.png")
    print("hidden picture", page.locator(".mtfw-picture").is_visible())
    page.click("[data-id='hidden1']")
    print("click", book.wait_for_python("view.selected == 'hidden1'"))
    time.sleep(.4); shot("sel")
    page.keyboard.press("Enter")
    print("enter", book.wait_for_python("view.expanded == ['hidden1']"))
    time.sleep(.6); shot("open")
    page.keyboard.press("ArrowDown"); page.keyboard.press("ArrowDown"); time.sleep(.4)
    print(book.value("view.selected"))
    page.keyboard.press("/"); page.keyboard.type("apply logits", delay=20); time.sleep(.5)
    shot("search")
    page.keyboard.press("Enter"); time.sleep(.9)
    print(book.value("[view.selected, view.expanded]")); shot("found")
    book.theme("dark"); time.sleep(.4); shot("dark")
    page.keyboard.press("0"); time.sleep(.4); shot("darkfit")
    page.click("[data-id='train']", position={"x": 20, "y": 12}); time.sleep(.5); shot("darkaux")
    with page.expect_download() as d: page.click("text=SVG")
    d.value.save_as("/tmp/shots/export.svg")
    with page.expect_download() as d: page.click("text=PNG")
    d.value.save_as("/tmp/shots/export.png")
