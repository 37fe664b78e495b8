/* The timeline's front end.
 *
 *   steps (from Python) -> Lanes -> svg        pointer, keys -> selected, step (to Python)
 *
 * `selected` is the name of an operation, so that a GraphView may share it; which of its bars is
 * meant (an operation may run several times) is known here alone.
 */
import { choice, PlayBar } from "../common/controls";
import { button, focusable, h, listenKeys, onResize, s } from "../common/dom";
import { download, saveButtons, standalone } from "../common/export";
import { onMessage, put, watch, widget } from "../common/widget";
import { gestures } from "../graph/camera";
import { belongs, Lanes, neighbour, readStep, type Step } from "./lanes";
import { aboutBar, dearest } from "./panel";

export default widget("timeline", (model, root, signal) => {
  const lanes = new Lanes();
  let step: Step;
  let current = -1; // the bar that the keyboard is at

  const svg = s(
    "svg",
    { class: "mtfw-canvas", role: "listbox", "aria-label": "Operations by device and time", ...focusable({}, -1) },
    lanes.content,
  );
  const status = h("div", { class: "mtfw-status", role: "status" });
  const heard = h("div", { class: "mtfw-hidden", "aria-live": "polite" });
  const stage = h("div", { class: "mtfw-stage" }, svg, status);
  const panel = h("aside", { class: "mtfw-panel", "aria-label": "Details", ...focusable({}, 0) });
  const legend = h("ul", { class: "mtfw-legend" });

  const light = () => lanes.light(model.get("selected"), current, model.get("show_critical"));

  function tell(): void {
    const bar = step.bars[current];
    panel.replaceChildren(
      bar ? aboutBar(step, bar, (index) => go(index)) : h("p", { class: "mtfw-hint" }, "Click a bar, or use the arrow keys. Enter goes to what it waited for."),
      dearest(step, (name, lane) => go(step.bars.findIndex((each) => each.lane === lane && (each.name === name || each.node === name)))),
    );
  }

  /* Makes a bar the current one, selects its operation and brings it into sight. */
  function go(index: number, focus = false): void {
    const bar = step.bars[index];
    if (!bar) return;
    current = index;
    if (model.get("selected") !== bar.node) put(model, "selected", bar.node);
    show();
    lanes.reveal(index);
    if (focus) lanes.element(index)?.focus({ preventScroll: true });
    heard.textContent = `${bar.name}, ${step.lanes[bar.lane]!.label}`;
  }

  function show(): void {
    light();
    tell();
  }

  const zoom = (factor: number) => lanes.zoom(factor, current);

  function clear(): void {
    current = -1;
    if (model.get("selected")) put(model, "selected", "");
    show();
  }

  /* What was selected elsewhere: its longest bar becomes the current one. */
  function follow(): void {
    const id: string = model.get("selected");
    if (!id) current = step.bars[current]?.node === "" ? current : -1;
    else if (!step.bars[current] || !belongs(step.bars[current]!, id)) {
      const those = step.bars.filter((bar) => belongs(bar, id) && bar.kind !== "wait");
      current = those.length ? those.reduce((a, b) => (b.length > a.length ? b : a)).index : -1;
      if (current >= 0) lanes.reveal(current);
    }
    show();
  }

  function read(): void {
    const steps: unknown[] = model.get("steps");
    step = readStep(steps[Math.min(model.get("step"), steps.length - 1)]);
    const before = lanes.view;
    const whole = lanes.isWhole();
    lanes.show(step);
    if (!whole) lanes.shift(before.x - lanes.view.x, 1);
    svg.style.height = `${lanes.height}px`;
    root.style.setProperty("--mtfw-height", `${Math.min(Math.max(lanes.height + 8, 300), 560)}px`);
    current = -1;
    paint();
    follow();
  }

  function paint(): void {
    const by: string = model.get("color_by");
    lanes.paint(by);
    const shown = Object.entries(step.kinds).filter(([kind]) => by === "kind" || ["send", "wait", "pipeline"].includes(kind));
    legend.replaceChildren(
      ...shown.map(([kind, [words, color]]) =>
        h("li", {}, h("span", { class: `mtfw-swatch mtfw-is-${kind}`, style: `--c:${color}` }), words)),
      h("li", {}, h("span", { class: "mtfw-swatch mtfw-path" }), "critical path"),
    );
    colors.set(by);
    critical.setAttribute("aria-pressed", String(model.get("show_critical")));
  }

  const colors = choice({
    label: "Colour", value: model.get("color_by"),
    options: [["kind", "kind of op"], ["device", "device"]] as const,
    onchange: (value: string) => put(model, "color_by", value),
  });
  const critical = button("Critical path", "Light what the end of the step waited for", () =>
    put(model, "show_critical", !model.get("show_critical")),
  );
  const picture = () =>
    standalone(svg, lanes.content, { x: 0, y: 0, width: stage.clientWidth || 640, height: lanes.height }, getComputedStyle(root).backgroundColor);
  const play = new PlayBar({
    label: "steps", length: model.get("steps").length, position: model.get("step"),
    describe: (at) => `step ${at + 1} of ${model.get("steps").length}`,
    onmove: (at) => put(model, "step", at), signal,
  });
  const several = h("div", { class: "mtfw-steps" }, play.element);
  const toolbar = h(
    "div",
    { class: "mtfw-toolbar", role: "toolbar", "aria-label": "Timeline" },
    colors.element,
    critical,
    h("span", { class: "mtfw-spring" }),
    button("−", "Zoom out", () => zoom(1 / 1.5)),
    button("Fit", "Show the whole step", () => lanes.fit()),
    button("+", "Zoom in", () => zoom(1.5)),
    button("Chrome trace", "Save the step for chrome://tracing or Perfetto", () => {
      say("Asking Python for the trace", 4000);
      model.send({ do: "chrome_trace" });
    }),
    ...saveButtons("timeline", picture),
  );
  let waiting = 0;
  function say(text: string, long = 1500): void {
    clearTimeout(waiting);
    status.textContent = text;
    waiting = window.setTimeout(() => (status.textContent = ""), long);
  }
  root.append(toolbar, several, h("div", { class: "mtfw-body" }, stage, panel), h("div", { class: "mtfw-legend-holder" }, legend), heard);

  const barOf = (event: Event) => Number((event.target as Element).closest<SVGGElement>(".mtfw-bar")?.dataset.bar ?? -1);
  svg.addEventListener("click", (event) => (barOf(event) < 0 ? clear() : go(barOf(event), true)), { signal });
  const walk = (event: KeyboardEvent) => go(current < 0 ? 0 : neighbour(step, current, event.key), true);
  listenKeys(
    svg,
    {
      ArrowLeft: walk, ArrowRight: walk, ArrowUp: walk, ArrowDown: walk,
      Enter: () => go(step.bars[current]?.waited ?? -1, true),
    },
    signal,
  );
  listenKeys(
    root,
    { "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), "0": () => lanes.fit(), Escape: clear },
    signal,
  );
  gestures(
    svg,
    () => ({ x: 0, y: 0, k: 1 }),
    (to) => lanes.shift(to.x, to.k),
    () => false,
    () => lanes.isWhole() && say("Ctrl + wheel zooms"),
    signal,
  );
  watch(model, ["steps"], () => (play.resize(model.get("steps").length, model.get("step")), read()), signal);
  watch(model, ["step"], () => (play.resize(model.get("steps").length, model.get("step")), read()), signal);
  watch(model, ["color_by"], paint, signal);
  watch(model, ["show_critical"], () => (paint(), light()), signal);
  watch(model, ["steps"], () => (several.hidden = model.get("steps").length < 2), signal);
  watch(model, ["selected"], follow, signal);
  onMessage(
    model,
    (content) => {
      if (!content?.chrome_trace) return;
      download(new Blob([content.chrome_trace], { type: "application/json" }), "timeline.json");
      say("Saved timeline.json");
    },
    signal,
  );
  onResize(stage, (width) => lanes.resize(width), signal);
  several.hidden = model.get("steps").length < 2;
  read();
});
