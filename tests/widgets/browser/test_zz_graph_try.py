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
    shot("a1")
    page.click("[data-id='hidden1']"); time.sleep(.4); shot("a2")
    page.click("text=Gradients"); time.sleep(.6); shot("a3")
    page.click("text=Gradients");  page.click("text=Open all"); time.sleep(1.5); shot("a4")
    book.theme("dark")
    book.python("view.update(graphs.large()); view.collapse_all(); view.expand('resnet/stage1/block2'); view.select('resnet/stage1/block2/conv1/Conv2D')")
    time.sleep(1); shot("a5")
    page.keyboard.press("0"); page.click("text=Fit"); time.sleep(.5); shot("a6")
    with page.expect_download() as d: page.click("text=PNG")
    d.value.save_as("/tmp/shots/export.png")
    book.python("view.update(graphs.tiny()); view.color_by='kind'; view.expanded=[]"); time.sleep(.5)
    page.set_viewport_size({"width": 700, "height": 900}); time.sleep(.5); shot("a7")
    page.set_viewport_size({"width": 1280, "height": 900}); time.sleep(.5)
    book.theme("light")
    book.python("view.update(graphs.flat()); view.expanded=['<part 1>']"); time.sleep(1); shot("a8")
