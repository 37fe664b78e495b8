/*
 * The view: takes ticks from Python, keeps them, draws, and sends the selection back.
 *
 *     tick -> History -> at one moment: the newest, or one looked at (Replay)
 *                          --> Stage (SVG) + Painter (canvas), Details + Tables + Trend
 */
import { button, h, listenKeys, onResize, reducedMotion, s } from "../common/dom";
import { toolbar } from "../common/controls";
import { saveButtons, standalone } from "../common/export";
import { formatFactor, formatRate, luminance } from "../common/look";
import { fullScreen, type Model, mount, onMessage, put, type RenderContext, watch } from "../common/widget";
import { History, HISTORY, type RateBook } from "./history";
import { leastWidth } from "./layout";
import { CLASSES, classOf, concerns, type Log, type MessageClass, opOf } from "./messages";
import {
  Details, legend, linkLabel, longWaits, shareText, slownessText, Tables, totalText, Trend,
  waitText,
} from "./panel";
import { Replay } from "./replay";
import { Painter, place, shapeElement, Stage } from "./stage";
import { LiveClock, MINIMUM_TRAVEL, type Particle } from "./time";
import { decodeStream, decodeTick, lifeOf, taskLabel, type Tick, type Wait } from "./wire";

interface TickMessage {
  type: "tick" | "history" | "nothing";
  sequence: number;
  /* The time of the first tick of all. */
  began: number;
  tick: string;
  ticks: string;
}

const TRAVELS = [0.4, 0.8, 2, 5];
const SLOWS = [1, 20, 100, 500, 2000];
/* Seconds between two renewals of the words, which nobody can read faster. */
const WORDS_EVERY = 0.5;
/* Seconds between two drawings of boxes and lanes, and two words to Python, while it plays. */
const DRAW_EVERY = 0.2;
const TELL_EVERY = 0.25;
/* Seconds in which Python may send back a position that it was told. */
const ECHO = 2;
/* Pixels, as in index.css. */
const DETAILS_WIDTH = 264;
/* Pixels around a message in which a click is meant for it. */
const NEAR = 9;
/* Seconds before the newest tick in which a piece of slow motion begins. */
const PIECE = 0.25;
/* Seconds after which a wait is said aloud. */
const WAIT_TOLD = 5;

/* Before how things stand. */
const MARKS: Record<string, string> = {
  live: "●", paused: "❚❚", "looking back": "◀", replay: "▶", stopped: "■", "no answer": "▲",
};

const seconds = () => performance.now() / 1000;

export class TrafficPage {
  private readonly history = new History();
  private readonly live = new LiveClock();
  private readonly replay: Replay;
  private readonly trend: Trend;
  private readonly stage: Stage;
  private readonly painter: Painter;
  private readonly details = new Details(
    (op) => put(this.model, "selected_op", op),
    (name, task) => this.model.send({ type: "act", name, task }),
  );
  private readonly tables = new Tables((key) => this.choose(key));
  private readonly pause = button("", "", () => this.pressPause(), {
    class: "mtfw-button mtft-pause",
    "aria-keyshortcuts": "Space",
  });
  private readonly travel = this.makeChoice("travel", "How long a message is seen on its way, at least");
  private readonly slow = this.makeChoice("slow", "As it happens, or a piece at a time in slow motion");
  private readonly record = button("● Record", "Save the traffic from now on", () =>
    put(this.model, "recording", !this.model.get("recording")));
  private readonly told = h("span", { class: "mtft-told", role: "status" });
  private readonly state = h("span", { class: "mtft-live" });
  private readonly sums = h("span", { class: "mtft-sums" });
  private readonly share = h("span", { class: "mtft-share" });
  private readonly slowness = h("span", { class: "mtft-slowness" });
  private readonly legend = h("div", { class: "mtfw-flow mtft-legend", role: "group", "aria-label": "Kinds of messages shown" });
  private readonly scale = h("span", { class: "mtft-scale" });
  private readonly speech = h("div", { class: "mtfw-hidden", role: "status" });
  private readonly floor = h("div", { class: "mtft-floor" });
  private space = 0;
  private dark: boolean | null = null;
  private frame = 0;
  private visible = true;
  private wordsDue = 0;
  private news = "";
  private began = 0;
  private sent: number | null = null;
  private readonly echoes = new Map<number | null, number>();
  private tellDue = 0;
  private stageDue = 0;
  private lastFrame = 0;

  constructor(
    private readonly model: Model,
    private readonly root: HTMLElement,
    private readonly signal: AbortSignal,
  ) {
    this.stage = new Stage((key) => this.choose(key), signal);
    const canvas = h("canvas", { class: "mtft-canvas", "aria-hidden": "true" });
    this.painter = new Painter(canvas);
    this.floor.append(h("div", { class: "mtft-sheet" }, this.stage.svg, canvas));
    this.trend = new Trend(this.history, signal);
    this.replay = new Replay({
      history: this.history,
      live: model.get("status") !== "recorded",
      counts: (event) => !this.hidden().includes(classOf(event)) && concerns(event, model.get("selected")),
      selected: () => model.get("selected"),
      pace: () => this.pace(),
      playing: () => !model.get("paused"),
      play: (on) => on === model.get("paused") && put(model, "paused", !on),
      onmove: (jumped) => this.moved(jumped),
    });
    root.append(
      this.makeToolbar(),
      h("div", { class: "mtfw-flow mtft-status mtfw-muted" }, this.sums, this.share, this.slowness, this.told, this.scale),
      h(
        "div",
        { class: "mtft-body" },
        h("div", { class: "mtft-left" }, this.floor, this.legend),
        this.replay.element,
        this.details.element,
      ),
      this.trend.element,
      this.tables.element,
      this.speech,
    );
    this.listen();
    this.showPaused();
  }

  /* Takes all in that was seen before this page came. */
  load(ticks: Iterable<Tick>, began: number): void {
    if (this.history.ticks.length > 0) return;
    for (const tick of ticks) this.history.push(tick);
    this.began = began || this.history.from;
    this.jump();
    this.draw(true);
  }

  /* Takes the next tick in. */
  take(tick: Tick, began: number): void {
    this.began = began || tick.time;
    this.history.push(tick);
    this.live.tick(tick.time, seconds());
    if (this.replay.at !== null) return this.replay.show();
    this.draw();
    this.tellNews();
  }

  private hidden(): MessageClass[] {
    return this.model.get("hidden") ?? [];
  }

  /* The position has changed, by playing on or (`jumped`) otherwise. */
  private moved(jumped: boolean): void {
    const now = seconds();
    if (jumped || now >= this.tellDue) {
      this.tellDue = now + TELL_EVERY;
      const { at } = this.replay;
      this.sent = at === null ? null : at - this.began;
      for (const [value, time] of this.echoes) if (now - time > ECHO) this.echoes.delete(value);
      this.echoes.set(this.sent, now);
      put(this.model, "position", this.sent);
    }
    if (this.replay.at === null && this.model.get("paused")) put(this.model, "paused", false);
    if (jumped || now >= this.stageDue) {
      this.stageDue = now + DRAW_EVERY; // before `draw`, which comes here again
      this.draw(jumped);
    }
  }

  /* Python has set the position. */
  private jump(): void {
    const position: number | null = this.model.get("position");
    if (position === this.sent && (position === null) === (this.replay.at === null)) return;
    // an echo of what was sent a moment ago, when more has been sent since
    if (seconds() - (this.echoes.get(position) ?? -Infinity) < ECHO) return;
    this.sent = position;
    if (this.history.ticks.length > 0) this.replay.go(position === null ? null : this.began + position);
  }

  private makeToolbar(): HTMLElement {
    const named = (name: string, list: HTMLElement) => h("label", { class: "mtfw-muted" }, name, list);
    return toolbar(
      "Traffic",
      [this.pause, named("speed ", this.slow), named("crossing takes ", this.travel), this.state],
      [
        this.model.get("status") !== "recorded" && this.record,
        ...saveButtons("traffic", () => this.picture()),
        fullScreen(this.root),
      ],
    );
  }

  private makeChoice(trait: "travel" | "slow", title: string): HTMLSelectElement {
    const onchange = () => put(this.model, trait, Number(select.value));
    const select = h("select", { class: "mtfw-select", title, onchange });
    return select;
  }

  private pace(): { travel: number; slow: number } {
    return { travel: this.model.get("travel"), slow: this.model.get("slow") };
  }

  private listen(): void {
    const { model, signal } = this;
    watch(model, ["selected"], () => this.showSelected(), signal);
    watch(model, ["selected_op", "abilities", "places"], () => this.draw(true), signal);
    watch(model, ["position"], () => this.jump(), signal);
    watch(model, ["told", "recording"], () => this.showTold(), signal);
    watch(model, ["hidden"], () => (this.showLegend(), this.draw(true)), signal);
    this.floor.addEventListener("click", (event) => this.pickMessage(event), { signal, capture: true });
    watch(model, ["paused", "travel", "status", "problem"], () => this.showPaused(), signal);
    watch(model, ["slow"], () => (this.live.restart(), this.showPaused()), signal);
    this.tables.onOpen(() => this.draw(true), signal);
    listenKeys(this.root, { Escape: () => this.choose(null) }, signal);
    this.root.addEventListener("keydown", (event) => this.pressSpace(event), { signal });
    this.showTold();
    onResize(this.floor, (width) => ((this.space = width), this.draw(true)), signal);
    const sight = new IntersectionObserver(([entry]) => {
      this.visible = entry?.isIntersecting ?? true;
      if (this.visible) this.animate();
    });
    sight.observe(this.floor);
    signal.addEventListener("abort", () => {
      sight.disconnect();
      cancelAnimationFrame(this.frame);
    });
  }

  /* Space pauses wherever it does not press a button or open a list. */
  private pressSpace(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.key !== " " || target.closest("button, select, summary, input")) return;
    event.preventDefault();
    event.stopPropagation();
    this.pressPause();
  }

  private pressPause(): void {
    if (this.replay.at !== null) this.replay.toggle();
    else put(this.model, "paused", !this.model.get("paused"));
  }

  /* A click on a message on its way picks its operation. */
  private pickMessage(event: MouseEvent): void {
    const sheet = this.painter.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - sheet.left, event.clientY - sheet.top];
    const { particles, now } = this.moving();
    let best: { distance: number; particle: Particle } | null = null;
    for (const particle of particles) {
      const at = place(particle, this.stage.tracks, now);
      const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (distance < (best?.distance ?? NEAR)) best = { distance, particle };
    }
    const op = best && opOf(best.particle.event);
    if (!best || !op) return;
    event.stopPropagation();
    put(this.model, "selected_op", op);
    this.choose(best.particle.key);
  }

  private showTold(): void {
    const recording: boolean = this.model.get("recording");
    this.record.textContent = recording ? "■ Save" : "● Record";
    this.record.setAttribute("aria-pressed", String(recording));
    this.told.textContent = this.model.get("told");
  }

  private showLegend(): void {
    const hidden = this.hidden();
    const focused = document.activeElement?.getAttribute("data-kind");
    this.legend.replaceChildren(
      ...legend(this.dark === true, hidden, (id) => {
        const next = hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id];
        put(this.model, "hidden", next);
      }),
    );
    if (focused) this.legend.querySelector<HTMLElement>(`[data-kind="${focused}"]`)?.focus();
  }

  private choose(key: string | null): void {
    if (key !== this.model.get("selected")) put(this.model, "selected", key);
  }

  private showSelected(): void {
    const key: string | null = this.model.get("selected");
    this.say(key === null ? "Nothing selected" : `Selected ${linkLabel(key).replace("→", "to")}`);
    this.draw(true);
  }

  private showPaused(): void {
    const paused: boolean = this.model.get("paused");
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
    this.replay.show();
    this.record.hidden = this.model.get("status") === "stopped" && !this.model.get("recording");
    this.lastFrame = 0;
    this.say(this.stateText());
    this.draw(true);
  }

  private stateText(): string {
    const status: string = this.model.get("status");
    if (this.replay.at !== null) return this.model.get("paused") ? "looking back" : "replay";
    if (status === "stopped") return "stopped";
    if (status === "silent") return `no answer: ${this.model.get("problem")}`;
    return this.model.get("paused") ? "paused" : "live";
  }

  /* The book and the log of what is shown: now, or the moment looked at. */
  private shown(): { book: RateBook; log: Log; waits: readonly Wait[] } {
    const { at, moment } = this.replay;
    const hidden = this.hidden();
    const log = this.history.logAt(at ?? Infinity);
    const filtered: Log = {
      last: (count, selection) =>
        log.last(4 * count, selection).filter((event) => !hidden.includes(classOf(event))).slice(0, count),
    };
    return {
      book: this.history.bookAt(moment),
      log: hidden.length > 0 ? filtered : log,
      waits: this.history.waitsAt(moment),
    };
  }

  /* The messages on the screen, and the time by which they move. */
  private moving(): { particles: readonly Particle[]; now: number; tail: number } {
    const { at } = this.replay;
    const { travel, slow } = this.pace();
    const hidden = this.hidden();
    const now = at ?? this.live.at;
    const still = reducedMotion() && (at === null || !this.model.get("paused"));
    const found = still ? [] : this.history.inFlight(now, travel / slow);
    return { particles: found.filter((particle) => !hidden.includes(particle.class)), now, tail: 1 / slow };
  }

  /* Where the newest piece of slow motion begins: with a message. */
  private newest(): number | null {
    const event = this.history.message(this.history.until - PIECE, 1, () => true);
    return event && event.end - MINIMUM_TRAVEL / this.pace().slow;
  }

  /* Draws the present state; words only now and then unless `now` asks for them. */
  private draw(now = false): void {
    if (this.signal.aborted) return;
    if (this.space > 0) {
      this.followTheme();
      this.root.classList.toggle("mtft-stacked", this.crowded());
      const { book, waits } = this.shown();
      this.stage.select(this.model.get("selected"));
      const moved = this.stage.show(book, this.model.get("places"), this.space, {
        dark: this.dark === true, still: reducedMotion(), hidden: this.hidden(), waits: longWaits(waits),
      });
      if (moved) this.painter.resize(this.stage.layout.width, this.stage.layout.height);
    }
    if (now || seconds() >= this.wordsDue) {
      this.wordsDue = seconds() + WORDS_EVERY;
      this.showWords();
    }
    this.animate();
  }

  /* Whether the boxes need the whole width, so that the details have to stand below. */
  private crowded(): boolean {
    return leastWidth(this.model.get("places")) > this.root.clientWidth - DETAILS_WIDTH;
  }

  private showWords(): void {
    const state = this.stateText();
    this.state.textContent = state;
    const [key] = state.split(":") as [string];
    Object.assign(this.state.dataset, { state: key, mark: MARKS[key] });
    const { book, log, waits } = this.shown();
    const totals = book.totals();
    this.sums.textContent = `${totalText(totals)} · ${formatRate(totals.rate.bytes)}`;
    const { travel, slow } = this.pace();
    const still = reducedMotion();
    const back = this.replay.at !== null;
    this.share.textContent = totals.messages === 0 ? "no messages yet" : shareText(book.sampledShare(), still, back ? 1 : slow);
    this.slowness.textContent = still
      ? ""
      : back && slow > 1
        ? `${formatFactor(slow)} slower than real`
        : slownessText(log, travel, slow);
    this.scale.textContent = `curves: ${HISTORY} s, to ${formatRate(this.stage.peak)}`;
    this.details.show({
      selection: this.model.get("selected"), book, log, travel, dark: this.dark === true, waits,
      op: this.model.get("selected_op"), abilities: this.model.get("abilities") ?? [],
      additions: this.model.get("additions") ?? [],
    });
    this.tables.show(book, log, travel);
    this.trend.show(seconds());
    this.replay.show();
  }

  private followTheme(): void {
    const dark = luminance(getComputedStyle(this.root).backgroundColor) < 0.4;
    if (dark === this.dark) return;
    this.dark = dark;
    this.showLegend();
    this.root.classList.toggle("mtft-dark", dark);
  }

  private animate(): void {
    cancelAnimationFrame(this.frame);
    const real = seconds();
    const back = this.replay.at !== null;
    const playing = !this.model.get("paused");
    const before = this.lastFrame;
    this.lastFrame = real;
    const { travel, slow } = this.pace();
    if (back && playing && before > 0) this.replay.advance(Math.min(real - before, 0.25));
    if (!back && playing) this.live.move(real, slow, () => this.newest());
    const { particles, now, tail } = this.moving();
    this.painter.draw(particles, this.stage.tracks, {
      now, tail, dark: this.dark === true, lit: (key) => this.stage.lit(key),
    });
    const busy = back || (now < this.history.lastSeen(travel / slow) && !reducedMotion());
    if (busy && this.visible && !this.model.get("paused")) {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.animate());
    } else {
      this.lastFrame = 0;
    }
  }

  /* Says deaths and long waits aloud, once. */
  private tellNews(): void {
    const { book, waits } = this.shown();
    const dead = [...book.tasks.values()].filter((task) => lifeOf(task) === "dead");
    const stuck = waits.filter((wait) => wait.seconds >= WAIT_TOLD && !wait.text.startsWith("computes"));
    const news = [...dead.map((task) => `${taskLabel(task.task)} is dead`), ...stuck.map(waitText)].join(", ");
    if (news !== this.news && news) this.say(news);
    this.news = news;
  }

  private say(text: string): void {
    this.speech.textContent = text;
  }

  /* The picture as it stands, messages and legend included, as the text of an SVG document. */
  private picture(): string {
    const { width, height } = this.stage.layout;
    const dark = this.dark === true;
    const { particles, now } = this.moving();
    const extra = s("g", { class: "mtft-export" });
    for (const particle of particles) {
      const at = place(particle, this.stage.tracks, now);
      if (!at) continue;
      const turned = `translate(${at.x} ${at.y}) rotate(${(at.angle * 180) / Math.PI})`;
      extra.append(shapeElement(particle.class, particle.radius, dark, turned));
    }
    const words = `${totalText(this.shown().book.totals())} · ${this.share.textContent}`;
    extra.append(s("text", { x: 14, y: height + 18 }, words));
    let x = 22;
    for (const style of CLASSES) {
      extra.append(
        shapeElement(style.id, 5, dark, `translate(${x} ${height + 38})`),
        s("text", { x: x + 12, y: height + 42 }, style.label),
      );
      x += 36 + 6.6 * style.label.length;
    }
    this.stage.content.append(extra);
    try {
      const box = { x: 0, y: 0, width: Math.max(width, x), height: height + 54 };
      return standalone(this.stage.svg, this.stage.content, box);
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

/*
 * Waits for the kernel's first word before it draws: where no kernel answers, the static picture
 * stays.
 */
function render({ model, el }: RenderContext): () => void {
  let page: TrafficPage | null = null;
  let dispose = (): void => undefined;
  let sequence = -1;
  const open = (): TrafficPage => {
    if (page) return page;
    const mounted = mount(el, model, "traffic");
    dispose = mounted.dispose;
    return (page = new TrafficPage(model, mounted.root, mounted.signal));
  };
  const stored: string = model.get("stored");
  if (stored) open().load(decodeStream(stored), 0);
  const waiting = new AbortController();
  const hear = (message: TickMessage) => {
    if (message.type === "nothing") return void open();
    if (message.type === "history" ? sequence >= 0 : message.sequence <= sequence) return;
    sequence = message.sequence;
    if (message.type === "history") open().load(decodeStream(message.ticks), message.began);
    else open().take(decodeTick(message.tick), message.began);
  };
  onMessage(model, hear, waiting.signal);
  model.send({ type: "hello" });
  return () => {
    waiting.abort();
    dispose();
  };
}

export default { render };
