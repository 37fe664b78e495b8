/* What the panel and the status line say, first as plain data. */
import { Chart, type Curve } from "../common/chart";
import { button, h, renew, s } from "../common/dom";
import { formatBytes, formatCount, formatDuration, formatFactor, formatRate } from "../common/look";
import { countUpTo, type History, type LinkTotals, type RateBook } from "./history";
import {
  CLASSES, classOf, type Log, type MessageClass, opOf, tensorsOf, term, termOf, TERMS, wordsOf,
} from "./messages";
import { shapeElement } from "./stage";
import { SLOW_SECONDS, slowDown } from "./time";
import { lifeOf, parseTask, taskLabel, type TrafficEvent, type Wait } from "./wire";

export interface MessageRow {
  event: TrafficEvent;
  /* The tensors in it, or else what kind of message it is. */
  name: string;
  route: string;
  size: string;
  duration: string;
  /* How many times slower than in reality it is shown. */
  slower: string;
}

export interface Description {
  title: string;
  subtitle: string;
  facts: [name: string, value: string][];
  /* Of the selected worker, or of all. */
  staleness: Staleness | null;
  rows: MessageRow[];
}

/* Seconds after which a wait is worth a word. */
const LONG_WAIT = 1;

/* The waits worth telling, the longest first: of one task, or of all (null). */
export function longWaits(waits: readonly Wait[], task: string | null = null): Wait[] {
  return waits
    .filter((wait) => wait.seconds >= LONG_WAIT && (task === null || wait.task === task))
    .sort((a, b) => b.seconds - a.seconds);
}

/* "worker 1 waits for sync_token_q_Dequeue on ps 1: the queue is empty". */
export function waitText(wait: Wait): string {
  return `${taskLabel(wait.task)} ${wait.text}`;
}

/* "35 s", "12 min". */
export function sinceText(seconds: number): string {
  return seconds < 120 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min`;
}

export function linkLabel(key: string): string {
  return key.split("|").map(taskLabel).join(" → ");
}

/* "1,204 messages, 12.3 MB". */
export function totalText(total: { messages: number; bytes: number }): string {
  const noun = total.messages === 1 ? "message" : "messages";
  return `${formatCount(total.messages)} ${noun}, ${formatBytes(total.bytes)}`;
}

export function rateText(total: LinkTotals): string {
  return `${formatRate(total.rate.bytes)}, ${formatCount(total.rate.messages)} messages/s`;
}

export function messageRow(event: TrafficEvent, travel: number): MessageRow {
  const seconds = Math.max(0, event.end - event.start);
  return {
    event,
    name: wordsOf(event),
    route: `${taskLabel(event.source)} → ${taskLabel(event.destination)}`,
    size: formatBytes(event.bytes),
    duration: formatDuration(seconds),
    slower: formatFactor(slowDown(seconds, travel)),
  };
}

/* What is known of the selection; of everything when nothing (or nothing known) is selected. */
export function describe(
  selection: string | null,
  book: RateBook,
  log: Log,
  travel: number,
  rows: number,
): Description {
  const last = (of: string | null) => log.last(rows, of).map((event) => messageRow(event, travel));
  const link = selection === null ? undefined : book.links.get(selection);
  if (link) {
    const back = book.links.get(`${link.destination}|${link.source}`);
    return {
      title: linkLabel(link.key),
      subtitle: "link, this direction",
      facts: [
        ["in all", totalText(link)],
        ["now", rateText(link)],
        ...(link.messages > 0
          ? [["mean message", formatBytes(link.bytes / link.messages)] as [string, string]]
          : []),
        ["reverse direction", back ? totalText(back) : "nothing yet"],
      ],
      staleness: null,
      rows: last(link.key),
    };
  }
  const task = selection === null ? undefined : book.tasks.get(selection);
  if (task) {
    const state = task.listed ? lifeOf(task) : "not a task of the cluster";
    const stale = parseTask(task.task).job === "ps" ? null : stalenessOf(book, log, task.task);
    const restarts = task.restarts > 0 ? `, restarted ${task.restarts}×` : "";
    return {
      title: taskLabel(task.task),
      subtitle: [`${state}${restarts}`, task.address].filter(Boolean).join(" · "),
      facts: [
        ["in, all", totalText(task.in)],
        ["in, now", rateText(task.in)],
        ["out, all", totalText(task.out)],
        ["out, now", rateText(task.out)],
        ...stalenessFact(stale),
      ],
      staleness: stale,
      rows: last(task.task),
    };
  }
  const dead = [...book.tasks.values()].filter((other) => lifeOf(other) === "dead").length;
  const totals = book.totals();
  const stale = stalenessOf(book, log, null);
  return {
    title: "All tasks",
    subtitle: "select a task or a link for its own numbers",
    facts: [
      ["tasks", `${formatCount(book.tasks.size)}${dead > 0 ? `, ${dead} dead` : ""}`],
      ["in all", totalText(totals)],
      ["now", rateText(totals)],
      ...stalenessFact(stale),
    ],
    staleness: stale,
    rows: last(null),
  };
}

/* Messages that the staleness is counted from, at most. */
const STALENESS_EVENTS = 1500;

/* Of one worker, or of all (null); null while no updates are seen. */
function stalenessOf(book: RateBook, log: Log, worker: string | null): Staleness | null {
  const shareOf = (ps: string) => book.sampledShare(ps);
  return staleness(log.last(STALENESS_EVENTS), shareOf, worker);
}

function stalenessFact(found: Staleness | null): [string, string][] {
  return found ? [["stale by", stalenessText(found)]] : [];
}

/*
 * How much of the traffic is drawn message by message, in words; totals are exact either way.
 *
 * @param still nothing is drawn moving, since the reader asked for less movement
 * @param slow in slow motion only pieces are drawn: what is told is how much came along one by one
 */
export function shareText(share: number | null, still = false, slow = 1): string {
  if (still) return "reduced motion: messages counted, not drawn one by one";
  const drawn = slow > 1 ? "sampled" : "drawn";
  if (share === null) return "no messages now: totals are shown";
  if (share > 0.995) return `every message ${drawn}`;
  const percent = share < 0.01 ? "under 1" : Math.round(share * 100);
  return `${percent}% of messages ${drawn}, totals exact`;
}

/* How slowly the recent messages are shown: the median, in words. */
export function slownessText(log: Log, travel: number, slow = 1): string {
  if (slow > 1) {
    const piece = formatDuration(SLOW_SECONDS / slow);
    const shown = `${piece} shown in ${SLOW_SECONDS} s`;
    return `slow motion, ${formatFactor(slow)} slower: ${shown}, then the newest`;
  }
  const factors = log
    .last(101)
    .map((event) => slowDown(event.end - event.start, travel))
    .sort((a, b) => a - b);
  if (factors.length === 0) return "";
  return `about ${formatFactor(factors[factors.length >> 1] as number)} slower than real`;
}

/*
 * How stale asynchronous updates are: how many updates of others a parameter server took in between
 * a worker's reading of its variables and the arrival of that worker's gradients, in one step.
 *
 * Counted from the single messages. Where only a share of them came along, the count is divided by
 * that share, which estimates the mean; the largest count is then not known.
 */

export interface Staleness {
  /* Updates of others, mean over the steps. */
  mean: number;
  /* Most in one step; null when not every message was seen. */
  most: number | null;
  /* How many steps were looked at. */
  steps: number;
  /* How many steps had so many updates of others in between: 0, 1, ..., MOST_BINS or more. */
  bins: number[];
}

export const MOST_BINS = 7;

/* A share of the messages above this counts as all of them. */
const COMPLETE = 0.995;

/* From a share of the messages, so many steps must be seen both reading and updating for an estimate. */
const ENOUGH = 20;

/*
 * @param events the last messages of all links, in any order
 * @param shareOf which share they are of the messages to a ps (0..1; null: not known)
 * @param worker only this worker's steps; null for all
 * @returns null when no step was seen both reading and updating
 */
export function staleness(
  events: readonly TrafficEvent[],
  shareOf: (ps: string) => number | null,
  worker: string | null = null,
): Staleness | null {
  const reads = new Map<string, number>();
  const updates = new Map<string, Map<string, TrafficEvent>>();
  for (const event of events) {
    // what is fed to a ps or fetched from it is no reading and no update of a worker's step
    if (event.kind !== "recv_tensor" || tensorsOf(event).length === 0) continue;
    const kind = classOf(event);
    if (kind === "from-ps") {
      const key = `${event.source} ${event.destination} ${event.step}`;
      reads.set(key, Math.min(reads.get(key) ?? Infinity, event.end));
    } else if (kind === "to-ps") {
      const steps = updates.get(event.destination) ?? new Map<string, TrafficEvent>();
      const key = `${event.source} ${event.step}`;
      const before = steps.get(key);
      if (!before || before.end < event.end) steps.set(key, event);
      updates.set(event.destination, steps);
    }
  }
  const counts: number[] = [];
  const before = (ends: number[], limit: number) => countUpTo(ends, limit, (end) => end, false);
  let complete = true;
  for (const [ps, steps] of updates) {
    const share = shareOf(ps);
    if (share === null || share <= 0) continue;
    const scale = share > COMPLETE ? 1 : 1 / share;
    complete &&= share > COMPLETE;
    const ends = [...steps.values()].map((event) => event.end).sort((a, b) => a - b);
    for (const update of steps.values()) {
      if (worker !== null && update.source !== worker) continue;
      const read = reads.get(`${update.destination} ${update.source} ${update.step}`);
      if (read === undefined || read >= update.end) continue;
      counts.push(scale * (before(ends, update.end) - before(ends, read)));
    }
  }
  if (counts.length < (complete ? 1 : ENOUGH)) return null;
  return {
    mean: counts.reduce((total, count) => total + count, 0) / counts.length,
    most: complete ? Math.max(...counts) : null,
    steps: counts.length,
    bins: binned(counts),
  };
}

function binned(counts: readonly number[]): number[] {
  const bins = new Array<number>(MOST_BINS + 1).fill(0);
  for (const count of counts) bins[Math.min(Math.round(count), MOST_BINS)]! += 1;
  return bins.slice(0, bins.findLastIndex((bin) => bin > 0) + 1);
}

/* "1.4 updates, 3 at most" or, from a share of the messages, "about 1.4 updates". */
export function stalenessText(found: Staleness): string {
  const mean = found.mean < 9.95 ? found.mean.toFixed(1) : found.mean.toFixed(0);
  return found.most === null ? `about ${mean} updates` : `${mean} updates, ${found.most} at most`;
}

/*
 * The words beside and below the picture: details of the selection, and everything as tables.
 *
 * The tables are the picture's text alternative: exact counts of every link, and the last messages.
 */

const ROWS = 5;
const LOG_ROWS = 25;
/* The first columns of the log hold words, not numbers. */
const LOG_TEXTS = 5;

/* A class's shape as a small picture. */
function icon(id: MessageClass, dark: boolean): SVGSVGElement {
  return s("svg", { class: "mtfw-icon mtft-icon", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shapeElement(id, 5, dark));
}

/* What the colours and shapes mean; each hides or shows its kind of messages. */
export function legend(
  dark: boolean,
  hidden: readonly string[],
  onToggle: (id: MessageClass) => void,
): HTMLElement[] {
  return CLASSES.map((style) => {
    const shown = !hidden.includes(style.id);
    return h(
      "button",
      {
        type: "button", class: "mtfw-button mtft-kind mtfw-muted", "aria-pressed": String(shown), "data-kind": style.id,
        "data-tip": `${TERMS[style.label]} Press to ${shown ? "hide" : "show"} them.`,
        onclick: () => onToggle(style.id),
      },
      icon(style.id, dark),
      style.label,
    );
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
  private readonly title = h("h3", { class: "mtft-title" });
  private readonly subtitle = h("div", { class: "mtft-subtitle mtfw-muted" });
  private readonly actions = h("div", { class: "mtfw-flow mtft-actions" });
  private readonly told = h("div");
  private acting = "";

  /* @param onOp called with the operation of a message that was pressed
   * @param onAct called with the name of an action and its task, once it was confirmed */
  constructor(
    onOp: (op: string | null) => void,
    private readonly onAct: (name: string, task: string) => void,
  ) {
    this.element = h(
      "section",
      { class: "mtft-details", "aria-label": "Details of the selection" },
      this.title, this.subtitle, this.actions, this.told,
    );
    this.told.addEventListener("click", (event) => {
      const pressed = (event.target as Element).closest<HTMLElement>("[data-op]");
      if (pressed) onOp(pressed.ariaPressed === "true" ? null : pressed.dataset.op!);
    });
  }

  show({ selection, book, log, travel, dark, waits, op, abilities, additions }: Shown): void {
    const told = describe(selection, book, log, travel, ROWS);
    const task = selection !== null && book.tasks.get(selection)?.listed ? selection : null;
    if (task !== null) this.showActions(task, abilities);
    else this.showActions("", selection === null ? additions : []);
    const since = (wait: Wait) => `${waitText(wait)}, ${sinceText(wait.seconds)}`;
    const shown = longWaits(waits, task).slice(0, 5).map((wait) => h("li", {}, since(wait)));
    const rows = told.rows.map((row) => messageItem(row, dark, op));
    renew(this.told, h(
      "div", {},
      h("ul", { class: "mtft-waits mtfw-list", "aria-label": "Who waits for what", hidden: shown.length === 0 }, ...shown),
      h("dl", { class: "mtft-facts" }, ...told.facts.flatMap(([name, value]) => [h("dt", {}, term(name)), h("dd", {}, value)])),
      told.staleness && told.staleness.most !== null && bars(told.staleness),
      h("div", { class: "mtft-caption mtfw-muted" }, "Last messages · ", term("from request to last byte")),
      h("ul", { class: "mtft-messages mtfw-list" }, ...(rows.length > 0 ? rows : [h("li", { class: "mtfw-muted" }, "none yet")])),
    ));
    this.title.textContent = told.title;
    this.subtitle.textContent = told.subtitle;
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
        s("rect", { class: "mtfw-muted", x: wide * i + 3, y: 32 - height, width: wide - 6, height }),
        s("text", { class: "mtfw-muted", x: wide * (i + 0.5), y: 44, "text-anchor": "middle" }, `${i}${i === MOST_BINS ? "+" : ""}`),
      ];
    }),
  );
}

function messageItem(row: MessageRow, dark: boolean, selected: string | null): HTMLLIElement {
  const op = opOf(row.event);
  const title = `${row.name}: select ${op} in the graph`;
  const pressed = String(op === selected);
  const name = op
    ? h("button", { type: "button", class: "mtfw-jump mtft-op", title, "aria-pressed": pressed, "data-op": op }, row.name)
    : h("code", { title: row.name }, row.name);
  const above = h("div", { class: "mtft-row" }, name, h("span", {}, row.size));
  const below = h(
    "div", { class: "mtft-row mtfw-muted" },
    h("span", { title: TERMS[termOf(row.event)] }, row.route),
    h("span", { title: `shown ${row.slower} slower` }, row.duration),
  );
  return h("li", {}, icon(classOf(row.event), dark), h("div", {}, above, below));
}

/* The two tables below the picture. */
export class Tables {
  readonly element: HTMLElement;
  private readonly linkBody = h("tbody");
  private readonly logBody = h("tbody");
  private readonly linkBox: HTMLDetailsElement;
  private readonly logBox: HTMLDetailsElement;

  constructor(onSelect: (key: string) => void) {
    this.linkBody.addEventListener("click", (event) => {
      const pressed = (event.target as Element).closest<HTMLElement>("[data-link]");
      if (pressed) onSelect(pressed.dataset.link!);
    });
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
    this.element = h("div", { class: "mtfw-flow mtft-tables" }, this.linkBox, this.logBox);
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
    const links = [...book.links.values()].sort((a, b) => a.key.localeCompare(b.key, "en", { numeric: true }));
    renew(this.linkBody, h("tbody", {}, ...links.map((link) => {
      const { key, rate } = link;
      const numbers = [link.messages, link.bytes, rate.messages].map(formatCount);
      const pick = h("button", { type: "button", class: "mtfw-jump", "data-link": key }, linkLabel(key));
      return h("tr", { "data-key": key }, h("th", { scope: "row" }, pick),
        ...[...numbers, formatRate(rate.bytes)].map((text) => h("td", {}, text)));
    })));
  }

  private showLog(events: TrafficEvent[], travel: number): void {
    renew(this.logBody, h("tbody", {}, ...events.map((event) => {
      const { name, size, duration, slower } = messageRow(event, travel);
      const ends = [event.source, event.destination].map(taskLabel);
      const cells = [event.step, event.kind, name, ...ends, size, duration, slower];
      return h("tr", {}, ...cells.map((cell, i) => h("td", { class: i < LOG_TEXTS ? "mtft-text" : null }, cell)));
    })));
  }
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
    h("summary", { class: "mtfw-muted" }, title),
    h(
      "div",
      { class: "mtft-scroll", tabindex: 0, role: "region", "aria-label": title },
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
    this.bytes = new Chart({ label: "Bytes per second, all links", x, height: 104, formatY: short, signal });
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
