/* What a reader turns and presses: slider, checkbox, choice, text field, play bar.
 *
 *     const rate = slider({ label: "rate", low: 0.001, high: 1, log: true, value: 0.1, signal,
 *                           onchange: (value) => put(model, "rate", value) });
 *     row.append(rate.element);   rate.set(0.3);   // moves it without calling onchange
 *
 * All are the browser's own elements, so that keys, focus and screen readers work as everywhere;
 * JupyterLab's shortcuts leave them alone.
 */
import { button, type Child, h, type KeyTable, listenKeys, reducedMotion, s } from "./dom";
import { formatValue } from "./look";
import { LONG, moveTiles, type Tile, travel } from "./motion";

/* The row on top of a widget: what stands at its left, and at its right. */
export function toolbar(label: string, left: Child[], right: Child[]): HTMLElement {
  const spring = h("span", { class: "mtfw-spring" });
  return h("div", { class: "mtfw-flow mtfw-toolbar", role: "toolbar", "aria-label": label }, ...left, spring, ...right);
}

/* A line, by default over a stage, that says something, and after some milliseconds nothing. */
export function statusLine(kind = "mtfw-status"): { element: HTMLElement; say(text: string, long?: number): void } {
  const element = h("div", { class: kind, role: "status" });
  let waiting = 0;
  const say = (text: string, long = 1500) => {
    clearTimeout(waiting);
    element.textContent = text;
    waiting = window.setTimeout(() => (element.textContent = ""), long);
  };
  return { element, say };
}

/* A control as its widget holds it. `set` shows a value that came from elsewhere. */
export interface Control<T> {
  element: HTMLElement;
  value(): T;
  set(value: T): void;
  enable(on: boolean): void;
}

interface Options<T> {
  label: string;
  value: T;
  onchange: (value: T) => void;
  title?: string;
}

export interface SliderOptions extends Options<number> {
  low: number;
  high: number;
  /* The distance of two values; on a logarithmic slider and by default a hundredth of the way. */
  step?: number;
  log?: boolean;
  format?: (value: number) => string;
}

/* A slider with its name before it and its value behind it. */
export function slider(options: SliderOptions): Control<number> {
  const { low, high, step, log = false, format = formatValue } = options;
  const places = log || !step ? 100 : Math.max(1, Math.round((high - low) / step));
  const at = (place: number) => {
    if (place <= 0) return low;
    if (place >= places) return high;
    const value = log ? low * (high / low) ** (place / places) : low + ((high - low) * place) / places;
    return Number(value.toPrecision(log ? 2 : 9));
  };
  const placeOf = (value: number) =>
    Math.round(places * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
  let value = options.value;
  const shown = h("output", { class: "mtfw-value" });
  const input = h("input", {
    type: "range", min: 0, max: places, step: 1, class: "mtfw-slider", "aria-label": options.label,
    oninput: () => {
      value = at(Number(input.value));
      show();
      options.onchange(value);
    },
  });
  const show = () => {
    shown.textContent = format(value);
    input.setAttribute("aria-valuetext", format(value));
  };
  const set = (next: number) => {
    value = next;
    input.value = String(placeOf(next));
    show();
  };
  set(value);
  shown.style.minWidth = `${Math.max(...[low, at(1), at(places - 1), high].map((each) => format(each).length)) + 0.5}ch`;
  return control(options, input, () => value, set, shown);
}

/* A checkbox before its name. */
export function checkbox(options: Options<boolean>): Control<boolean> {
  const input = h("input", { type: "checkbox", class: "mtfw-check",
    onchange: () => options.onchange(input.checked) });
  const set = (value: boolean) => void (input.checked = value);
  set(options.value);
  const made = control(options, input, () => input.checked, set);
  made.element.prepend(input);
  return made;
}

/* One of several values, each with a text. */
export function choice<T>(options: Options<T> & { options: readonly (readonly [T, string])[] }): Control<T> {
  const values = options.options.map(([value]) => value);
  const select = h(
    "select",
    { class: "mtfw-select", onchange: () => options.onchange(values[select.selectedIndex]!) },
    ...options.options.map(([, text]) => h("option", {}, text)),
  );
  const set = (value: T) => void (select.selectedIndex = values.indexOf(value));
  set(options.value);
  return control(options, select, () => values[select.selectedIndex]!, set);
}

/* A line of text that is taken with every key; `width` in characters. */
export function field(options: Options<string> & { width?: number; placeholder?: string }): Control<string> {
  const input = h("input", {
    type: "text", class: "mtfw-input mtfw-field", spellcheck: "false", autocomplete: "off",
    placeholder: options.placeholder, oninput: () => options.onchange(input.value),
  });
  input.style.width = `${options.width ?? 16}ch`;
  const set = (value: string) => {
    if (input.value !== value) input.value = value;
  };
  set(options.value);
  return control(options, input, () => input.value, set);
}

function control<T>(
  { label, title }: Options<T>,
  input: HTMLInputElement | HTMLSelectElement,
  value: () => T,
  set: (value: T) => void,
  ...after: Node[]
): Control<T> {
  const element = h("label", { class: "mtfw-control", title, "data-name": label }, h("span", {}, label), input, ...after);
  return { element, value, set, enable: (on) => void (input.disabled = !on) };
}

const ICONS = {
  play: "M3.5 2l8 5-8 5z",
  pause: "M4.5 2v10M9.5 2v10",
  stop: "M3 3h8v8H3z",
  back: "M11 2L4.5 7l6.5 5zM3 2v10",
  step: "M3 2l6.5 5L3 12zM11 2v10",
  full: "M1.5 5V1.5H5M9 1.5h3.5V5M12.5 9v3.5H9M5 12.5H1.5V9",
  reset: "M11.5 8a4.6 4.6 0 1 1-1.2-4.2M10.8 1v3.2H7.6",
};
export type IconName = keyof typeof ICONS;

/* A button with an icon, and a text where the icon alone would puzzle. */
export function iconButton(
  name: IconName,
  title: string,
  onclick: () => void,
  text = "",
): HTMLButtonElement & { show(name: IconName, title: string): void } {
  const path = s("path", { d: ICONS[name] });
  const made = button("", title, onclick, { class: "mtfw-button mtfw-icon-button" });
  made.append(s("svg", { class: "mtfw-icon", viewBox: "0 0 14 14", "aria-hidden": "true" }, path), text);
  return Object.assign(made, {
    show(next: IconName, said: string) {
      if (made.title === said) return;
      path.setAttribute("d", ICONS[next]);
      made.title = said;
      made.setAttribute("aria-label", said);
    },
  });
}

export interface PlayOptions {
  /* What is played, for readers: "training". */
  label: string;
  length: number;
  position?: number;
  /* Positions a second to choose from, and the first choice. */
  speeds?: readonly number[];
  speed?: number;
  /* The words for a position: "step 3 of 12" by default. */
  describe?: (position: number) => string;
  onmove: (position: number) => void;
  /* Where steps travel: draws a moment, and returns the tiles that are on their way then. Moment 2.5
   * is halfway from position 2 to 3. */
  draw?: (at: number) => Tile[];
  signal: AbortSignal;
}

/* Step back, play or pause, step, scrub, speed: over positions 0 to length - 1.
 *
 * The end pauses; play there starts again from the beginning. A widget's stage may listen to `keys`
 * (Space, arrows, Home, End). Where steps travel, the slider stands between two positions, too. Where
 * less movement is asked for it does not, and playing goes at most two positions a second. */
export class PlayBar {
  readonly element: HTMLElement;
  readonly keys: KeyTable;
  position: number;
  at: number; // the moment drawn, on the way to the position
  playing = false;
  private tiles: Tile[] = [];
  private halt = () => {}; // stops on the way
  private length: number;
  private speed: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly toggler: ReturnType<typeof iconButton>;
  private readonly range: HTMLInputElement;
  private readonly words = h("span", { class: "mtfw-value mtfw-play-words" });
  private told = 0; // when screen readers were last told
  private readonly back: HTMLButtonElement;
  private readonly forth: HTMLButtonElement;

  constructor(private readonly options: PlayOptions) {
    const { label, signal } = options;
    const speeds = options.speeds ?? [0.5, 1, 2, 5, 10];
    this.length = options.length;
    this.position = this.at = options.position ?? 0;
    this.speed = options.speed ?? speeds[Math.floor((speeds.length - 1) / 2)]!;
    this.toggler = iconButton("play", `Play ${label}`, () => this.toggle());
    this.back = iconButton("back", "One step back", () => this.step(-1));
    this.forth = iconButton("step", "One step on", () => this.step(1));
    this.range = h("input", {
      type: "range", class: "mtfw-slider mtfw-scrub", "aria-label": `Position in ${label}`,
      min: 0, oninput: () => {
        const asked = Number(this.range.value); // before pause() shows where it stands
        this.pause();
        this.go(Math.ceil(asked), asked);
      },
    });
    const speed = choice({
      label: "speed", value: this.speed, options: speeds.map((each) => [each, `${each}/s`] as const),
      title: "Steps a second", onchange: (value) => ((this.speed = value), this.playing && this.wait()),
    });
    this.element = h(
      "div",
      { class: "mtfw-flow mtfw-play", role: "group", "aria-label": `Playing ${label}` },
      this.back, this.toggler, this.forth, this.range, this.words, speed.element,
    );
    this.keys = {
      Space: () => this.toggle(),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => (this.pause(), this.go(0)),
      End: () => (this.pause(), this.go(this.length - 1)),
    };
    const { Space: _, ...arrows } = this.keys; // on a button Space presses it
    listenKeys(this.element, arrows, signal);
    listenKeys(this.range, { ...arrows, ArrowUp: arrows.ArrowRight!, ArrowDown: arrows.ArrowLeft! }, signal);
    signal.addEventListener("abort", () => (this.pause(), this.halt()), { once: true });
    this.show();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.length < 2) return;
    if (this.position >= this.length - 1) this.go(0);
    this.playing = true;
    this.show();
    this.wait();
  }

  pause(): void {
    clearTimeout(this.timer);
    this.playing = false;
    this.show();
  }

  /* Moves by `n` positions and stands there. */
  step(n: number): void {
    this.pause();
    this.travel(n);
  }

  /* Moves to a position and tells it; draws it, or the moment `at` on the way there. */
  go(position: number, at = position): void {
    const [next, before] = [this.within(position), this.position];
    this.halt();
    this.position = next;
    this.look(this.within(at), next !== before);
    if (next === before) return;
    this.show();
    this.options.onmove(next);
  }

  /* Draws a moment: all of it if it is another step's or `anew`, else what is on its way. */
  look(at = this.at, anew = true): void {
    const other = [Math.floor, Math.ceil].some((round) => round(at) !== round(this.at));
    this.at = at;
    this.range.value = String(at);
    if (other || anew) this.tiles = this.options.draw?.(at) ?? [];
    moveTiles(this.tiles, at - Math.floor(at));
  }

  private travel(n: number, long = LONG): void {
    const from = this.position;
    this.go(from + n, this.options.draw && from);
    if (this.at !== this.position) this.halt = travel(from, this.position, (at) => this.look(at, false), long);
  }

  private within(position: number): number {
    return Math.max(0, Math.min(this.length - 1, position));
  }

  /* Takes another length, as of a run that goes on; tells nothing. */
  resize(length: number, position = this.position): void {
    this.halt();
    this.length = length;
    this.position = this.at = this.within(position);
    this.show();
  }

  private wait(): void {
    clearTimeout(this.timer);
    const speed = reducedMotion() ? Math.min(this.speed, 2) : this.speed;
    this.timer = setTimeout(() => {
      this.travel(1, Math.min(LONG, 900 / speed)); // and stands there for a moment
      if (this.position >= this.length - 1) this.pause();
      else if (this.playing) this.wait();
    }, 1000 / speed);
  }

  private show(): void {
    const { label, describe = (at: number) => `${at + 1} of ${this.length}` } = this.options;
    const words = describe(this.position);
    this.range.max = String(Math.max(0, this.length - 1));
    this.range.step = this.options.draw && !reducedMotion() ? "0.02" : "1";
    this.range.value = String(this.at);
    this.words.textContent = words;
    this.back.disabled = this.position === 0;
    this.forth.disabled = this.position >= this.length - 1;
    this.toggler.show(this.playing ? "pause" : "play", `${this.playing ? "Pause" : "Play"} ${label}`);
    if (this.playing && performance.now() - this.told < 1000) return; // once a second is enough
    this.told = performance.now();
    this.range.setAttribute("aria-valuetext", words);
  }
}
