/* The panel beside the lanes: the current bar in words, and the ten dearest operations. */
import { FOCUSABLE, h } from "../common/dom";
import { formatBytes } from "../common/look";
import { type Bar, type Step, time } from "./lanes";

const WHY = {
  input: "its input",
  transfer: "a transfer",
  turn: "its turn on the device",
  "": "",
};

function jump(text: string, title: string, go: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "mtfw-jump", title, onclick: go, ...FOCUSABLE }, text);
}

/* What is known of one bar; `go` selects another. */
export function aboutBar(step: Step, bar: Bar, go: (index: number) => void): HTMLElement {
  const rows: [string, Node | string][] = [
    ["type", bar.op.replace(/^_/, "")],
    ["on", step.lanes[bar.lane]!.label],
    ["starts", `${time(bar.start)} into the step`],
    [bar.kind === "wait" ? "waits" : "takes", `${time(bar.length)}, ${((100 * bar.length) / step.length).toFixed(1)} % of the step`],
  ];
  if (bar.size) rows.push([bar.kind === "send" ? "sends" : "makes", formatBytes(bar.size)]);
  const before = step.bars[bar.waited];
  if (before) {
    const link = jump(before.name, `Show ${before.name}`, () => go(before.index));
    rows.push(["waited for", h("span", {}, `${WHY[bar.why]}: `, link)]);
  }
  if (bar.critical) rows.push(["", "on the critical path: the step ends when it does"]);
  return h(
    "section",
    { class: "mtfw-about" },
    h("h3", {}, bar.name),
    h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}

/* The operations that took longest, as a table of buttons. */
export function dearest(step: Step, go: (node: string, lane: number) => void): HTMLElement {
  const most = step.dearest[0]?.micros ?? 1;
  const rows = step.dearest.map((row) =>
    h(
      "tr",
      {},
      h("td", {}, jump(row.name, `Show ${row.name}`, () => go(row.name, row.lane)),
        h("span", { class: "mtfw-where" }, ` ${row.op}${row.runs > 1 ? `, ${row.runs} runs` : ""} on ${step.lanes[row.lane]!.label}`)),
      h("td", { class: "mtfw-cost" }, time(row.micros),
        h("span", { class: `mtfw-share${row.critical ? " mtfw-critical" : ""}`, style: `width:${(100 * row.micros) / most}%` })),
    ),
  );
  return h(
    "section",
    {},
    h("h3", {}, "Dearest operations"),
    h("table", {}, h("thead", { class: "mtfw-hidden" }, h("tr", {}, h("th", {}, "operation"), h("th", {}, "time"))), h("tbody", {}, ...rows)),
  );
}
