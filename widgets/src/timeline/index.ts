/* The timeline's front end.
 *
 *   steps (from Python) -> Lanes -> svg        pointer, keys -> selected, step (to Python)
 *
 * `selected` is the name of an operation, so that a GraphView may share it; which of its bars is
 * meant (an operation may run several times) is known here alone.
 */
import { choice, PlayBar, statusLine, toolbar } from "../common/controls";
import { button, h, listenKeys, listOf, onResize, s } from "../common/dom";
import { download, saveButtons, standalone } from "../common/export";
import { formatBytes, formatDuration, ticks } from "../common/look";
import { onMessage, put, watch, widget } from "../common/widget";
import { gestures } from "../graph/camera";

/* A step as Python sends it, with names for the columns of its bars. */
export interface Bar {
  index: number;
  lane: number;
  start: number;
  length: number;
  name: string;
  op: string;
  node: string;
  kind: string;
  size: number;
  waited: number;
  why: "" | "input" | "transfer" | "turn";
  critical: boolean;
}

export interface Lane {
  label: string;
  device: string;
  is_pipeline: boolean;
  simulated: boolean;
  busy: number;
  color: string;
  marker: string;
}

export interface Slow {
  name: string;
  node: string;
  op: string;
  runs: number;
  micros: number;
  lane: number;
  critical: boolean;
}

export interface Step {
  length: number;
  lanes: Lane[];
  bars: Bar[];
  arrows: [number, number, number][];
  slowest: Slow[];
  kinds: Record<string, [string, string]>;
}

/* What Python sent -> the step. */
export function readStep(data: any): Step {
  const lit = new Set<number>(data.critical);
  const bars = data.bars.map((row: any[], index: number): Bar => {
    const [lane, start, length, name, op, node, kind, size, waited, why] = row;
    return { index, lane, start, length, name, op, node, kind, size, waited, why, critical: lit.has(index) };
  });
  return { ...data, bars };
}

/* Whether a bar belongs to what a graph calls `id`: an op, a scope, or "a/b/(b)", the op of its scope's name. */
export function belongs(bar: Bar, id: string): boolean {
  if (!id || !bar.node) return false;
  const own = /^(?:(.*)\/)?\(([^/]+)\)$/.exec(id);
  if (own) return bar.node === own[1];
  return bar.node === id || bar.node.startsWith(`${id}/`);
}

/* The next bar for an arrow key: beside it on its lane, or nearest in time on the next lane. */
export function neighbour(step: Step, at: number, key: string): number {
  const bar = step.bars[at];
  if (!bar) return 0;
  const beside = at + (key === "ArrowRight" ? 1 : -1);
  if (key === "ArrowLeft" || key === "ArrowRight") return step.bars[beside]?.lane === bar.lane ? beside : at;
  const middle = bar.start + bar.length / 2;
  const way = key === "ArrowDown" ? 1 : -1;
  for (let lane = bar.lane + way; lane >= 0 && lane < step.lanes.length; lane += way) {
    const there = step.bars.filter((each) => each.lane === lane);
    const far = (each: Bar) => Math.max(each.start - middle, middle - each.start - each.length, 0);
    if (there.length) return there.reduce((best, each) => (far(each) < far(best) ? each : best)).index;
  }
  return at;
}

/* Draws a step: a ruler, a lane for each device and thread, bars, transfers, and what was waited for.
 *
 * Elements are made once for a step; zooming and panning only move them. */

export const GUTTER = 172;
export const ROW = 44;
export const TOP = 30;
const BAR = 28;
const END = 14; // kept free at the right
let drawn = 0; // how many Lanes there are, since names of clips hold for the whole page
const CLOSEST = 60; // pixels a microsecond

/* Which part of the step is seen: pixels a microsecond, and where its start is, from the gutter on. */
export interface Window {
  scale: number;
  x: number;
}

export const time = (micros: number): string => formatDuration(micros / 1e6);

/* What a bar says. */
function called(bar: Bar, step: Step): string {
  const last = bar.why === "transfer" ? step.bars[bar.waited]! : bar; // of those that come together
  if (bar.kind === "wait") return `waits for ${last.node.replace(/\/tuple\/control_dependency(_\d+)?$/, "").replace(/^.*\//, "")}`;
  return bar.kind === "send" ? "sends" : bar.op.replace(/Dataset$/, "");
}

export class Lanes {
  readonly content = s("g", { class: "mtfw-content" });
  view: Window = { scale: 1, x: 0 };
  private readonly clip = `mtfw-seen-${drawn++}`;
  private step: Step | undefined;
  private width = 640;
  private readonly rects: { group: SVGGElement; rect: SVGRectElement; text: SVGTextElement }[] = [];
  private readonly ruler = s("g", { class: "mtfw-ruler", "aria-hidden": "true" });
  private readonly arrows = s("g", { class: "mtfw-arrows", "aria-hidden": "true" });
  private readonly waits = s("g", { class: "mtfw-waits", "aria-hidden": "true" });

  get height(): number {
    return TOP + ROW * (this.step?.lanes.length ?? 1) + 6;
  }

  /* Shows another step, and all of it. */
  show(step: Step): void {
    this.step = step;
    this.rects.length = 0;
    const clip = s("clipPath", { id: this.clip }, s("rect", { class: "mtfw-seen" }));
    const bars = s("g", { "clip-path": `url(#${this.clip})` }, this.arrows);
    const names = s("g", {});
    step.lanes.forEach((lane, index) => {
      const y = TOP + ROW * index;
      const busy = `busy ${Math.round(lane.busy * 100)}%${lane.simulated ? ", simulated" : ""}`;
      const group = s("g", { role: "group", "aria-label": `${lane.label}, ${busy}` });
      for (const bar of step.bars) if (bar.lane === index) group.append(this.bar(bar, step));
      bars.append(group);
      names.append(
        s("rect", { class: index % 2 ? "mtfw-lane mtfw-odd" : "mtfw-lane", x: 0, y, height: ROW, "data-lane": index }),
        s("text", { class: "mtfw-strong", x: 12, y: y + 18 },
          s("tspan", { style: `fill:${lane.color}` }, lane.marker), ` ${lane.label}`),
        s("text", { class: "mtfw-lane-busy", x: 12, y: y + 34 }, busy),
      );
    });
    bars.append(this.waits);
    this.content.replaceChildren(clip, names, this.ruler, bars);
    this.fit();
  }

  private bar(bar: Bar, step: Step): SVGGElement {
    const rect = s("rect", { y: TOP + ROW * bar.lane + (ROW - BAR) / 2, height: BAR, rx: 2 });
    const text = s("text", { class: "mtfw-bar-name", y: TOP + ROW * bar.lane + ROW / 2 + 4 }, called(bar, step));
    const group = s(
      "g",
      {
        class: `mtfw-bar mtfw-is-${bar.kind}`,
        "data-bar": bar.index,
        role: "option",
        tabindex: -1,
        "aria-selected": "false",
        "aria-label": `${bar.name}, ${called(bar, step)}, ${time(bar.length)}`,
      },
      rect,
      text,
      s("title", {}, `${bar.name}\n${time(bar.length)} from ${time(bar.start)} on`),
    );
    this.rects[bar.index] = { group, rect, text };
    return group;
  }

  element(index: number): SVGGElement | undefined {
    return this.rects[index]?.group;
  }

  /* Colours the bars: by the kind of operation or by the device of their lane. */
  paint(by: string): void {
    for (const bar of this.step?.bars ?? []) {
      const own = ["send", "wait", "pipeline"].includes(bar.kind) || by === "kind";
      const color = own ? this.step!.kinds[bar.kind]![1] : this.step!.lanes[bar.lane]!.color;
      this.rects[bar.index]!.group.style.setProperty("--c", color);
    }
  }

  /* Lights the critical path, what is selected, and what the current bar waited for. */
  light(selected: string, current: number, critical: boolean): void {
    const step = this.step;
    if (!step) return;
    for (const bar of step.bars) {
      const { group } = this.rects[bar.index]!;
      const chosen = belongs(bar, selected) || bar.index === current;
      group.classList.toggle("mtfw-critical", critical && bar.critical);
      group.classList.toggle("mtfw-selected", chosen);
      group.setAttribute("aria-selected", String(chosen));
      group.setAttribute("tabindex", bar.index === current || (current < 0 && !bar.index) ? "0" : "-1");
    }
    this.arrows.replaceChildren(
      ...step.arrows.map(([from, to, size]) => {
        const a = step.bars[from]!;
        const b = step.bars[to]!;
        const lit = from === current || to === current || (Boolean(selected) && belongs(a, selected));
        const hot = critical && a.critical && b.critical && b.waited === from;
        return s(
          "g",
          { class: `mtfw-transfer${lit ? " mtfw-lit" : ""}${hot ? " mtfw-hot" : ""}`, "data-from": from, "data-to": to },
          s("path", { class: "mtfw-line" }),
          s("circle", { r: 3 }),
          lit && s("text", {}, formatBytes(size)),
          s("title", {}, `${a.node}, ${formatBytes(size)}`),
        );
      }),
    );
    const bar = step.bars[current];
    const before = bar && step.bars[bar.waited];
    this.waits.replaceChildren(
      ...(bar && before && before.lane !== bar.lane
        ? [s("path", { class: "mtfw-waited", "data-from": before.index, "data-to": bar.index })]
        : []),
    );
    this.move();
  }

  /* The space there is, in pixels. Shows all of the step if all of it was seen. */
  resize(width: number): void {
    const whole = this.isWhole();
    this.width = Math.max(width, GUTTER + 200);
    if (whole) this.fit();
    else this.move();
  }

  private get least(): number {
    return (this.width - GUTTER - END) / (this.step?.length ?? 1);
  }

  isWhole(): boolean {
    return this.view.scale <= this.least * 1.001;
  }

  fit(): void {
    this.look({ scale: this.least, x: 0 });
  }

  /* Zooms by a factor about a bar, or about the middle. */
  zoom(factor: number, index: number): void {
    const bar = this.step?.bars[index];
    const middle = bar ? this.at(bar.start + bar.length / 2) : 0;
    const about = middle > GUTTER && middle < this.width ? middle : (GUTTER + this.width) / 2;
    this.shift(about - about * factor, factor);
  }

  /* Takes a point at `p` pixels to `x + p * k`. */
  shift(x: number, k = 1): void {
    const scale = Math.min(Math.max(this.view.scale * k, this.least), CLOSEST);
    const real = scale / this.view.scale;
    const fixed = k === 1 ? 0 : x / (1 - k); // the point that stays
    const at = k === 1 ? this.view.x + x : fixed - (fixed - GUTTER - this.view.x) * real - GUTTER;
    this.look({ scale, x: at });
  }

  /* Brings a bar into sight, wide enough to be seen. */
  reveal(index: number): void {
    const bar = this.step?.bars[index];
    if (!bar) return;
    const room = this.width - GUTTER - END;
    const left = bar.start * this.view.scale + this.view.x;
    const right = left + bar.length * this.view.scale;
    if (left < 0 || right > room)
      this.look({ ...this.view, x: Math.max(20, (room - right + left) / 2) - bar.start * this.view.scale });
  }

  private look(to: Window): void {
    const room = this.width - GUTTER - END;
    const length = (this.step?.length ?? 1) * to.scale;
    this.view = { scale: to.scale, x: Math.min(0, Math.max(to.x, room - length)) };
    this.move();
  }

  private at(micros: number): number {
    return GUTTER + this.view.x + micros * this.view.scale;
  }

  /* Puts everything where it belongs now. */
  private move(): void {
    const step = this.step;
    if (!step) return;
    for (const bar of step.bars) {
      const { group, rect, text } = this.rects[bar.index]!;
      const x = this.at(bar.start);
      const width = Math.max(bar.length * this.view.scale, 1.2);
      const seen = x + width >= GUTTER && x <= this.width;
      group.style.display = seen ? "" : "none";
      if (!seen) continue;
      rect.setAttribute("x", x.toFixed(2));
      rect.setAttribute("width", width.toFixed(2));
      const left = Math.max(x, GUTTER);
      const free = Math.min(x + width, this.width) - left;
      const fits = free > (text.textContent ?? "").length * 6.6 + 8;
      text.style.display = fits ? "" : "none";
      if (fits) text.setAttribute("x", (left + free / 2).toFixed(1));
    }
    for (const lane of this.content.querySelectorAll(".mtfw-lane")) lane.setAttribute("width", String(this.width));
    const seen = this.content.querySelector(".mtfw-seen")!;
    for (const [name, value] of Object.entries({ x: GUTTER - 4, y: 0, width: this.width - GUTTER + 4, height: this.height }))
      seen.setAttribute(name, String(value));
    for (const each of this.arrows.children) this.transfer(each as SVGGElement);
    for (const each of this.waits.children) this.line(each as SVGGElement, each as SVGElement);
    const from = -this.view.x / this.view.scale;
    const to = from + (this.width - GUTTER - END) / this.view.scale;
    this.ruler.replaceChildren(
      ...ticks(from, to, Math.max(3, Math.floor(this.width / 130))).flatMap((micros) => [
        s("path", { d: `M${this.at(micros).toFixed(1)} ${TOP - 6}V${this.height}` }),
        this.tick(micros),
      ]),
    );
  }

  /* The words of a tick: to the right of its line, or to the left where they would be cut. */
  private tick(micros: number): SVGElement {
    const [x, words] = [this.at(micros), time(micros)];
    const cut = x + 3 + words.length * 6.6 > this.width;
    return s("text", { x: cut ? x - 3 : x + 3, y: TOP - 10, "text-anchor": cut ? "end" : "start" }, words);
  }

  private line(element: SVGElement, path: SVGElement): [number, number] {
    const [a, b] = [element.dataset.from, element.dataset.to].map((each) => this.step!.bars[Number(each)]!) as [Bar, Bar];
    const wait = b.kind === "wait";
    const from = this.at(a.start + a.length);
    const to = this.at(wait ? b.start + b.length : b.start);
    const [y, z] = [a, b].map((bar) => TOP + ROW * bar.lane + ROW / 2) as [number, number];
    path.setAttribute("d", `M${from.toFixed(1)} ${y}C${(from + 14).toFixed(1)} ${y} ${(to - 14).toFixed(1)} ${z} ${to.toFixed(1)} ${z}`);
    return [to, z];
  }

  private transfer(element: SVGGElement): void {
    const [x, y] = this.line(element, element.querySelector("path")!);
    const dot = element.querySelector("circle")!;
    dot.setAttribute("cx", x.toFixed(1));
    dot.setAttribute("cy", String(y));
    const text = element.querySelector("text");
    text?.setAttribute("x", (x + 7).toFixed(1));
    text?.setAttribute("y", String(y - ROW / 2 + 7));
  }
}

/* The panel beside the lanes: the current bar in words, and the ten slowest operations. */

const WHY = {
  input: "its input",
  transfer: "a transfer",
  turn: "queued on the device",
  "": "",
};

const jump = (name: string, go: () => void) => button(name, `Show ${name}`, go, { class: "mtfw-jump" });

/* What is known of one bar; `go` selects another. */
export function aboutBar(step: Step, bar: Bar, go: (index: number) => void): HTMLElement {
  const rows: [string, Node | string][] = [
    ["type", bar.op.replace(/^_/, "")],
    ["on", step.lanes[bar.lane]!.label],
    ["starts", `${time(bar.start)} into the step`],
    [bar.kind === "wait" ? "waits" : "takes", `${time(bar.length)}, ${((100 * bar.length) / step.length).toFixed(1)}% of the step`],
  ];
  if (bar.size) rows.push([bar.kind === "send" ? "sends" : "makes", formatBytes(bar.size)]);
  const before = step.bars[bar.waited];
  if (before) {
    rows.push(["waited for", h("span", {}, `${WHY[bar.why]}: `, jump(before.name, () => go(before.index)))]);
  }
  if (bar.critical) rows.push(["", "on the critical path: the step ends when it does"]);
  return h(
    "section",
    { class: "mtfw-about" },
    h("h3", {}, bar.name),
    listOf(rows),
  );
}

/* The operations that took longest, as a table of buttons. */
export function slowest(step: Step, go: (node: string, lane: number) => void): HTMLElement {
  const most = step.slowest[0]?.micros ?? 1;
  const rows = step.slowest.map((row) =>
    h(
      "tr",
      {},
      h("td", {}, jump(row.name, () => go(row.name, row.lane)),
        h("span", { class: "mtfw-muted" }, ` ${row.op}${row.runs > 1 ? `, ${row.runs} runs` : ""} on ${step.lanes[row.lane]!.label}`)),
      h("td", { class: "mtfw-cost" }, time(row.micros),
        h("span", { class: `mtfw-share${row.critical ? " mtfw-critical" : ""}`, style: `width:${(100 * row.micros) / most}%` })),
    ),
  );
  return h(
    "section",
    {},
    h("h3", {}, "Slowest operations"),
    h("table", {}, h("thead", { class: "mtfw-hidden" }, h("tr", {}, h("th", {}, "operation"), h("th", {}, "time"))), h("tbody", {}, ...rows)),
  );
}

export default widget("timeline", (model, root, signal) => {
  const lanes = new Lanes();
  let step: Step;
  let current = -1; // the bar that the keyboard is at

  const svg = s(
    "svg",
    { class: "mtfw-canvas", role: "listbox", "aria-label": "Operations by device and time", tabindex: -1 },
    lanes.content,
  );
  const { element: status, say } = statusLine();
  const heard = h("div", { class: "mtfw-hidden", "aria-live": "polite" });
  const stage = h("div", { class: "mtfw-stage" }, svg, status);
  const panel = h("aside", { class: "mtfw-panel", "aria-label": "Details", tabindex: 0 });
  const legend = h("ul", { class: "mtfw-flow mtfw-legend mtfw-list" });

  const light = () => lanes.light(model.get("selected"), current, model.get("show_critical"));

  function tell(): void {
    const bar = step.bars[current];
    panel.replaceChildren(
      bar ? aboutBar(step, bar, (index) => go(index)) : h("p", { class: "mtfw-hint mtfw-muted" }, "Click a bar, or use the arrow keys. Enter goes to what it waited for."),
      slowest(step, (name, lane) => go(step.bars.findIndex((each) => each.lane === lane && (each.name === name || each.node === name)))),
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
    several.hidden = steps.length < 2;
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
    standalone(svg, lanes.content, { x: 0, y: 0, width: stage.clientWidth || 640, height: lanes.height });
  const play = new PlayBar({
    label: "steps", length: model.get("steps").length, position: model.get("step"),
    describe: (at) => `step ${at + 1} of ${model.get("steps").length}`,
    onmove: (at) => put(model, "step", at), signal,
  });
  const several = h("div", { class: "mtfw-steps" }, play.element);
  const top = toolbar("Timeline", [colors.element, critical], [
    button("−", "Zoom out", () => zoom(1 / 1.5)),
    button("Fit", "Show the whole step", () => lanes.fit()),
    button("+", "Zoom in", () => zoom(1.5)),
    button("Chrome trace", "Save the step for chrome://tracing or Perfetto", () => {
      say("Asking Python for the trace", 4000);
      model.send({ do: "chrome_trace" });
    }),
    ...saveButtons("timeline", picture),
  ]);
  root.append(top, several, h("div", { class: "mtfw-body" }, stage, panel), h("div", { class: "mtfw-legend-holder" }, legend), heard);

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
    signal,
    () => lanes.isWhole() && say("Ctrl + wheel zooms"),
  );
  watch(model, ["steps", "step"], () => (play.resize(model.get("steps").length, model.get("step")), read()), signal);
  watch(model, ["color_by"], paint, signal);
  watch(model, ["show_critical"], () => (paint(), light()), signal);
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
  read();
});
