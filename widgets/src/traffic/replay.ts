/*
 * The bar below the picture: looks back, plays, steps by messages and by steps of the training.
 *
 * It keeps the position, and moves it while it plays; the view draws. `null` is now: what happens
 * live is shown as it comes.
 */
import { checkbox, iconButton } from "../common/controls";
import { button, h } from "../common/dom";
import type { History, StepSpan } from "./history";
import { messageRow } from "./panel";
import { taskLabel, type TrafficEvent } from "./wire";

/* Places of the slider. */
const PLACES = 1000;

export interface ReplayOptions {
  history: History;
  /* Whether there is a "now" beyond what was seen. */
  live: boolean;
  /* Of messages stepped through: those of the selection that are not hidden. */
  counts: (event: TrafficEvent) => boolean;
  selected: () => string | null;
  /* How many times slower than real, and the seconds a message is seen at least. */
  pace: () => { slow: number; travel: number };
  playing: () => boolean;
  play: (on: boolean) => void;
  /* The position has changed; `jumped` when not by playing on. */
  onmove: (jumped: boolean) => void;
}

export class Replay {
  readonly element: HTMLElement;
  /* Seconds since the epoch; null: now. */
  at: number | null = null;
  private loop: StepSpan | null = null;
  private told = "";
  /* The message that was stepped to. */
  private shown: TrafficEvent | null = null;
  private readonly range: HTMLInputElement;
  private readonly words = h("output", { class: "mtfw-value mtft-when" });
  private readonly now: HTMLButtonElement;
  private readonly toggler: ReturnType<typeof iconButton>;
  private readonly again: ReturnType<typeof checkbox>;

  constructor(private readonly options: ReplayOptions) {
    this.toggler = iconButton("play", "Look back: play from here", () => this.toggle());
    this.range = h("input", {
      type: "range", min: 0, max: PLACES, step: 1, value: PLACES,
      class: "mtfw-slider mtfw-scrub", "aria-label": "Moment shown",
      oninput: () => {
        const { from, until } = options.history;
        const place = Number(this.range.value);
        options.play(false);
        const end = options.live ? null : until;
        this.go(place >= PLACES ? end : from + ((until - from) * place) / PLACES);
      },
    });
    this.now = button("● now", "Show what happens now", () => this.go(null));
    this.again = checkbox({
      label: "loop", value: false, title: "Play one training step again and again",
      onchange: (on) => this.setLoop(on),
    });
    this.element = h(
      "div",
      { class: "mtfw-flow mtfw-play mtft-replay", role: "group", "aria-label": "Looking back" },
      iconButton("back", "One training step back", () => this.step(-1), "step"),
      iconButton("back", "One message back", () => this.message(-1), "message"),
      this.toggler,
      iconButton("step", "One message on", () => this.message(1), "message"),
      iconButton("step", "One training step on", () => this.step(1), "step"),
      this.again.element,
      this.range,
      this.words,
      options.live && this.now,
    );
  }

  /* The moment that is shown. */
  get moment(): number {
    return this.at ?? this.options.history.until;
  }

  /* Moves on by seconds on the reader's clock, while it plays. */
  advance(seconds: number): void {
    const { history, pace } = this.options;
    if (this.at === null) return;
    const { slow } = pace();
    let next = this.at + seconds / slow;
    if (this.loop && next > this.loop.until + this.rest) next = this.loop.from;
    const end = history.until + this.rest;
    this.at = Math.min(next, end);
    if (next >= end) this.options.play(false);
    this.told = "";
    this.show();
    this.options.onmove(false);
  }

  /* Goes to a moment; null: now. */
  go(at: number | null, told = ""): void {
    this.at = at;
    this.told = told;
    if (this.loop && at !== null) this.loop = this.stepAt(at);
    if (at === null) this.setLoop(false);
    this.show();
    this.options.onmove(true);
  }

  show(): void {
    const { history, live, playing } = this.options;
    const { from, until } = history;
    const place = this.at === null ? PLACES : (PLACES * (this.at - from)) / Math.max(until - from, 1e-9);
    if (document.activeElement !== this.range || this.at === null || playing()) {
      this.range.value = String(Math.round(place));
    }
    const on = this.at !== null && playing();
    this.toggler.show(on ? "pause" : "play", on ? "Pause" : "Look back: play from here");
    const step = this.at === null ? null : this.stepAt(this.at);
    const part = step ? `, step ${step.step} of ${taskLabel(step.task)}` : "";
    const text =
      this.at === null
        ? "now"
        : this.told || `${(this.at - from).toFixed(this.options.pace().slow > 1 ? 4 : 1)} s of ${(until - from).toFixed(1)} s${part}`;
    if (this.words.textContent !== text) this.words.textContent = text;
    this.range.setAttribute("aria-valuetext", text);
    this.now.hidden = !live;
    this.now.setAttribute("aria-pressed", String(this.at === null));
  }

  toggle(): void {
    const { history, play, playing } = this.options;
    const on = this.at !== null && playing();
    if (!on && (this.at === null || this.at >= history.until)) this.go(this.loop?.from ?? history.first);
    play(!on);
    this.show();
  }

  /* Goes to the middle of the next message, or of the one before. */
  message(way: 1 | -1): void {
    const { history, counts, pace, play } = this.options;
    play(false);
    const half = pace().travel / pace().slow / 2;
    const middle = (event: TrafficEvent) => event.start + Math.max(event.end - event.start, 2 * half) / 2;
    // from the start of the message that is shown, not from its middle
    const near = this.shown && Math.abs(middle(this.shown) - this.moment) < 1e-6;
    const event = history.message(near && this.shown ? this.shown.start : this.moment, way, counts);
    if (!event) return;
    this.shown = event;
    const row = messageRow(event, pace().travel);
    this.go(middle(event), `${row.name}: ${row.route}, ${row.size} in ${row.duration}`);
  }

  /* Goes to the beginning of the next training step, or of the one before. */
  step(way: 1 | -1): void {
    const { history, play } = this.options;
    play(false);
    const mine = this.concerned();
    const all = history.steps().filter(mine);
    const at = this.moment;
    const next = way > 0 ? all.find((span) => span.from > at + 1e-7) : all.findLast((span) => span.from < at - 1e-7);
    if (!next) return;
    if (this.loop) this.loop = next;
    this.shown = null;
    this.go(next.from);
  }

  /* The steps of the selected task, or of all when it has none. */
  private concerned(): (span: StepSpan) => boolean {
    const selected = this.options.selected();
    const own = (span: StepSpan) => span.task === selected;
    return selected !== null && this.options.history.steps().some(own) ? own : () => true;
  }

  private stepAt(at: number): StepSpan | null {
    const mine = this.concerned();
    const here = (span: StepSpan) => span.from <= at + 1e-7 && at <= span.until + this.rest;
    return this.options.history.steps().findLast((span) => here(span) && mine(span)) ?? null;
  }

  private setLoop(on: boolean): void {
    this.again.set(on);
    if (!on) return void (this.loop = null);
    this.loop = this.stepAt(this.moment) ?? this.options.history.steps().at(-1) ?? null;
    if (this.loop) {
      this.go(this.loop.from);
      this.options.play(true);
    } else {
      this.again.set(false);
    }
  }

  /* How long the last message stays on the screen, on the cluster's clock. */
  private get rest(): number {
    const { slow, travel } = this.options.pace();
    return travel / slow;
  }
}
