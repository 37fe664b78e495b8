/* The program of a pass: one row a line, coloured, marked where the pass changed it. */
import { button, focusable, FOCUSABLE, h } from "../common/dom";
import { formatBytes, formatDuration } from "../common/look";

export type Row = [mark: "" | "+" | "-", text: string, ops: string[]];

const TOKENS =
  /(#.*$)|\b(def|return|del|for|in|if|else|while|try|except|finally|with|as|None|True|False|not|and|or)\b|\b(op_\w+|np_\w+|fused\w*|rendezvous(?:\.\w+)?|receive|plain|owned)\b|\b(\d[\w.]*)\b/g;
const CLASSES = ["", "mtfw-note", "mtfw-word", "mtfw-call", "mtfw-number"];

/* A line in pieces: [class, text]. */
export function tokens(line: string): [string, string][] {
  const pieces: [string, string][] = [];
  let at = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > at) pieces.push(["", line.slice(at, match.index)]);
    pieces.push([CLASSES[match.slice(1).findIndex((part) => part !== undefined) + 1]!, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < line.length) pieces.push(["", line.slice(at)]);
  return pieces;
}

const SAID = { "": "", "+": "new: ", "-": "gone: " };

export function drawCode(rows: Row[]): HTMLElement[] {
  return rows.map(([mark, text, ops], index) =>
    h(
      "div",
      focusable(
        {
          class: `mtfw-row${mark === "+" ? " mtfw-new" : mark === "-" ? " mtfw-gone" : ""}`,
          role: "option",
          "data-row": index,
          "aria-selected": "false",
          "aria-label": `${SAID[mark]}${text.trim() || "blank"}`,
          title: ops.length ? ops.join(", ") : undefined,
        },
        -1,
      ),
      h("span", { class: "mtfw-mark", "aria-hidden": "true" }, mark === "-" ? "−" : mark || " "),
      h("span", { class: "mtfw-indent" }, /^ */.exec(text)![0]),
      ...tokens(text.trimStart()).map(([kind, piece]) => h("span", { class: kind || undefined }, piece)),
    ),
  );
}

/* Where boxes are put: the session's devices, what is tried on them, and what comes of it. */

export interface Device {
  name: string;
  label: string;
  simulated: boolean;
  color?: string;
  marker?: string;
}

export interface Trial {
  problem?: string;
  transfers?: [tensor: string, from: string, to: string, bytes: number, news: "" | "new" | "gone"][];
  counts?: [number, number];
  bytes?: [string, string];
  predicted?: number;
  measured?: [number, number];
  runs?: number;
  code?: string;
}

export interface PlaceActs {
  place(device: string | null): void;
  back(name: string): void;
  measure(): void;
}

/* What a box is called in a placement: the name of its scope or operation. */
export function placedName(id: string): string {
  return id.replace(/(^|\/)\(([^/]*)\)$/, (_, slash: string, own: string) => (slash ? "" : own));
}

export function drawPlaces(devices: Device[], selected: string, acts: PlaceActs): HTMLElement {
  const what = placedName(selected);
  const chips = devices.map((device) =>
    h(
      "button",
      {
        type: "button", class: "mtfw-button mtfw-device", "data-device": device.name, disabled: !what,
        title: device.simulated ? "Simulated: computes on the processor, with a memory of its own" : device.name,
        onclick: () => acts.place(device.name), ...FOCUSABLE,
      },
      h("span", { class: "mtfw-dot", style: `color:${device.color ?? "var(--mtfw-grey)"}`, "aria-hidden": "true" }, device.marker || "○"),
      device.label,
      device.simulated && h("small", {}, " simulated"),
    ),
  );
  return h(
    "div",
    { class: "mtfw-places", role: "group", "aria-label": "Devices" },
    h("span", {}, what ? "Put " : "Select a box, or drag it to a device:", what && h("code", {}, what), what && " on"),
    ...chips,
  );
}

export function drawTrial(placement: Record<string, string>, devices: Device[], trial: Trial, acts: PlaceActs): HTMLElement[] {
  const names = Object.keys(placement);
  const label = (name: string) => devices.find((device) => device.name === name)?.label ?? name;
  const parts: HTMLElement[] = [];
  if (names.length)
    parts.push(
      h("div", { class: "mtfw-tags" }, h("span", {}, "Tried:"),
        ...names.map((name) =>
          h("span", { class: "mtfw-tag" }, h("code", {}, name), ` on ${label(placement[name]!)}`,
            button("×", `Put ${name} back`, () => acts.back(name), { class: "mtfw-button mtfw-back" }))),
        button("Measure", "Run both placements in turn and compare their times", acts.measure)),
    );
  if (trial.problem) parts.push(h("p", { class: "mtfw-problem", role: "alert" }, trial.problem));
  if (!names.length || !trial.counts) return parts;
  const [before, after] = trial.measured ?? [];
  const change = (ratio: number) => `${ratio < 1 ? "−" : "+"}${Math.abs(Math.round(100 * (ratio - 1)))} %`;
  const row = (name: string, ...cells: string[]) =>
    h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)));
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("td", {}), ...["now", "tried", "change"].map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      row("transfers", ...trial.counts.map(String), ""),
      row("bytes", ...trial.bytes!, ""),
      row("step, predicted", "", "", change(trial.predicted!)),
      before !== undefined && after !== undefined
        ? row(`step, measured (${trial.runs} each)`, formatDuration(before), formatDuration(after), change(after / before))
        : row("step, measured", "", "", "–"),
    ),
  );
  const cuts = h(
    "details",
    {},
    h("summary", { ...FOCUSABLE }, "Transfers"),
    h("ul", {}, ...trial.transfers!.map(([tensor, from, to, size, news]) =>
      h("li", { class: news ? `mtfw-${news}` : undefined }, h("code", {}, tensor), ` ${from} → ${to}, ${size ? formatBytes(size) : "only a signal"}`,
        news && h("strong", {}, ` ${news}`)))),
  );
  const code = h("details", {}, h("summary", { ...FOCUSABLE }, "Code to paste"), h("pre", { tabindex: 0, ...FOCUSABLE }, trial.code ?? ""));
  parts.push(h("div", { class: "mtfw-outcome" }, table, h("div", {}, cuts, code)));
  return parts;
}
