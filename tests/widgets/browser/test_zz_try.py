import pathlib, time
SRC = pathlib.Path("/work/main/tests/widgets/synthetic_traffic.py").read_text()
def show(open_notebook, make, theme="light"):
    book = open_notebook(["exec(open('/work/main/tests/widgets/synthetic_traffic.py').read())\nfrom minitf_widgets.traffic import TrafficView\n%s\nview = TrafficView(source)\nview" % make], theme=theme)
    book.page.wait_for_selector(".mtft-task")
    return book
def test_many(open_notebook):
    book = show(open_notebook, "source = SyntheticTraffic(ps=4, workers=12, steps=30)")
    time.sleep(3); book.page.screenshot(path="/tmp/t_many.png")
    book.page.click(".mtft-tables summary >> nth=0"); book.page.click(".mtft-tables summary >> nth=1")
    time.sleep(1); book.page.screenshot(path="/tmp/t_tables.png")
    book.page.locator(".mtft-tables").scroll_into_view_if_needed(); time.sleep(.6); book.page.screenshot(path="/tmp/t_tables.png")
def test_dead(open_notebook):
    book = show(open_notebook, "source = SyntheticTraffic(steps=60)", "dark")
    book.page.set_viewport_size({"width":1280,"height":1000})
    time.sleep(3)
    book.python("source.dead.add('/job:ps/task:1'); source.incarnations['/job:worker/task:2'] += 1")
    book.python("view.selected='/job:ps/task:0|/job:worker/task:1'")
    time.sleep(2); book.page.screenshot(path="/tmp/t_dead.png")
    fps = book.page.evaluate("""() => new Promise(done => { let n=0, t0=performance.now(); const f=()=>{n++; if(performance.now()-t0>2000) done(n/2); else requestAnimationFrame(f)}; f(); })""")
    print("fps", fps, book.value("source.pulls"), book.value("view.counters['/job:ps/task:0|/job:worker/task:1']"))
def test_narrow(open_notebook):
    book = show(open_notebook, "source = SyntheticTraffic(steps=4)")
    book.page.set_viewport_size({"width":700,"height":1100})
    book.page.emulate_media(reduced_motion="reduce")
    time.sleep(2); book.page.screenshot(path="/tmp/t_narrow.png")
    with book.page.expect_download() as d: book.page.click("text=SVG >> visible=true")
    d.value.save_as("/tmp/export.svg")
    book.page.emulate_media(reduced_motion="no-preference")
    book.page.set_viewport_size({"width":1280,"height":900})
    book.theme("dark"); time.sleep(2)
    with book.page.expect_download() as d: book.page.click(".mtfw-traffic >> text=PNG")
    d.value.save_as("/tmp/export.png")
