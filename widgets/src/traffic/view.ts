/*
 * The live view: takes ticks from Python, keeps rates and log, draws, and sends the selection back.
 *
 *     tick -> RateBook, EventLog, Particles -> Stage (SVG) + Painter (canvas) + Details + Tables
 */
import { FOCUSABLE, button, h, mount, s } from "../common/dom";
import { savePNG, saveSVG, standalone } from "../common/export";
import { listenKeys } from "../common/keys";
import { onMessage, put, watch, type Model, type RenderContext } from "../common/model";
import { reducedMotion } from "../common/motion";
import { luminance } from "../common/palette";
import { PlayClock } from "./buffer";
import { classColor, Painter, place, shapePath } from "./canvas";
import { CLASSES, classStyle } from "./classes";
import { linkLabel, shareText, slownessText, totalText } from "./describe";
import { leastWidth } from "./layout";
import { EventLog } from "./log";
import { Details, legend, Tables } from "./panel";
import { Particles } from "./particles";
import { RateBook } from "./rates";
import { Stage } from "./stage";
import { formatFactor, formatRate, taskLabel } from "./units";
import { decodeTick, tickFromJson, type JsonTick, type Tick } from "./wire";

interface TickMessage {
  type: "tick" | "nothing";
  sequence: number;
  tick?: JsonTick;
}

const TRAVELS = [0.4, 0.8, 2, 5];
const SLOWS = [1, 20, 100, 500, 2000];
/* Seconds between two renewals of the words, which nobody can read faster. */
const WORDS_EVERY = 0.5;
/* Pixels, as in index.css. */
const DETAILS_WIDTH = 320;

const seconds = () => performance.now() / 1000;

export class TrafficPage {
  private readonly book = new RateBook();
  private readonly log = new EventLog();
  private readonly particles = new Particles();
  private readonly clock = new PlayClock();
  private readonly stage: Stage;
  private readonly painter: Painter;
  private readonly details = new Details();
  private readonly tables: Tables;
  private readonly root: HTMLElement;
  private readonly pause: HTMLButtonElement;
  private readonly travel: HTMLSelectElement;
  private readonly slow: HTMLSelectElement;
  private readonly travelLabel: HTMLLabelElement;
  private readonly state = h("span", { class: "mtft-live" });
  private readonly sums = h("span", { class: "mtft-sums" });
  private readonly share = h("span", { class: "mtft-share" });
  private readonly slowness = h("span", { class: "mtft-slowness" });
  private readonly legend = h("div", { class: "mtft-legend", "aria-label": "Kinds of messages" });
  private readonly speech = h("div", { class: "mtfw-hidden", role: "status" });
  private readonly floor = h("div", { class: "mtft-floor" });
  private readonly signal: AbortSignal;
  private space = 0;
  private dark: boolean | null = null;
  private frame = 0;
  private visible = true;
  private wordsDue = 0;
  private deadTold = "";

  constructor(
    private readonly model: Model,
    { root, signal }: { root: HTMLElement; signal: AbortSignal },
  ) {
    this.root = root;
    this.signal = signal;
    this.stage = new Stage((key) => this.choose(key), signal);
    const canvas = h("canvas", { class: "mtft-canvas", "aria-hidden": "true" });
    this.painter = new Painter(canvas);
    this.tables = new Tables((key) => this.choose(key));
    this.pause = button("", "", () => put(model, "paused", !model.get("paused")), {
      class: "mtfw-button mtft-pause",
      "aria-keyshortcuts": "Space",
    });
    this.travel = this.makeChoice("travel", "How long a message is seen on its way, at least");
    this.slow = this.makeChoice("slow", "As it happens, or a piece at a time in slow motion");
    this.travelLabel = h("label", { class: "mtft-label" }, "crossing takes ", this.travel);
    root.append(
      this.makeToolbar(),
      h("div", { class: "mtft-status" }, this.sums, this.share, this.slowness),
      h(
        "div",
        { class: "mtft-body" },
        h("div", { class: "mtft-left" }, this.wrapFloor(canvas), this.legend),
        this.details.element,
      ),
      this.tables.element,
      this.speech,
    );
    this.listen();
    this.showPaused();
  }

  /* Takes the next tick in. */
  take(tick: Tick): void {
    this.book.push(tick);
    this.log.push(tick.events);
    if (this.visible && !reducedMotion()) {
      const { travel, slow } = this.pace();
      this.particles.push(tick, this.clock.now(seconds()), travel, slow);
    }
    this.draw();
    this.tellDeaths();
  }

  private makeToolbar(): HTMLElement {
    return h(
      "div",
      { class: "mtfw-toolbar", role: "toolbar", "aria-label": "Traffic" },
      this.pause,
      h("label", { class: "mtft-label" }, "speed ", this.slow),
      this.travelLabel,
      this.state,
      h("span", { class: "mtfw-spring" }),
      button("SVG", "Save the picture as SVG", () => saveSVG(this.picture(), "traffic.svg")),
      button("PNG", "Save the picture as PNG", () => void savePNG(this.picture(), "traffic.png")),
    );
  }

  private makeChoice(trait: "travel" | "slow", title: string): HTMLSelectElement {
    const select = h("select", {
      class: "mtfw-select",
      title,
      onchange: () => put(this.model, trait, Number(select.value)),
      ...FOCUSABLE,
    });
    return select;
  }

  private pace(): { travel: number; slow: number } {
    return { travel: this.model.get("travel"), slow: this.model.get("slow") };
  }

  private wrapFloor(canvas: HTMLCanvasElement): HTMLElement {
    this.floor.append(h("div", { class: "mtft-sheet" }, this.stage.svg, canvas));
    return this.floor;
  }

  private listen(): void {
    const { model, signal } = this;
    watch(model, ["selected"], () => this.showSelected(), signal);
    watch(model, ["paused", "travel", "status", "problem"], () => this.showPaused(), signal);
    watch(model, ["slow"], () => (this.particles.clear(), this.showPaused()), signal);
    this.tables.onOpen(() => this.draw(true), signal);
    listenKeys(this.root, { Escape: () => this.choose(null) }, signal);
    this.root.addEventListener("keydown", (event) => this.pressSpace(event), { signal });
    const size = new ResizeObserver(() => {
      this.space = this.floor.clientWidth;
      this.draw(true);
    });
    size.observe(this.floor);
    const sight = new IntersectionObserver(([entry]) => {
      this.visible = entry?.isIntersecting ?? true;
      if (!this.visible) this.particles.clear();
    });
    sight.observe(this.floor);
    signal.addEventListener("abort", () => {
      size.disconnect();
      sight.disconnect();
      cancelAnimationFrame(this.frame);
    });
  }

  /* Space pauses wherever it does not press a button or open a list. */
  private pressSpace(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.key !== " " || target.closest("button, select, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    put(this.model, "paused", !this.model.get("paused"));
  }

  private choose(key: string | null): void {
    if (key !== this.model.get("selected")) put(this.model, "selected", key);
  }

  private showSelected(): void {
    const key: string | null = this.model.get("selected");
    this.stage.select(key);
    this.say(key === null ? "Nothing selected" : `Selected ${linkLabel(key).replace("→", "to")}`);
    this.draw(true);
  }

  private showPaused(): void {
    const paused: boolean = this.model.get("paused");
    if (paused) this.clock.pause(seconds());
    else this.clock.resume(seconds());
    const name = paused ? "Go on" : "Pause";
    this.pause.textContent = paused ? "▶ Go on" : "❚❚ Pause";
    this.pause.title = `${name} (Space)`;
    this.pause.setAttribute("aria-label", name);
    this.pause.setAttribute("aria-pressed", String(paused));
    const { travel, slow } = this.pace();
    fillChoice(this.travel, TRAVELS, travel, (value) => `${value} s`);
    fillChoice(this.slow, SLOWS, slow, (value) =>
      value === 1 ? "as it happens" : `${formatFactor(value)} slower`,
    );
    this.travelLabel.hidden = slow > 1;
    this.say(this.stateText());
    this.draw(true);
  }

  private stateText(): string {
    const status: string = this.model.get("status");
    if (status === "stopped") return "stopped";
    if (status === "silent") return `no answer: ${this.model.get("problem")}`;
    return this.model.get("paused") ? "paused" : "live";
  }

  /* Draws the present state; words only now and then unless `now` asks for them. */
  private draw(now = false): void {
    if (this.signal.aborted) return;
    if (this.space > 0) {
      this.followTheme();
      this.root.classList.toggle("mtft-stacked", this.crowded());
      const options = { dark: this.dark === true, still: reducedMotion() };
      const moved = this.stage.show(this.book, this.space, options);
      if (moved) {
        this.painter.resize(this.stage.layout.width, this.stage.layout.height);
        this.stage.select(this.model.get("selected"));
      }
    }
    if (now || seconds() >= this.wordsDue) {
      this.wordsDue = seconds() + WORDS_EVERY;
      this.showWords();
    }
    this.animate();
  }

  /* Whether the boxes need the whole width, so that the details have to stand below. */
  private crowded(): boolean {
    return leastWidth([...this.book.tasks.keys()]) > this.root.clientWidth - DETAILS_WIDTH;
  }

  private showWords(): void {
    const state = this.stateText();
    this.state.textContent = state;
    this.state.dataset.state = state.split(":")[0] as string;
    const totals = this.book.totals();
    this.sums.textContent = `${totalText(totals)} · ${formatRate(totals.rate.bytes)}`;
    const { travel, slow } = this.pace();
    const slowness = slownessText(this.log, travel, slow);
    const still = reducedMotion();
    this.share.textContent = shareText(this.book.sampledShare(), still, slow);
    this.slowness.textContent = still ? "" : slowness;
    const dark = this.dark === true;
    this.details.show(this.model.get("selected"), this.book, this.log, travel, dark);
    this.tables.show(this.book, this.log, travel);
  }

  private followTheme(): void {
    const dark = luminance(getComputedStyle(this.root).backgroundColor) < 0.4;
    if (dark === this.dark) return;
    this.dark = dark;
    this.legend.replaceChildren(...legend(dark));
    this.root.classList.toggle("mtft-dark", dark);
  }

  private animate(): void {
    cancelAnimationFrame(this.frame);
    const now = this.clock.now(seconds());
    if (reducedMotion()) this.particles.clear();
    this.particles.advance(now);
    this.painter.draw(this.particles.moving, this.stage.tracks, {
      now,
      dark: this.dark === true,
      lit: (key) => this.stage.lit(key),
    });
    if (this.particles.busy && this.visible && !this.model.get("paused")) {
      this.frame = requestAnimationFrame(() => this.animate());
    }
  }

  private tellDeaths(): void {
    const dead = [...this.book.tasks.values()].filter((task) => !task.alive);
    const text = dead.map((task) => `${taskLabel(task.task)} is dead`).join(", ");
    if (text !== this.deadTold && text) this.say(text);
    this.deadTold = text;
  }

  private say(text: string): void {
    this.speech.textContent = text;
  }

  /* The picture as it stands, messages and legend included, as the text of an SVG document. */
  private picture(): string {
    const { width, height } = this.stage.layout;
    const dark = this.dark === true;
    const now = this.clock.now(seconds());
    const extra = s("g", { class: "mtft-export" });
    for (const particle of this.particles.moving) {
      const at = place(particle, this.stage.tracks, now);
      if (!at) continue;
      extra.append(
        shapeElement(
          classStyle(particle.class).shape,
          particle.radius,
          classColor(particle.class, dark),
          `translate(${at.x} ${at.y}) rotate(${(at.angle * 180) / Math.PI})`,
        ),
      );
    }
    const words = `${totalText(this.book.totals())} · ${this.share.textContent}`;
    extra.append(s("text", { class: "mtft-rate", x: 14, y: height + 18 }, words));
    let x = 22;
    for (const style of CLASSES) {
      extra.append(
        shapeElement(style.shape, 5, classColor(style.id, dark), `translate(${x} ${height + 38})`),
        s("text", { class: "mtft-word", x: x + 12, y: height + 42 }, style.label),
      );
      x += 36 + 6.6 * style.label.length;
    }
    this.stage.content.append(extra);
    try {
      const ground = getComputedStyle(this.root).backgroundColor;
      const box = { x: 0, y: 0, width: Math.max(width, x), height: height + 54 };
      return standalone(this.stage.svg, this.stage.content, box, ground);
    } finally {
      extra.remove();
    }
  }
}

/* Fills a list of numbers; the present one is among them even if it is none of the usual. */
function fillChoice(
  select: HTMLSelectElement,
  usual: number[],
  present: number,
  label: (value: number) => string,
): void {
  const values = [...new Set([...usual, present])].sort((a, b) => a - b);
  select.replaceChildren(
    ...values.map((value) => h("option", { value, selected: value === present }, label(value))),
  );
}

function shapeElement(
  shape: Parameters<typeof shapePath>[0],
  radius: number,
  color: string,
  transform: string,
): SVGPathElement {
  const ring = shape === "ring";
  return s("path", {
    d: shapePath(shape, radius),
    transform,
    style: `fill:${ring ? "none" : color};stroke:${ring ? color : "none"};stroke-width:2px`,
  });
}

/*
 * Waits for the kernel's first word before it draws: where no kernel answers, the static picture
 * stays.
 */
export function render({ model, el }: RenderContext): () => void {
  let page: TrafficPage | null = null;
  let dispose = (): void => undefined;
  let sequence = -1;
  const waiting = new AbortController();
  onMessage(
    model,
    (message: TickMessage, buffers) => {
      if (!page) {
        const mounted = mount(el, model, "traffic");
        dispose = mounted.dispose;
        page = new TrafficPage(model, mounted);
      }
      if (message.type !== "tick" || message.sequence <= sequence) return;
      const buffer = buffers?.[0];
      if (!message.tick && !buffer) {
        model.send({ type: "json" });
        return;
      }
      sequence = message.sequence;
      page.take(message.tick ? tickFromJson(message.tick) : decodeTick(buffer as DataView));
    },
    waiting.signal,
  );
  model.send({ type: "hello" });
  return () => {
    waiting.abort();
    dispose();
  };
}
