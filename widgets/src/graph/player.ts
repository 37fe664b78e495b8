/* Steps through a recorded run: the play bar under the graph, and what lights up on it.
 *
 *   recording, step, stops (from Python) -> Player -> classes of boxes, chips, labels of wires
 *   the bar, keys  -> step, breakpoints (to Python, once the reader rests)
 *
 * The page holds the whole recording, so that a step needs no answer from Python. */
import { card, type Rect, type Shown } from "./values";
import { PlayBar } from "../common/controls";
import { button, h, type KeyTable, listenKeys, s } from "../common/dom";
import { type Model, put, watch } from "../common/widget";
import { type Scene, type SceneBox, visibleAround } from "./draw";
import {
  backward, chipRect, covers, drawChip, type Recording, shown, type Summary, wireText,
} from "./values";

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
  private chips = new Map<number, { told: Summary; element: SVGGElement; rect: Rect }>();
  private up = new Set<string>(); // the boxes in lanes
  private before?: Shown;
  private pinned = -1; // the step of the op that the reader selected, until the run moves on
  private timer = 0;
  private readonly bar: PlayBar;
  private readonly needed = h("span", { class: "mtfw-type" });
  private readonly note = h("div", { class: "mtfw-run-note" });
  private readonly breaker: HTMLButtonElement;
  private readonly dots = s("g", {});

  constructor(private readonly model: Model, private readonly hooks: Hooks, signal: AbortSignal) {
    this.recording = model.get("recording") ?? {};
    this.bar = new PlayBar({
      label: "the run", length: 0, speeds: SPEEDS, speed: 2, signal,
      describe: (at) => `${at + 1} of ${this.recording.steps?.length ?? 0}`,
      onmove: (at) => this.moved(at),
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
    const { Space: _, ...arrows } = this.bar.keys; // on a button Space presses it
    listenKeys(this.bar.element, arrows, signal);
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
    this.up = backward(scene);
    this.chips.clear();
    this.layer.replaceChildren(this.dots);
    this.paint();
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
    this.paint();
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
    this.paint();
    this.hooks.tell();
  }

  /* The reader, or the clock, moved. */
  private moved(at: number): void {
    const stops: number[] = this.model.get("stops") ?? [];
    if (this.bar.playing && (stops.includes(at) || this.recording.alarm.step === at)) this.bar.pause();
    this.pinned = -1;
    this.paint();
    const box = this.scene?.boxes[this.scene.run_at?.[at]?.[0] ?? -1];
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

  /* Draws the present step: only what differs from the one before. */
  private paint(): void {
    if (!this.scene?.boxes) return;
    if (!this.shows || !this.scene.run_at) {
      this.boxes.forEach((box) => box.removeAttribute("data-run"));
      this.chips.clear();
      this.layer.replaceChildren(this.dots);
      return;
    }
    const now = shown(this.scene, this.recording, this.bar.position);
    now.states.forEach((state, place) => {
      if (state !== this.before?.states[place]) this.boxes[place]?.setAttribute("data-run", state);
    });
    for (const [place, { told, element }] of this.chips)
      if (now.boxes.get(place)?.text !== told.text || now.boxes.get(place)?.image !== told.image) {
        element.remove();
        this.chips.delete(place);
      }
    for (const [place, told] of now.boxes)
      if (!this.chips.has(place)) {
        const box = this.scene.boxes[place]!;
        const rect = chipRect(box, told, this.up.has(box.id));
        const element = drawChip(box, told, rect);
        this.chips.set(place, { told, element, rect });
        this.layer.append(element);
      }
    for (const wire of this.scene.wires) {
      const label = wire.label && this.wires.get(wire.id)?.querySelector(".mtfw-shape-label");
      if (!label) continue;
      const text = wireText(wire, now.wires.get(wire.id));
      if (label.textContent !== text) label.textContent = text;
      const hidden = [...this.chips.values()].some(({ rect }) => covers(rect, wire));
      label.toggleAttribute("data-hidden", hidden);
    }
    this.before = now;
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
    const place = this.scene?.run_at?.[this.bar.position]?.[0] ?? -1;
    return this.model.get("selected") || (this.scene?.boxes?.[place]?.id ?? "");
  }

  private toggleBreak(): void {
    const here = this.here();
    if (!here || !this.shows) return;
    const names: string[] = this.model.get("breakpoints") ?? [];
    put(this.model, "breakpoints", names.includes(here) ? names.filter((name) => name !== here) : [...names, here]);
  }
}
