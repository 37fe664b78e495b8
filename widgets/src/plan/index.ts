/* The front end of a session's plan.
 *
 *   passes, scene, marks (from Python) -> program | graph       slider, clicks, drags -> stage,
 *                                                               selected, placement (to Python)
 *
 * A line and the boxes of its operations light up together, whichever of them is clicked.
 */
import { PlayBar, statusLine, toolbar } from "../common/controls";
import { button, h, listenKeys, s, tableOf } from "../common/dom";
import { saveButtons, standalone } from "../common/export";
import { formatBytes, formatDuration } from "../common/look";
import { put, watch, widget } from "../common/widget";
import { GraphCanvas } from "../graph/canvas";
import { drawLinks, drawScene, findBox, type Scene } from "../graph/draw";

/* The program of a pass: one row a line, coloured, marked where the pass changed it. */
export type Row = [mark: "" | "+" | "-", text: string, ops: string[]];

const TOKENS =
  /(#.*$)|\b(def|return|del|for|in|if|else|while|try|except|finally|with|as|None|True|False|not|and|or)\b|\b(op_\w+|np_\w+|fused\w*|rendezvous(?:\.\w+)?|receive|plain|owned)\b|\b(\d[\w.]*)\b/g;
const CLASSES = ["", "mtfw-note", "mtfw-word", "mtfw-call", "mtfw-number"];

/* A line in pieces: [class, text]. */
export function tokens(line: string): [string, string][] {
  const pieces: [string, string][] = [];
  let at = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > at) pieces.push(["", line.slice(at, match.index)]);
    pieces.push([CLASSES[match.slice(1).findIndex((part) => part !== undefined) + 1]!, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < line.length) pieces.push(["", line.slice(at)]);
  return pieces;
}

/* A line with the middles of long names left out. */
const brief = (text: string) => text.replace(/\w{25,}/g, (name) => `${name.slice(0, 12)}…\u2060${name.slice(-11)}`);

const SAID = { "": "", "+": "new: ", "-": "gone: " };

export function drawCode(rows: Row[]): HTMLElement[] {
  return rows.map(([mark, text, ops], index) =>
    h(
      "div",
      {
        class: `mtfw-row${mark === "+" ? " mtfw-new" : mark === "-" ? " mtfw-gone" : ""}`,
        role: "option",
        tabindex: -1,
        "data-row": index,
        "aria-selected": "false",
        "aria-label": `${SAID[mark]}${text.trim() || "blank"}`,
        title: brief(text) === text ? ops.join(", ") || undefined : text.trim(),
      },
      h("span", { class: "mtfw-mark", "aria-hidden": "true" }, mark === "-" ? "−" : mark || " "),
      h("span", { class: "mtfw-indent" }, /^ */.exec(text)![0]),
      ...tokens(text.trimStart()).map(([kind, piece]) => h("span", { class: kind || undefined }, brief(piece))),
    ),
  );
}

/* Where boxes are put: the session's devices, what is tried on them, and what comes of it. */

export interface Device {
  name: string;
  label: string;
  simulated: boolean;
  color?: string;
  marker?: string;
}

export interface Trial {
  problem?: string;
  transfers?: [tensor: string, from: string, to: string, bytes: number, news: "" | "new" | "gone"][];
  counts?: [number, number];
  bytes?: [string, string];
  predicted?: number;
  measured?: [number, number];
  runs?: number;
  code?: string;
}

export interface PlaceActs {
  place(device: string | null): void;
  back(name: string): void;
  measure(): void;
}

/* What a box is called in a placement: the name of its scope or operation. */
export function placedName(id: string): string {
  return id.replace(/(^|\/)\(([^/]*)\)$/, (_, slash: string, own: string) => (slash ? "" : own));
}

export function drawPlaces(devices: Device[], selected: string, acts: PlaceActs): HTMLElement {
  const what = placedName(selected);
  const chips = devices.map((device) =>
    h(
      "button",
      {
        type: "button", class: "mtfw-button mtfw-device", "data-device": device.name, disabled: !what,
        title: device.simulated ? "Simulated: computes on the processor, with its own memory" : device.name,
        onclick: () => acts.place(device.name),
      },
      h("span", { class: "mtfw-dot", style: `color:${device.color ?? "var(--of-scope)"}`, "aria-hidden": "true" }, device.marker || "○"),
      device.label,
      device.simulated && h("small", { class: "mtfw-muted" }, " simulated"),
    ),
  );
  return h(
    "div",
    { class: "mtfw-flow mtfw-places", role: "group", "aria-label": "Devices" },
    h("span", {}, what ? "Put " : "Select a box, or drag it to a device:", what && h("code", {}, what), what && " on"),
    ...chips,
  );
}

export function drawTrial(placement: Record<string, string>, devices: Device[], trial: Trial, acts: PlaceActs): HTMLElement[] {
  const names = Object.keys(placement);
  const label = (name: string) => devices.find((device) => device.name === name)?.label ?? name;
  const parts: HTMLElement[] = [];
  if (names.length)
    parts.push(
      h("div", { class: "mtfw-flow mtfw-tags" }, h("span", {}, "Tried:"),
        ...names.map((name) =>
          h("span", { class: "mtfw-tag" }, h("code", {}, name), ` on ${label(placement[name]!)}`,
            button("×", `Put ${name} back`, () => acts.back(name), { class: "mtfw-button mtfw-back" }))),
        button("Measure", "Run both placements in turn and compare their times", acts.measure)),
    );
  if (trial.problem) parts.push(h("p", { class: "mtfw-problem", role: "alert" }, trial.problem));
  if (!names.length || !trial.counts) return parts;
  const [before, after] = trial.measured ?? [];
  const change = (ratio: number) => `${ratio < 1 ? "−" : "+"}${Math.abs(Math.round(100 * (ratio - 1)))}%`;
  const table = tableOf("What the placement changes", [
    ["", "now", "tried", "change"],
    ["transfers", ...trial.counts.map(String), ""],
    ["bytes", ...trial.bytes!, ""],
    ["step, predicted", "", "", change(trial.predicted!)],
    before !== undefined && after !== undefined
      ? [`step, measured (${trial.runs} each)`, formatDuration(before), formatDuration(after), change(after / before)]
      : ["step, measured", "", "", "–"],
  ]);
  const cuts = h(
    "details",
    {},
    h("summary", {}, "Transfers"),
    h("ul", {}, ...trial.transfers!.map(([tensor, from, to, size, news]) =>
      h("li", { class: news ? `mtfw-${news}` : undefined }, h("code", {}, tensor), ` ${from} → ${to}, ${size ? formatBytes(size) : "only a signal"}`,
        news && h("strong", {}, ` ${news}`)))),
  );
  const code = h("details", {}, h("summary", {}, "Code to paste"), h("pre", { tabindex: 0 }, trial.code ?? ""));
  parts.push(h("div", { class: "mtfw-outcome" }, table, h("div", {}, cuts, code)));
  return parts;
}

/* The graph beside the program: GraphView's drawing, with what became of each box. */

export interface Acts {
  select(id: string): void;
  toggle(id: string): void;
  /* The reader drags a box over the page and lets it go at a point. */
  drop(id: string, x: number, y: number): void;
}

export class GraphPane {
  private readonly canvas: GraphCanvas;
  readonly element: HTMLElement;
  private dragged = false; // the click that ends a drag selects nothing

  constructor(private readonly acts: Acts, signal: AbortSignal) {
    this.canvas = new GraphCanvas(acts, signal);
    this.element = h("div", { class: "mtfw-graph mtfw-pane" }, this.canvas.svg);
    this.drag(signal);
    this.canvas.follow(this.element, () => this.canvas.fitted && this.refit(), signal);
  }

  get scene(): Scene | undefined {
    return this.canvas.scene;
  }

  /* A box that is dragged away from its place goes over the whole page, not only over the graph. */
  private drag(signal: AbortSignal): void {
    const { svg } = this.canvas;
    let held = "";
    let from = { x: 0, y: 0 };
    let ghost: HTMLElement | undefined;
    const end = () => {
      ghost?.remove();
      ghost = undefined;
      held = "";
    };
    svg.addEventListener("pointerdown", (event) => {
      const id = this.canvas.boxOf(event);
      const box = this.scene && findBox(this.scene, id);
      held = box && !box.open && event.button === 0 ? id : "";
      from = { x: event.clientX, y: event.clientY };
      if (held) event.stopImmediatePropagation(); // no pan
    }, { signal, capture: true });
    document.addEventListener("pointermove", (event) => {
      if (!held) return;
      if (!ghost && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 6) return;
      if (!ghost) {
        ghost = h("div", { class: "mtfw-ghost" }, held);
        this.element.closest(".mtfw")!.append(ghost);
      }
      ghost.style.transform = `translate(${event.clientX + 10}px, ${event.clientY + 6}px)`;
    }, { signal, capture: true });
    document.addEventListener("pointerup", (event) => {
      this.dragged = ghost !== undefined && svg.contains(event.target as Node);
      if (ghost) this.acts.drop(held, event.clientX, event.clientY);
      end();
    }, { signal, capture: true });
    document.addEventListener("pointercancel", end, { signal });
    svg.addEventListener("click", (event) => {
      if (this.dragged) event.stopImmediatePropagation();
      this.dragged = false;
    }, { signal, capture: true });
  }

  show(scene: Scene): void {
    if (!scene?.boxes) return;
    this.canvas.scene = scene;
    const { boxes, wires } = drawScene(scene, "");
    this.canvas.content.replaceChildren(boxes, wires);
    if (this.canvas.fitted) this.refit();
    this.canvas.settle(false);
  }

  /* Writes on each box what became of it; `fresh` are those that this pass changed. */
  mark(marks: Record<string, string>, fresh: Set<string>): void {
    this.canvas.content.querySelectorAll(".mtfw-badge").forEach((badge) => badge.remove());
    for (const group of this.canvas.items()) {
      const id = group.dataset.id!;
      const fate = marks[id] ?? "";
      for (const name of [...group.classList]) if (name.startsWith("mtfw-fate-")) group.classList.remove(name);
      group.classList.toggle("mtfw-fresh", fresh.has(id));
      if (!fate) continue;
      group.classList.add(/^\d/.test(fate) ? "mtfw-fate-part" : `mtfw-fate-${fate}`);
      const width = fate.length * 7 + 10;
      group.append(
        s("g", { class: "mtfw-badge", transform: "translate(-4 -11)" },
          s("rect", { width, height: 16, rx: 8 }),
          s("text", { x: width / 2, y: 12 }, fate)),
      );
    }
  }

  /* Lights boxes up, and brings the first of them into sight. */
  light(ids: Set<string>, selected: string): void {
    for (const group of this.canvas.items()) {
      const here = ids.has(group.dataset.id!) || group.dataset.id === selected;
      group.classList.toggle("mtfw-selected", here);
      group.setAttribute("aria-selected", String(here));
    }
    const { content, scene } = this.canvas;
    if (selected) this.canvas.current = selected;
    content.querySelector(".mtfw-links")?.remove();
    if (scene && selected) content.append(drawLinks(scene, selected));
    const box = scene && findBox(scene, ids.values().next().value ?? selected);
    if (box && !this.canvas.sees(box)) this.canvas.reveal(box.id);
    this.canvas.settle(false);
  }

  refit(): void {
    this.canvas.fit(1.1);
  }

  /* The graph as it is drawn, as the text of an SVG document. */
  picture(): string {
    const { svg, content, scene } = this.canvas;
    const box = { x: 0, y: -14, width: Math.max(scene!.width, 200), height: scene!.height + 14 };
    return standalone(svg, content, box);
  }
}

interface Pass {
  name: string;
  purpose: string;
  rows: Row[];
  fates: string[];
}

const LEGEND: [fate: string, words: string][] = [
  ["pruned", "not needed for what is fetched"],
  ["folded", "a constant now"],
  ["merged", "the same as another"],
  ["removed", "left out"],
  ["fused", "fused with others"],
];

export default widget("plan", (model, root, signal) => {
  let line = -1; // the row that the reader is at

  const pass = (): Pass => model.get("passes")[model.get("stage")] ?? model.get("passes")[0];
  const code = h("div", { class: "mtfw-code", role: "listbox", "aria-label": "The program", tabindex: 0 });
  const head = h("div", { class: "mtfw-head", "aria-live": "polite" });
  const places = h("div", { class: "mtfw-place" });
  const legend = h("ul", { class: "mtfw-flow mtfw-legend mtfw-list" });
  const { element: status, say } = statusLine();
  const pane = new GraphPane(
    {
      select: (id) => (id || model.get("selected")) && ((line = -1), choose(id)),
      toggle: (id) => {
        const open: string[] = model.get("expanded");
        if (pane.scene?.boxes.find((box) => box.id === id)?.expandable)
          put(model, "expanded", open.includes(id) ? open.filter((name) => name !== id) : [...open, id]);
      },
      drop: (id, x, y) => {
        const device = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-device]")?.dataset.device;
        if (device) place(id, device);
      },
    },
    signal,
  );

  function choose(id: string): void {
    if (model.get("selected") !== id) put(model, "selected", id);
    else light();
  }

  /* Which operations are lit: those of the line, or those of the selected box. */
  function lit(): Set<string> {
    const row = pass().rows[line];
    if (row?.[2].length) return new Set(row[2]);
    const where: Record<string, string> = model.get("where");
    const id: string = model.get("selected");
    const inside = Object.keys(where).filter((name) => id && (where[name] === id || name.startsWith(`${id}/`) || name === id));
    return new Set(inside);
  }

  function light(): void {
    const ops = lit();
    const where: Record<string, string> = model.get("where");
    const boxes = new Set([...ops].map((name) => where[name]).filter((id): id is string => Boolean(id)));
    const one = Boolean(pass().rows[line]?.[2].length);
    pane.light(one ? boxes : new Set(), one ? "" : model.get("selected"));
    let first: HTMLElement | undefined;
    for (const item of code.children as unknown as Iterable<HTMLElement>) {
      const index = Number(item.dataset.row);
      const here = one ? index === line : pass().rows[index]![2].some((name) => ops.has(name));
      item.classList.toggle("mtfw-lit", here);
      item.setAttribute("aria-selected", String(here));
      item.setAttribute("tabindex", index === Math.max(line, 0) ? "0" : "-1");
      if (here) first ??= item;
    }
    if (first && (first.offsetTop < code.scrollTop || first.offsetTop > code.scrollTop + code.clientHeight - 40))
      code.scrollTop = first.offsetTop - code.clientHeight / 3;
    tellPlaces();
  }

  function goLine(index: number, focus: boolean): void {
    const row = pass().rows[index];
    if (!row) return;
    line = index;
    const op = row[2][row[2].length - 1];
    const box: string | undefined = op && model.get("where")[op];
    if (box) choose(box);
    light();
    if (focus) code.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
  }

  function draw(): void {
    const { name, purpose, rows } = pass();
    const stage: number = model.get("stage");
    head.replaceChildren(h("h3", {}, name), h("span", {}, purpose));
    code.replaceChildren(...drawCode(rows));
    line = -1;
    const changed = code.querySelector<HTMLElement>(".mtfw-new, .mtfw-gone");
    code.scrollTop = changed ? Math.max(0, changed.offsetTop - 60) : 0;
    mark(stage);
    light();
  }

  function mark(stage: number): void {
    const marks: Record<string, string>[] = model.get("marks");
    const now = marks[stage] ?? {};
    const before = marks[stage - 1] ?? (stage ? {} : now);
    pane.mark(now, new Set(Object.keys(now).filter((id) => now[id] !== before[id])));
    const seen = new Set(pass().fates);
    legend.replaceChildren(
      ...LEGEND.filter(([fate]) => seen.has(fate)).map(([fate, words]) =>
        h("li", {}, h("span", { class: `mtfw-badge mtfw-fate-${fate}` }, fate), words)),
      ...(model.get("scene").legend ?? []).map((entry: { color: string; marker: string; label: string }) =>
        h("li", {}, h("span", { style: `color:${entry.color}`, "aria-hidden": "true" }, entry.marker || "●"), entry.label)),
    );
  }

  // ---- placement ---------------------------------------------------------------------------

  function devices(): Device[] {
    const looks: { title: string; color: string; marker: string }[] = model.get("scene").legend ?? [];
    return model.get("devices").map((device: Device) => ({ ...looks.find((look) => look.title === device.name), ...device }));
  }

  /* Puts a box on a device: by its scope's name or, for a bundle of scopes, by the name of each. */
  function place(id: string, device: string): void {
    const name = placedName(id);
    const where: Record<string, string> = model.get("where");
    const ops = Object.keys(where).filter((op) => where[op] === id);
    const named = !ops.length || ops.every((op) => op === name || op.startsWith(`${name}/`));
    const depth = id.split("/").length;
    const names = named ? [name] : new Set(ops.map((op) => op.split("/").slice(0, depth).join("/")));
    const added = Object.fromEntries([...names].map((each) => [each, device]));
    ask("placement", { ...model.get("placement"), ...added });
  }

  function ask(name: string, value: unknown): void {
    put(model, name, value);
    say("Trying it on a copy of the session…", 15_000);
  }

  const acts = {
    place: (device: string | null) => device && place(model.get("selected"), device),
    back: (name: string) => {
      const { [name]: _, ...rest } = model.get("placement");
      ask("placement", rest);
    },
    measure: () => {
      say("Measuring both placements…", 15_000);
      model.send({ do: "measure" });
    },
  };

  function tellPlaces(): void {
    places.hidden = model.get("devices").length < 2;
    const open = [...places.querySelectorAll("details")].map((each) => each.open);
    places.replaceChildren(
      drawPlaces(devices(), model.get("selected"), acts),
      ...drawTrial(model.get("placement"), devices(), model.get("trial"), acts),
    );
    places.querySelectorAll("details").forEach((each, index) => (each.open = open[index] ?? false));
  }

  // ---- the whole ---------------------------------------------------------------------------

  const play = new PlayBar({
    label: "passes", length: model.get("passes").length, position: model.get("stage"), speeds: [0.2, 0.5, 1],
    describe: (at) => `${at} of ${model.get("passes").length - 1}: ${model.get("passes")[at]?.name}`,
    onmove: (at) => put(model, "stage", at), signal,
  });
  root.append(
    toolbar("Passes", [play.element], [
      button("Fit", "Show the whole graph", () => pane.refit()),
      ...saveButtons("plan", () => pane.picture(), "graph"),
    ]),
    head,
    h("div", { class: "mtfw-body" }, code, pane.element),
    places,
    h("div", { class: "mtfw-legend-holder" }, legend, status),
  );
  const rowOf = (event: Event) => Number((event.target as Element).closest<HTMLElement>(".mtfw-row")?.dataset.row ?? -1);
  code.addEventListener("click", (event) => goLine(rowOf(event), true), { signal });
  const walk = (way: number) => () => goLine(Math.min(Math.max(line + way, 0), pass().rows.length - 1), true);
  listenKeys(code, { ArrowDown: walk(1), ArrowUp: walk(-1), Home: () => goLine(0, true), End: walk(1e6) }, signal);
  listenKeys(root, { "[": () => play.step(-1), "]": () => play.step(1), "0": () => pane.refit(), Escape: () => choose("") }, signal);

  watch(model, ["passes", "stage"], () => (play.resize(model.get("passes").length, model.get("stage")), draw()), signal);
  watch(model, ["scene"], () => (pane.show(model.get("scene")), mark(model.get("stage")), light()), signal);
  watch(model, ["where", "selected"], light, signal);
  watch(model, ["marks"], () => mark(model.get("stage")), signal);
  watch(model, ["placement", "devices"], tellPlaces, signal);
  watch(model, ["trial"], () => (say(""), tellPlaces()), signal);
  pane.show(model.get("scene"));
  draw();
});
