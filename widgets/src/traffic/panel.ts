/*
 * The words beside and below the picture: details of the selection, and everything as tables.
 *
 * The tables are the picture's text alternative: exact counts of every link, and the last messages.
 */
import { FOCUSABLE, h, s } from "../common/dom";
import { classColor, shapePath } from "./canvas";
import { classOf, CLASSES, classStyle, type MessageClass } from "./classes";
import { describe, linkLabel, messageRow, type MessageRow } from "./describe";
import { compareTasks } from "./layout";
import type { EventLog } from "./log";
import type { RateBook } from "./rates";
import { formatBytes, formatCount, formatRate, taskLabel } from "./units";
import type { TrafficEvent } from "./wire";

const ROWS = 6;
const CAPTION = "Last messages · from request to last byte";
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

/* What the colours and shapes mean. */
export function legend(dark: boolean): HTMLElement[] {
  return CLASSES.map((style) => h("span", {}, icon(style.id, dark), style.label));
}

/* The panel beside the picture. */
export class Details {
  readonly element: HTMLElement;
  private readonly title = h("div", { class: "mtft-title" });
  private readonly subtitle = h("div", { class: "mtft-subtitle" });
  private readonly facts = h("dl", { class: "mtft-facts" });
  private readonly caption = h("div", { class: "mtft-caption" }, CAPTION);
  private readonly list = h("ul", { class: "mtft-messages" });
  private shown = "";

  constructor() {
    this.element = h(
      "section",
      { class: "mtft-details", "aria-label": "Details of the selection" },
      this.title, this.subtitle, this.facts, this.caption, this.list,
    );
  }

  show(
    selection: string | null,
    book: RateBook,
    log: EventLog,
    travel: number,
    dark: boolean,
  ): void {
    const told = describe(selection, book, log, travel, ROWS);
    const text = JSON.stringify([told, dark]);
    if (text === this.shown) return;
    this.shown = text;
    this.title.textContent = told.title;
    this.subtitle.textContent = told.subtitle;
    this.facts.replaceChildren(
      ...told.facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    );
    this.list.replaceChildren(...told.rows.map((row) => messageItem(row, dark)));
    if (told.rows.length === 0) this.list.append(h("li", { class: "mtft-none" }, "none yet"));
  }
}

function messageItem(row: MessageRow, dark: boolean): HTMLLIElement {
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
        h("code", { title: row.name }, row.name),
        h("b", {}, row.size),
      ),
      h(
        "div",
        { class: "mtft-line2" },
        h("span", {}, row.route),
        h("span", {}, `${row.duration} · ${row.slower} slower`),
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

  show(book: RateBook, log: EventLog, travel: number): void {
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
