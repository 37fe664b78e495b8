import time
def test_dbg(open_notebook):
    book = open_notebook(["exec(open('/work/main/tests/widgets/synthetic_traffic.py').read())\nfrom minitf_widgets.traffic import TrafficView\nsource=SyntheticTraffic(steps=4)\nview = TrafficView(source)\nview"])
    book.page.on("console", lambda m: print("CONSOLE", m.text))
    time.sleep(4)
    book.page.screenshot(path="/tmp/t_dbg.png")
    print(book.python("print(view.status, view.problem, source.pulls, view._sequence, view.transport, view._thread)"))
    print(book.page.locator(".mtfw-traffic").count(), book.page.locator(".mtft-task").count())
    print(book.page.locator(".jp-OutputArea").last.evaluate("e=>e.outerHTML")[:1500])
