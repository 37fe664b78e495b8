/* Values of a run on the graph: what stands below a box, and the card about one step.
 *
 * A value comes as a summary (`summary` of run.py): a text, and where there is much of it a histogram or a
 * picture. The sizes are those of the static picture (picture.py). */
import { PlayBar } from "../common/controls";
import { button, h, type KeyTable, listOf, s } from "../common/dom";
import { formatDuration } from "../common/look";
import { type Tile, Track, valueTile } from "../common/motion";
import { type Model, put, watch } from "../common/widget";
import { type Chip, type Scene, type SceneBox, visibleAround, wayTo } from "./draw";

export interface Summary {
  text: string;
  full: string;
  type: string;
  low?: string;
  mean?: string;
  high?: string;
  bars?: number[];
  image?: { src: string; w: number; h: number; of: string };
  bad?: number;
  fed?: boolean;
}

export interface Step {
  op: string;
  type: string;
  ins: string[];
  outs: (Summary & { name: string })[];
  device?: string;
  fed?: boolean;
  note?: string;
  inside?: [string, number, string][];
  micros?: number;
}

export interface Recording {
  steps: Step[];
  alarm: { step?: number; text?: string };
  error: string;
  why: string;
  needed: number;
  ops: number;
}

export type State = "" | "unneeded" | "waiting" | "done" | "now";

export interface Shown {
  states: State[];
  chips: Map<number, number>; // by place of a box, the step whose value it shows
  wires: Record<string, string>;
}

/* What the graph shows in step `at` of a run, with the values of those up to `done`; the same as
 * `shown` of run.py. */
export function shown(scene: Scene, at: number, done = at): Shown {
  const states: State[] = scene.boxes.map((box) => (box.open ? "" : "unneeded"));
  const chips = new Map<number, number>();
  const wires: Record<string, string> = {};
  scene.run_at?.forEach(({ at: place, chip, wires: told }, number) => {
    if (states[place]) {
      if (number <= at) states[place] = number === at ? "now" : "done";
      else if (states[place] === "unneeded") states[place] = "waiting";
    }
    if (number > done) return;
    if (chip) chips.set(place, number);
    Object.assign(wires, told);
  });
  return { states, chips, wires };
}

const isBad = (told: Summary) => Boolean(told.bad) || told.type === "error";

/* The bars of a histogram, from (x, y) down. */
function bars(counts: number[], x: number, y: number, width: number, height: number): SVGGElement {
  const most = Math.max(...counts);
  const step = width / counts.length;
  return s("g", { class: "mtfw-bars" }, ...counts.map((count, k) => {
    const tall = (height * count) / most;
    return s("rect", { x: x + step * k, y: y + height - tall, width: step * 0.8, height: tall });
  }));
}

/* A value at the box `id`, or on its way: an image, a histogram or a text. */
export function drawChip(told: Summary, { x, y, w, h: height, text }: Chip, id?: string): SVGGElement {
  const inner = { x: x + 3, y: y + 3, width: w - 6, height: height - 6 };
  return s(
    "g",
    { class: id ? `mtfw-chip${isBad(told) ? " mtfw-bad" : ""}` : "mtfw-tile", "data-of": id },
    s("rect", { class: "mtfw-chip-ground", x, y, width: w, height, rx: 4 }),
    told.image
      ? s("image", { ...inner, href: told.image.src, class: "mtfw-thumbnail" })
      : told.bars && !isBad(told)
        ? bars(told.bars, inner.x, inner.y, inner.width, inner.height)
        : s("text", { class: "mtfw-chip-text", x: x + w / 2, y: y + height / 2, dy: ".35em" }, text),
    id && told.fed && (told.image || told.bars) ? s("text", { class: "mtfw-note", x: x + w + 4, y: y + 12 }, "fed") : null,
  );
}

/* A value at length: its picture, its histogram, its range. */
export function valueAtLength(told: Summary): HTMLElement {
  const graph = told.bars
    ? s("svg", { viewBox: "0 0 160 36", class: "mtfw-histogram", role: "img", "aria-label": `histogram ${told.full}` },
        bars(told.bars, 0, 0, 160, 36))
    : null;
  const picture = told.image
    ? h("img", { src: told.image.src, alt: told.image.of, title: told.image.of, class: "mtfw-thumbnail",
        style: `width:${Math.max(120, Math.min(240, told.image.w * 3))}px` })
    : null;
  return h(
    "div",
    { class: isBad(told) ? "mtfw-bad" : "" },
    picture,
    graph,
    graph ? h("div", { class: "mtfw-range" }, h("span", {}, told.low), h("span", {}, `mean ${told.mean}`), h("span", {}, told.high)) : null,
    graph && !isBad(told) ? null : h("code", { class: "mtfw-full" }, told.full),
  );
}

/* The card about one step: the op, what it got, what it made. */
export function card(recording: Recording, at: number, tell: (tensor: string) => Summary | undefined,
                     go: (id: string) => void): HTMLElement {
  const step = recording.steps[at]!;
  const row = (name: string, told: Summary | undefined) =>
    h("li", {},
      h("code", {}, name),
      told ? h("span", { class: "mtfw-type" }, told.type) : null,
      told ? valueAtLength(told) : null);
  const list = (title: string, rows: HTMLElement[]) =>
    rows.length ? [h("h4", {}, title), h("ul", { class: "mtfw-tensors mtfw-list" }, ...rows)] : [];
  return h(
    "section",
    { class: "mtfw-card", "aria-label": "The step shown" },
    h("h3", {}, button(step.op, `Show ${step.op}`, () => go(step.op), { class: "mtfw-jump" })),
    h("p", { class: "mtfw-type" }, [step.type, step.device, step.micros && formatDuration(step.micros / 1e6)].filter(Boolean).join(", ")),
    recording.alarm.step === at ? h("p", { class: "mtfw-bad" }, `⚠ ${recording.alarm.text}`) : null,
    step.note ? h("p", {}, step.note) : null,
    ...list(step.fed ? "Fed" : "Made", step.outs.map((out) => row(out.name || "error", out))),
    ...list("From", step.ins.map((name) => row(name, tell(name)))),
    step.inside ? h("h4", {}, "Inside, last turn") : null,
    step.inside && listOf(step.inside.map(([name, count, text]) => [name.split("/").pop(), `${text} (${count} ×)`])),
  );
}

/* Steps through a recorded run: the play bar under the graph, and what lights up on it.
 *
 *   recording, step, stops (from Python) -> Player -> classes of boxes, chips, labels of wires
 *   the bar, keys  -> step, breakpoints (to Python, once the reader rests)
 *
 * The page holds the whole recording, so that a step needs no answer from Python. */

const REST = 250; // ms without a move until Python hears of it
const SPEEDS = [0.5, 1, 2, 5, 10, 20, 50];

interface Hooks {
  /* Selects the box of an op. */
  go: (id: string) => void;
  /* Brings a box into view. */
  follow: (box: SceneBox) => void;
  /* Draws the panel again. */
  tell: () => void;
  say: (text: string) => void;
}

export class Player {
  readonly element: HTMLElement;
  readonly layer = s("g", { class: "mtfw-values", "aria-hidden": "true" });
  readonly keys: KeyTable;
  private recording: Recording;
  private tensors = new Map<string, Summary>();
  private scene!: Scene;
  private boxes: Element[] = [];
  private wires = new Map<string, Element>();
  private chips = new Map<number, { step: number; element: SVGGElement }>(); // by place of a box
  private before?: Shown;
  private pinned = -1; // the step of the op that the reader selected, until the run moves on
  private timer = 0;
  private readonly bar: PlayBar;
  private readonly needed = h("span", { class: "mtfw-type" });
  private readonly note = h("div", { class: "mtfw-run-note" });
  private readonly breaker: HTMLButtonElement;
  private readonly dots = s("g", {});
  private readonly moving = s("g", { class: "mtfw-screen-only" });
  /* The value that the pointer is at. */
  readonly peek = h("div", { class: "mtfw-peek", hidden: true, "aria-hidden": "true" });

  constructor(private readonly model: Model, private readonly hooks: Hooks, signal: AbortSignal) {
    this.recording = model.get("recording") ?? {};
    this.bar = new PlayBar({
      label: "the run", length: 0, speeds: SPEEDS, speed: 2, signal,
      describe: (at) => `${at + 1} of ${this.recording.steps?.length ?? 0}`,
      onmove: (at) => this.moved(at), draw: (at) => this.paint(at),
    });
    this.breaker = button("Stop here", "Stop playing at this op", () => this.toggleBreak());
    const end = button("×", "End the run: the whole graph again", () => put(model, "recording", {}));
    this.element = h("div", { class: "mtfw-run" }, this.bar.element, this.breaker, this.needed, end, this.note);
    this.keys = {
      ".": () => this.bar.step(1),
      ",": () => this.bar.step(-1),
      p: () => this.bar.toggle(),
      b: () => this.toggleBreak(),
    };
    for (const way of ["pointerover", "pointerout"]) this.layer.addEventListener(way, (event) => this.look(event), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    watch(model, ["details"], () => this.pin(), signal);
    watch(model, ["recording"], () => (this.load(), hooks.tell()), signal);
    watch(model, ["step"], () => this.sync(), signal);
    watch(model, ["breakpoints", "selected"], () => this.mark(), signal);
    this.load();
  }

  get shows(): boolean {
    return Boolean(this.recording.steps?.length);
  }

  /* Takes a scene that has just been drawn; `boxes` and `wires` are its elements, in its order. */
  draw(scene: Scene, boxes: SVGGElement, wires: SVGGElement): void {
    this.scene = scene;
    this.boxes = [...boxes.children];
    this.wires = new Map([...wires.querySelectorAll("[data-wire]")].map((wire) => [wire.getAttribute("data-wire")!, wire]));
    this.before = undefined;
    this.chips.clear();
    this.layer.replaceChildren(this.dots, this.moving);
    this.bar.look();
    this.mark();
  }

  /* How much room below the boxes the values need. */
  get margin(): number {
    return this.shows ? 16 : 0;
  }

  /* The card about the present step, or the selected op's. */
  card(): HTMLElement | null {
    if (!this.shows) return null;
    const at = this.pinned >= 0 ? this.pinned : this.bar.position;
    return card(this.recording, at, (name) => this.tensors.get(name), this.hooks.go);
  }

  private load(): void {
    this.recording = this.model.get("recording") ?? {};
    const { steps = [], alarm, why, error, needed, ops } = this.recording;
    this.tensors = new Map(steps.flatMap((step) => step.outs.map((out) => [out.name, out] as const)));
    this.element.hidden = !steps.length;
    this.pinned = -1;
    this.bar.pause();
    this.bar.resize(steps.length, this.model.get("step"));
    this.needed.textContent = `${needed} of ${ops} ops are needed`;
    this.note.replaceChildren(
      ...[why, error].filter(Boolean).map((text) => h("p", { class: error === text ? "mtfw-bad" : "" }, text)),
    );
    if (alarm?.text)
      this.note.append(button(`⚠ ${alarm.text}`, "Show where the first NaN or infinity was made",
        () => (this.bar.pause(), this.bar.go(alarm.step!)), { class: "mtfw-jump mtfw-bad" }));
    this.bar.look();
  }

  private pin(): void {
    const { name } = this.model.get("details") ?? {};
    this.pinned = name && this.shows ? this.recording.steps.findIndex((step) => step.op === name) : -1;
  }

  /* Python moved. */
  private sync(): void {
    const at = this.model.get("step");
    if (at === this.bar.position || !this.shows || at < 0) return;
    this.bar.resize(this.recording.steps.length, at);
    this.bar.look();
    this.hooks.tell();
  }

  /* The reader, or the clock, moved. */
  private moved(at: number): void {
    const stops: number[] = this.model.get("stops") ?? [];
    if (this.bar.playing && (stops.includes(at) || this.recording.alarm.step === at)) this.bar.pause();
    this.pinned = -1;
    const box = this.scene?.boxes[this.scene.run_at?.[at]?.at ?? -1];
    if (box) this.hooks.follow(box);
    this.hooks.tell();
    if (!this.bar.playing) {
      const step = this.recording.steps[at]!;
      this.hooks.say([step.op, step.type, step.outs[0]?.full].filter(Boolean).join(", "));
    }
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.report(), REST);
  }

  private report(): void {
    clearTimeout(this.timer);
    if (this.bar.playing) this.timer = window.setTimeout(() => this.report(), REST);
    else if (this.model.get("step") !== this.bar.position) put(this.model, "step", this.bar.position);
  }

  /* Draws a moment: only what differs from the one before. Returns the values on their way. */
  private paint(at: number): Tile[] {
    this.moving.replaceChildren();
    if (!this.scene?.boxes) return [];
    if (!this.shows || !this.scene.run_at) {
      this.boxes.forEach((box) => box.removeAttribute("data-run"));
      this.chips.clear();
      this.layer.replaceChildren(this.dots, this.moving);
      return [];
    }
    const { run_at: made, boxes, wires } = this.scene;
    const now = shown(this.scene, this.bar.position, Math.floor(at));
    now.states.forEach((state, place) => {
      if (state !== this.before?.states[place]) this.boxes[place]?.setAttribute("data-run", state);
    });
    for (const [place, { step, element }] of this.chips)
      if (now.chips.get(place) !== step) {
        element.remove();
        this.chips.delete(place);
      }
    for (const [place, step] of now.chips)
      if (!this.chips.has(place)) {
        const element = drawChip(this.recording.steps[step]!.outs[0]!, made[step]!.chip!, boxes[place]!.id);
        element.dataset.step = String(step);
        this.chips.set(place, { step, element });
        this.moving.before(element);
      }
    const hidden = new Set([...now.chips.values()].flatMap((step) => made[step]!.chip!.hides));
    for (const wire of wires) {
      const label = wire.label && this.wires.get(wire.id)?.querySelector(".mtfw-shape-label");
      if (!label) continue;
      const text = now.wires[wire.id] ?? wire.label;
      if (label.textContent !== text) label.textContent = text;
      label.toggleAttribute("data-hidden", hidden.has(wire.id));
    }
    this.before = now;
    const tiles = Number.isInteger(at) ? [] : this.tilesTo(Math.ceil(at));
    this.moving.append(...tiles.map((tile) => tile.body));
    return tiles;
  }

  /* What a step takes, as it stands at other boxes, on the wires to its own. */
  private tilesTo(number: number): Tile[] {
    const { boxes, run_at: places = [] } = this.scene;
    const { steps } = this.recording;
    const id = boxes[places[number]!.at]?.id ?? "";
    return [...new Set(steps[number]!.ins)].flatMap((name) => {
      const [told, way] = [this.tensors.get(name), wayTo(this.scene, id, name)];
      if (!told || !way) return [];
      const chip = places[steps.findIndex((step) => step.outs[0]?.name === name)]?.chip;
      const seen = chip && (told.image ?? told.bars) && { ...chip, x: -chip.w / 2, y: -chip.h / 2 };
      const body = seen && !isBad(told) ? drawChip(told, seen) : valueTile(told.text, isBad(told) ? "mtfw-bad" : "");
      return [{ body, way: new Track(way) }];
    });
  }

  /* Shows the value under the pointer at length, beside it. */
  private look(event: Event): void {
    const chip = (event.target as Element).closest<SVGGElement>(".mtfw-chip");
    const stage = this.peek.parentElement;
    const step = Number(chip?.dataset.step);
    const told = this.recording.steps?.[step]?.outs[0];
    this.peek.hidden = event.type === "pointerout" || !told || !stage;
    if (this.peek.hidden) return;
    const value = valueAtLength({ ...told!, full: this.scene.run_at![step]!.chip!.full });
    this.peek.replaceChildren(h("code", {}, told!.name), h("div", { class: "mtfw-type" }, told!.type), value);
    const [at, frame] = [chip!.getBoundingClientRect(), stage!.getBoundingClientRect()];
    const { offsetWidth: width, offsetHeight: height } = this.peek;
    const right = at.right - frame.left + 6;
    const left = right + width < frame.width ? right : at.left - frame.left - 6 - width;
    this.peek.style.left = `${Math.max(4, left)}px`;
    this.peek.style.top = `${Math.max(4, Math.min(at.top - frame.top, frame.height - height - 4))}px`;
  }

  /* The boxes with breakpoints, and whether the button would add one. */
  private mark(): void {
    const names: string[] = this.model.get("breakpoints") ?? [];
    const boxes = names.map((name) => this.scene?.boxes && visibleAround(this.scene, name));
    this.dots.replaceChildren(
      ...boxes.filter((box) => !!box).map((box) =>
        s("circle", { class: "mtfw-breakpoint", cx: box.x, cy: box.y + 4, r: 6 }, s("title", {}, "breakpoint"))),
    );
    const here = this.here();
    this.breaker.setAttribute("aria-pressed", String(names.includes(here)));
    this.breaker.disabled = !here;
  }

  /* The box that a breakpoint would be set on: the selected one, else the one that is lit. */
  private here(): string {
    const place = this.scene?.run_at?.[this.bar.position]?.at ?? -1;
    return this.model.get("selected") || (this.scene?.boxes?.[place]?.id ?? "");
  }

  private toggleBreak(): void {
    const here = this.here();
    if (!here || !this.shows) return;
    const names: string[] = this.model.get("breakpoints") ?? [];
    put(this.model, "breakpoints", names.includes(here) ? names.filter((name) => name !== here) : [...names, here]);
  }
}
