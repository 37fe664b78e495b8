/* The program of a pass: one row a line, coloured, marked where the pass changed it. */
import { focusable, h } from "../common/dom";

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
