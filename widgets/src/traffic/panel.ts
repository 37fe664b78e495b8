/*
 * The words beside and below the picture: details of the selection, and everything as tables.
 *
 * The tables are the picture's text alternative: exact counts of every link, and the last messages.
 */
import { Chart, type Curve } from "../common/chart";
import { button, FOCUSABLE, h, s } from "../common/dom";
import { formatBytes, formatCount, formatRate } from "../common/look";
import { classColor, shapePath } from "./canvas";
import {
  describe, linkLabel, longWaits, messageRow, type MessageRow, MOST_BINS, sinceText,
  type Staleness, waitText,
} from "./describe";
import type { History } from "./history";
import { compareTasks } from "./layout";
import {
  CLASSES, classOf, classStyle, type Log, type MessageClass, opOf, term, termOf, TERMS,
} from "./messages";
import type { RateBook } from "./rates";
import { taskLabel, type TrafficEvent, type Wait } from "./wire";

const ROWS = 5;
const LOG_ROWS = 25;
/* The first columns of the log hold words, not numbers. */
const LOG_TEXTS = 5;

/* A class's shape as a small picture. */
function icon(id: MessageClass, dark: boolean): SVGSVGElement {
  const color = classColor(id, dark);
  const { shape } = classStyle(id);
  const path = s("path", {
    d: shapePath(shape, 5),
    fill: shape === "ring" ? "none" : color,
    stroke: shape === "ring" ? color : "none",
    "stroke-width": 2,
  });
  return s("svg", { class: "mtft-icon", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, path);
}

/* What the colours and shapes mean; each hides or shows its kind of messages. */
export function legend(
  dark: boolean,
  hidden: readonly string[],
  onToggle: (id: MessageClass) => void,
): HTMLElement[] {
  return CLASSES.map((style) => {
    const shown = !hidden.includes(style.id);
    const made = h(
      "button",
      {
        type: "button", class: "mtft-kind", "aria-pressed": String(shown), "data-kind": style.id,
        "data-tip": `${TERMS[style.label]} Press to ${shown ? "hide" : "show"} them.`,
        onclick: () => onToggle(style.id), ...FOCUSABLE,
      },
      icon(style.id, dark),
      style.label,
    );
    return made;
  });
}

/* What the panel shows beside the selection. */
export interface Shown {
  selection: string | null;
  book: RateBook;
  log: Log;
  travel: number;
  dark: boolean;
  waits: readonly Wait[];
  op: string | null;
  /* Words of the buttons for a task, and for the cluster when nothing is selected. */
  abilities: readonly string[];
  additions: readonly string[];
}

/* The panel beside the picture. */
export class Details {
  readonly element: HTMLElement;
  private readonly title = h("div", { class: "mtft-title" });
  private readonly subtitle = h("div", { class: "mtft-subtitle" });
  private readonly facts = h("dl", { class: "mtft-facts" });
  private readonly waits = h("ul", { class: "mtft-waits", "aria-label": "Who waits for what" });
  private readonly actions = h("div", { class: "mtft-actions" });
  private readonly histogram = h("div", { class: "mtft-histogram" });
  private readonly caption = h(
    "div", { class: "mtft-caption" }, "Last messages · ", term("from request to last byte"),
  );
  private readonly list = h("ul", { class: "mtft-messages" });
  private shown = "";

  private acting = "";

  /* @param onOp called with the operation of a message that was pressed
   * @param onAct called with the name of an action and its task, once it was confirmed */
  constructor(
    private readonly onOp: (op: string | null) => void,
    private readonly onAct: (name: string, task: string) => void,
  ) {
    this.element = h(
      "section",
      { class: "mtft-details", "aria-label": "Details of the selection" },
      this.title, this.subtitle, this.waits, this.facts, this.histogram, this.actions, this.caption,
      this.list,
    );
  }

  show({ selection, book, log, travel, dark, waits, op, abilities, additions }: Shown): void {
    const told = describe(selection, book, log, travel, ROWS);
    const task = selection !== null && book.tasks.get(selection)?.listed ? selection : null;
    this.showWaits(longWaits(waits, task).slice(0, 5));
    if (task !== null) this.showActions(task, abilities);
    else this.showActions("", selection === null ? additions : []);
    const text = JSON.stringify([told, dark, op]);
    if (text === this.shown) return;
    this.shown = text;
    this.title.textContent = told.title;
    this.subtitle.textContent = told.subtitle;
    const focused = this.facts.contains(document.activeElement);
    this.facts.replaceChildren(
      ...told.facts.flatMap(([name, value]) => [h("dt", {}, term(name)), h("dd", {}, value)]),
    );
    if (focused) this.facts.querySelector<HTMLElement>(".mtft-term")?.focus();
    this.histogram.replaceChildren(...(told.staleness && told.staleness.most !== null ? [bars(told.staleness)] : []));
    const at = [...this.list.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
    this.list.replaceChildren(...told.rows.map((row) => messageItem(row, dark, op, this.onOp)));
    if (at >= 0) this.list.querySelectorAll("button")[at]?.focus();
    if (told.rows.length === 0) this.list.append(h("li", { class: "mtft-none" }, "none yet"));
  }

  private showWaits(waits: readonly Wait[]): void {
    const lines = waits.map((wait) => `${waitText(wait)}, ${sinceText(wait.seconds)}`);
    const items = [...this.waits.children];
    for (const [i, line] of lines.entries()) {
      const item = items[i] ?? this.waits.appendChild(h("li"));
      if (item.textContent !== line) item.textContent = line;
    }
    for (const item of items.slice(lines.length)) item.remove();
    this.waits.hidden = lines.length === 0;
  }

  /* Buttons that ask again before they do something. */
  private showActions(task: string, names: readonly string[]): void {
    const shown = `${task} ${names.join()}`;
    if (shown === this.acting) return;
    this.acting = shown;
    this.actions.replaceChildren();
    for (const name of names) {
      const words = task ? `${name} ${taskLabel(task)}` : name;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const calm = () => {
        made.textContent = name;
        made.setAttribute("aria-label", words);
        made.classList.remove("mtft-sure");
        timer = undefined;
      };
      const made = button(name, words, () => {
        if (timer === undefined) {
          made.textContent = `${name}: sure?`;
          made.setAttribute("aria-label", `${words}: press again to do it`);
          made.classList.add("mtft-sure");
          timer = setTimeout(calm, 4000);
        } else {
          clearTimeout(timer);
          calm();
          this.onAct(name, task);
        }
      });
      this.actions.append(made);
    }
  }
}

/* How many steps were stale by how much, as small bars. */
function bars({ bins, steps }: Staleness): SVGSVGElement {
  const most = Math.max(...bins);
  const words = bins.map((count, i) => `${i}${i === MOST_BINS ? " or more" : ""}: ${count}`).join(", ");
  const label = `Steps by the updates of others in between, of ${steps}: ${words}`;
  const wide = 26;
  return s(
    "svg",
    { class: "mtft-bars", role: "img", "aria-label": label, viewBox: `0 0 ${wide * bins.length} 46`, width: wide * bins.length, height: 46 },
    s("title", {}, label),
    ...bins.flatMap((count, i) => {
      const height = (30 * count) / most;
      return [
        s("rect", { class: "mtft-bar", x: wide * i + 3, y: 32 - height, width: wide - 6, height }),
        s("text", { class: "mtft-bar-label", x: wide * (i + 0.5), y: 44, "text-anchor": "middle" }, `${i}${i === MOST_BINS ? "+" : ""}`),
      ];
    }),
  );
}

function messageItem(
  row: MessageRow,
  dark: boolean,
  selected: string | null,
  onOp: (op: string | null) => void,
): HTMLLIElement {
  const op = opOf(row.event);
  const name = op
    ? h(
        "button",
        {
          type: "button", class: "mtft-op", title: `${row.name}: select ${op} in the graph`,
          "aria-pressed": String(op === selected), onclick: () => onOp(op === selected ? null : op),
          ...FOCUSABLE,
        },
        h("code", {}, row.name),
      )
    : h("code", { title: row.name }, row.name);
  return h(
    "li",
    {},
    icon(classOf(row.event), dark),
    h(
      "div",
      {},
      h(
        "div",
        { class: "mtft-line1" },
        name,
        h("b", {}, row.size),
      ),
      h(
        "div",
        { class: "mtft-line2" },
        h("span", { title: TERMS[termOf(row.event)] }, row.route),
        h("span", { title: `shown ${row.slower} slower` }, row.duration),
      ),
    ),
  );
}

/* The two tables below the picture. */
export class Tables {
  readonly element: HTMLElement;
  private order = "";
  private readonly linkRows = new Map<string, HTMLTableRowElement>();
  private readonly linkBody = h("tbody");
  private readonly logBody = h("tbody");
  private readonly linkBox: HTMLDetailsElement;
  private readonly logBox: HTMLDetailsElement;

  constructor(private readonly onSelect: (key: string) => void) {
    this.linkBox = folded(
      "All links, exact counts",
      ["Link", "Messages", "Bytes", "Messages/s", "Bytes/s"],
      1,
      this.linkBody,
    );
    this.logBox = folded(
      "Last messages, as sampled",
      ["Step", "Kind", "Tensor", "From", "To", "Bytes", "Took", "Shown slower"],
      LOG_TEXTS,
      this.logBody,
    );
    this.element = h("div", { class: "mtft-tables" }, this.linkBox, this.logBox);
  }

  /* Calls `listener` when a table is opened. */
  onOpen(listener: () => void, signal: AbortSignal): void {
    for (const box of [this.linkBox, this.logBox]) {
      box.addEventListener("toggle", listener, { signal });
    }
  }

  show(book: RateBook, log: Log, travel: number): void {
    if (this.linkBox.open) this.showLinks(book);
    if (this.logBox.open) this.showLog(log.last(LOG_ROWS), travel);
  }

  private showLinks(book: RateBook): void {
    const links = [...book.links.values()].sort(
      (a, b) => compareTasks(a.source, b.source) || compareTasks(a.destination, b.destination),
    );
    for (const link of links) {
      let row = this.linkRows.get(link.key);
      if (!row) this.linkRows.set(link.key, (row = this.linkRow(link.key)));
      const values = [
        formatCount(link.messages),
        formatCount(link.bytes),
        formatCount(link.rate.messages),
        formatRate(link.rate.bytes),
      ];
      for (const [i, value] of values.entries()) row.cells[i + 1]!.textContent = value;
    }
    const order = links.map((link) => link.key).join(" ");
    if (order === this.order) return;
    this.order = order;
    this.linkBody.replaceChildren(...links.map((link) => this.linkRows.get(link.key) as Node));
  }

  private linkRow(key: string): HTMLTableRowElement {
    const pick = h(
      "button",
      { type: "button", class: "mtft-pick", onclick: () => this.onSelect(key), ...FOCUSABLE },
      linkLabel(key),
    );
    return h("tr", {}, h("th", { scope: "row" }, pick), h("td"), h("td"), h("td"), h("td"));
  }

  private showLog(events: TrafficEvent[], travel: number): void {
    this.logBody.replaceChildren(
      ...describeLog(events, travel).map((cells) =>
        h(
          "tr",
          {},
          ...cells.map((cell, i) => h("td", { class: i < LOG_TEXTS ? "mtft-text" : null }, cell)),
        ),
      ),
    );
  }
}

function describeLog(events: TrafficEvent[], travel: number): string[][] {
  return events.map((event) => {
    const row = messageRow(event, travel);
    return [
      event.step, event.kind, row.name, taskLabel(event.source), taskLabel(event.destination),
      formatBytes(event.bytes), row.duration, row.slower,
    ];
  });
}

/* A folded table whose first `texts` columns hold words. */
function folded(
  title: string,
  columns: string[],
  texts: number,
  body: HTMLTableSectionElement,
): HTMLDetailsElement {
  const heads = columns.map((name, i) =>
    h("th", { scope: "col", class: i < texts ? "mtft-text" : null }, name),
  );
  return h(
    "details",
    {},
    h("summary", { ...FOCUSABLE }, title),
    h(
      "div",
      { class: "mtft-scroll", tabindex: 0, role: "region", "aria-label": title, ...FOCUSABLE },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body),
    ),
  );
}

/*
 * Loss, accuracy and the bytes, side by side where there is room, over the same time.
 */

/* Points of the curve of bytes, at most. */
const POINTS = 240;
const EVERY = 1;

export class Trend {
  readonly element: HTMLElement;
  private readonly bytes: Chart;
  private readonly numbers: Chart;
  private drawn = "";
  private due = 0;

  constructor(private readonly history: History, signal: AbortSignal) {
    const x = "seconds since the beginning";
    const short = (rate: number) => `${formatBytes(rate).replace(/\.0+(?= )/, "")}/s`;
    this.bytes = new Chart({ label: "Bytes a second, all links", x, height: 104, formatY: short, signal });
    this.numbers = new Chart({ label: "The training's numbers", x, height: 104, signal });
    this.element = h("section", { class: "mtft-trend", "aria-label": "Learning and traffic over time" }, this.bytes.element, this.numbers.element);
    this.element.hidden = true;
  }

  /* Draws anew where something came, once a second at most. */
  show(now: number): void {
    const { history } = this;
    const drawn = `${history.marks.length} ${history.until}`;
    if (drawn === this.drawn || now < this.due) return;
    [this.drawn, this.due] = [drawn, now + EVERY];
    const curves = numberCurves(history);
    this.element.hidden = curves.length === 0;
    if (curves.length === 0) return;
    const xRange = [0, Math.max(history.until - history.from, 1)] as const;
    this.bytes.show([byteCurve(history)], { xRange, yRange: [0, 1000] });
    this.numbers.show(curves, { xRange });
  }
}

/* Loss and whatever else the program told, but for its step. */
export function numberCurves({ marks, from }: History): Curve[] {
  const curves = new Map<string, { name: string; xs: number[]; ys: number[] }>();
  for (const [time, name, value] of marks) {
    if (name === "step") continue;
    let curve = curves.get(name);
    if (!curve) curves.set(name, (curve = { name, xs: [], ys: [] }));
    curve.xs.push(time - from);
    curve.ys.push(value);
  }
  return [...curves.values()].map((curve, i) => ({ ...curve, style: [4, 2, 3, 1][i % 4]! }));
}

/* All bytes a second, from the exact counters. */
export function byteCurve({ ticks, from, until }: History): Curve {
  const stride = Math.max((until - from) / POINTS, 0.5);
  const [xs, ys]: [number[], number[]] = [[], []];
  let before: { time: number; bytes: number } | null = null;
  for (const tick of ticks) {
    if (before && tick.time < before.time + stride && tick.time < until) continue;
    const bytes = tick.links.reduce((sum, link) => sum + link.bytes, 0);
    if (before && tick.time > before.time) {
      // a stretch in which nothing came is not kept: it ends where the next piece begins
      const quiet = tick.time - before.time > 3 * stride;
      const since = quiet ? tick.time - stride : before.time;
      if (quiet) {
        xs.push(before.time - from + stride / 2, since - from);
        ys.push(0, 0);
      }
      xs.push(tick.time - from);
      ys.push(Math.max(0, bytes - before.bytes) / (tick.time - since));
    }
    before = { time: tick.time, bytes };
  }
  return { name: "traffic", xs, ys };
}
