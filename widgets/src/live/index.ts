/* The page of a Live: buttons of the loop, controls, a picture, charts that grow.
 *
 *     news from Python -> curves, status, picture -> charts, words, <img>
 *     buttons, controls -> values, do -> Python -> taken
 *
 * While Python works on one change of the controls, later ones wait here and only the latest is
 * sent. What Python has not taken for a while, the reader is told: the kernel is busy then, and
 * in older front ends it hears nothing before the running cell ends. */
import { Chart } from "../common/chart";
import { checkbox, choice, type Control, field, iconButton, slider, toolbar } from "../common/controls";
import { h, s } from "../common/dom";
import { type Part, saveButtons, stacked, standalone } from "../common/export";
import { type Model, onMessage, widget } from "../common/widget";

type Mode = "idle" | "run" | "pause" | "stop" | "stopped" | "done" | "broken";

interface Status {
  mode: Mode;
  held: boolean; // a pause holds the loop once its step has ended
  step: number;
  total: number | null;
  words: string;
}

interface Picture {
  href: string;
  width: number;
  height: number;
  pixels: boolean;
  alt: string;
  drawn: string; // in place of the address: an SVG that follows the theme
}

interface News {
  curves: [
    panel: string, name: string, start: number, xs: number[], ys: (number | string)[],
    points: boolean, style: number | null,
  ][];
  status: Status;
  picture?: Picture;
  problem: string;
  said: string;
  values?: Record<string, unknown>;
}

interface Grown {
  name: string;
  xs: number[];
  ys: number[];
  points: boolean;
  style?: number;
}

const BUSY_AFTER = 1500; // milliseconds
const BUSY =
  "The kernel is busy and has not taken this yet. If it takes nothing while a cell runs, " +
  "controls keep their values until the cell ends.";

export class LivePage {
  /* Where a widget that builds on this page puts what is its own. */
  readonly stage = h("div", { class: "mtfl-stage" });
  readonly controls = new Map<string, Control<any>>();
  readonly panels = new Map<string, { chart: Chart; curves: Map<string, Grown> }>();
  status: Status = { mode: "idle", held: false, step: -1, total: null, words: "" };
  private readonly toggler = iconButton("pause", "Pause", () =>
    this.ask(this.status.mode === "pause" ? "run" : "pause"));
  private readonly single = iconButton("step", "One step", () => this.ask("step"));
  private readonly stopper = iconButton("stop", "Stop", () => this.ask("stop"));
  private readonly progress = h("progress", { class: "mtfl-progress", "aria-label": "Progress" });
  private readonly words = h("span", { class: "mtfl-words mtfw-muted" });
  private readonly loop = h("div", { class: "mtfw-flow mtfl-loop", role: "group", "aria-label": "Loop", hidden: true },
    this.toggler, this.single, this.stopper, this.progress, this.words);
  private readonly speech = h("div", { class: "mtfw-hidden", role: "status" });
  private readonly note = h("div", { class: "mtfl-note", role: "status" });
  private readonly said = h("div", { class: "mtfl-said", role: "status" });
  private readonly image = h("img", { class: "mtfl-picture", hidden: true });
  private readonly rows = h("div", { class: "mtfw-rows" });
  private readonly charts = h("div", { class: "mtfl-charts" });
  private readonly logarithmic: Control<boolean>;
  private picture: Picture | null = null;
  private number = 0;
  private waiting = new Map<number, ReturnType<typeof setTimeout>>();
  private values: { number: number; next: Record<string, unknown> | null } | null = null;
  private problem = "";
  private answered = false; // whether Python has told the values of the controls

  constructor(
    protected readonly model: Model,
    protected readonly root: HTMLElement,
    protected readonly signal: AbortSignal,
    tools: (Node | false)[] = [],
  ) {
    const spec = model.get("spec");
    this.logarithmic = checkbox({
      label: "log scale", value: spec.log_y, title: "Vertical axes by factors", onchange: () => this.drawCharts(),
    });
    this.logarithmic.element.hidden = true;
    const name = spec.title || "Live";
    const file = String(name).toLowerCase().replace(/[^a-z0-9]+/g, "-");
    root.append(
      toolbar(
        name,
        [h("b", { class: "mtfl-title" }, spec.title), this.loop],
        [...tools, this.logarithmic.element, ...saveButtons(file, () => stacked(this.parts(), root))],
      ),
      this.makeControls(spec.controls),
      this.note,
      this.said,
      this.stage,
      this.image,
      this.rows,
      this.charts,
      this.speech,
    );
    onMessage(model, (content) => this.take(content), signal);
    signal.addEventListener("abort", () => this.waiting.forEach((timer) => clearTimeout(timer)), { once: true });
    this.greet();
  }

  /* Asks for all that there is, again until it comes: what a page says before its own thread of the
     kernel has begun waits for the end of the cell, and the cell may be the loop that is watched. */
  private greet(pause = 1000): void {
    if (this.answered || this.signal.aborted) return;
    this.tell({ type: "hello" });
    setTimeout(() => this.greet(2 * pause), pause);
  }

  /* Parts of a saved picture, from top to bottom; a subclass puts its own before. */
  parts(): Part[] {
    const parts: Part[] = [];
    if (this.picture) {
      const { href, width, height, pixels } = this.picture;
      const image = s("image", { href, width, height, style: pixels && "image-rendering:pixelated" });
      const svg = this.rows.querySelector("svg");
      const text = svg ? standalone(svg, svg.querySelector("g")!, { x: 0, y: 0, width, height }) : new XMLSerializer().serializeToString(image);
      parts.push({ text, width, height });
    }
    return [...parts, ...[...this.panels.values()].map(({ chart }) => chart.part())];
  }

  /* Sends something to Python, and says so when it is not taken. */
  tell(content: Record<string, unknown>): number {
    const number = ++this.number;
    this.model.send({ ...content, number });
    this.waiting.set(number, setTimeout(() => this.showNote(), BUSY_AFTER));
    return number;
  }

  /* For subclasses: further kinds of messages, and what else Python is told with a value. */
  protected other(_content: any): void {}
  protected extra(): Record<string, unknown> {
    return {};
  }

  private makeControls(specs: any[]): HTMLElement {
    for (const { name, kind, label, texts, ...rest } of specs) {
      const options = { label, onchange: (value: unknown) => this.change(name, value), ...rest };
      const made: Control<any> =
        kind === "slider"
          ? slider({ ...options, value: rest.low, step: rest.step ?? undefined })
          : kind === "choice"
            ? choice({ ...options, value: 0, options: texts.map((text: string, place: number) => [place, text]) })
            : kind === "text"
              ? field({ ...options, value: "" })
              : checkbox({ ...options, value: false });
      made.enable(false); // until Python has told the value: a turn from a wrong one would be lost
      this.controls.set(name, made);
    }
    const elements = [...this.controls.values()].map((each) => each.element);
    return h("div", { class: "mtfw-controls", hidden: elements.length === 0 }, ...elements);
  }

  private change(name: string, value: unknown): void {
    if (this.values) {
      this.values.next = { ...this.values.next, [name]: value };
      return;
    }
    this.tellValues({ [name]: value });
  }

  private tellValues(values: Record<string, unknown>): void {
    this.values = { number: this.tell({ type: "values", values, ...this.extra() }), next: null };
  }

  private ask(what: "pause" | "run" | "step" | "stop"): void {
    this.tell({ type: "do", what });
  }

  private take(content: any): void {
    if (content.type === "news") this.news(content);
    else if (content.type === "values") this.showValues(content.values);
    else if (content.type === "taken") this.taken(content.number);
    else this.other(content);
  }

  private taken(number: number): void {
    for (const [each, timer] of this.waiting) {
      if (each > number) continue;
      clearTimeout(timer);
      this.waiting.delete(each);
    }
    if (this.values && this.values.number <= number) {
      const { next } = this.values;
      this.values = null;
      if (next) this.tellValues(next);
    }
    this.showNote(false);
  }

  private showNote(busy = true): void {
    const text = this.problem || (busy ? BUSY : "");
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  private news(news: News): void {
    if (news.values) this.showValues(news.values);
    if (news.picture) this.showPicture(news.picture);
    if (this.said.textContent !== news.said) this.said.textContent = news.said;
    if (news.problem !== this.problem) {
      this.problem = news.problem;
      this.showNote(false);
    }
    for (const [panel, name, start, xs, ys, points, style] of news.curves) {
      const curves = this.panel(panel).curves;
      const curve = curves.get(name) ?? { name, xs: [], ys: [], points, style: style ?? undefined };
      curves.set(name, curve);
      curve.xs.splice(start, Infinity, ...xs);
      curve.ys.splice(start, Infinity, ...ys.map(Number));
    }
    if (news.curves.length) this.drawCharts();
    this.showStatus(news.status);
  }

  private panel(name: string) {
    let panel = this.panels.get(name);
    if (!panel) {
      const { x, log_x: logX } = this.model.get("spec");
      const chart = new Chart({ label: name || "Curves", x, y: name, height: 210, logX, signal: this.signal });
      panel = { chart, curves: new Map() };
      this.panels.set(name, panel);
      this.charts.append(chart.element);
      this.logarithmic.element.hidden = false;
    }
    return panel;
  }

  private drawCharts(): void {
    const logY = this.logarithmic.value();
    for (const { chart, curves } of this.panels.values()) chart.show([...curves.values()], { logY });
  }

  private showPicture(picture: Picture): void {
    this.picture = picture;
    this.rows.innerHTML = picture.drawn;
    this.image.hidden = Boolean(picture.drawn);
    this.image.src = picture.href;
    this.image.alt = picture.alt;
    this.image.style.width = `${picture.width}px`;
    this.image.style.imageRendering = picture.pixels ? "pixelated" : "auto";
  }

  private showValues(values: Record<string, unknown>): void {
    if (this.values) return; // the reader is moving one; Python gets it next
    this.answered = true;
    for (const [name, value] of Object.entries(values)) {
      this.controls.get(name)?.set(value);
      this.controls.get(name)?.enable(true);
    }
  }

  private showStatus(status: Status): void {
    const before = this.status;
    this.status = status;
    const { mode, held, step, total } = status;
    const alive = mode === "run" || mode === "pause";
    if (mode !== "idle") this.loop.hidden = false;
    this.toggler.show(mode === "pause" ? "play" : "pause", mode === "pause" ? "Go on" : "Pause");
    for (const each of [this.toggler, this.single, this.stopper]) each.disabled = !alive;
    this.progress.hidden = !total;
    if (total) {
      this.progress.max = total;
      this.progress.value = mode === "done" ? total : Math.max(0, step);
    }
    this.words.textContent = status.words;
    if (mode !== before.mode || (mode === "pause" && held !== before.held)) this.speech.textContent = this.words.textContent;
  }
}

export default widget("live", (model, root, signal) => void new LivePage(model, root, signal));
