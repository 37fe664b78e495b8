import time
from tests.widgets.browser.test_graph_view import show, box
REAL = '''
import pathlib; exec(pathlib.Path("/tmp/real.py").read_text().rsplit("\n",2)[0])
from minitf_widgets import GraphView
view = GraphView(tf.get_default_graph())
'''
def test_axe(open_notebook):
    book = open_notebook([REAL, "view"])
    page = book.page; page.wait_for_selector(".mtfw-box"); time.sleep(1)
    box(book, "hidden1").click(); page.keyboard.press("Enter"); time.sleep(1)
    page.screenshot(path="/tmp/shots/real_light.png")
    import pathlib; src = pathlib.Path("/tmp/axe/node_modules/axe-core/axe.min.js").read_text()
    page.evaluate(src)
    for theme in ("light", "dark"):
        book.theme(theme); time.sleep(.6)
        r = page.evaluate("axe.run('.mtfw-graph')")
        for v in r["violations"]:
            print(theme, v["id"], v["impact"], v["help"], len(v["nodes"]), v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"][:300])
    page.screenshot(path="/tmp/shots/real_dark.png")
