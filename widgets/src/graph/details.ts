/* The panel beside the graph: about the selected box, or about the whole graph. */
import { button, h } from "../common/dom";
import type { Scene } from "./scene";

interface Row {
  id?: string;
  name: string;
  dtype: string;
  shape: string;
  users?: { id: string; name: string }[];
}

export interface Details {
  id?: string;
  name?: string;
  op?: string;
  role?: string;
  count?: number;
  devices?: { name: string; count: number }[];
  micros?: number | null;
  attrs?: [string, string][];
  inputs?: Row[];
  outputs?: Row[];
  more?: { inputs: number; outputs: number };
  gradients?: { id: string; name: string }[];
  ops?: [string, number][];
}

type Go = (id: string) => void;

/* A name that may break after each slash. */
function breakable(name: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  name.split("/").forEach((part, index) => {
    if (index) fragment.append("/", h("wbr"));
    fragment.append(part);
  });
  return fragment;
}

/* A button that selects the box `id`. */
function jump(id: string, text: string, go: Go): HTMLButtonElement {
  const link = button("", `Show ${id}`, () => go(id));
  link.append(breakable(text));
  link.className = "mtfw-jump";
  return link;
}

function section(title: string, ...content: (Node | string | null)[]): HTMLElement {
  return h("section", {}, h("h4", {}, title), ...content);
}

function tensor(row: Row, go: Go): HTMLElement {
  const type = [row.dtype, row.shape].filter(Boolean).join(" ");
  const users = row.users?.length
    ? h("div", { class: "mtfw-users" }, "→ ", ...row.users.map((user) => jump(user.id, user.name, go)))
    : null;
  const name = row.id ? jump(row.id, row.name, go) : h("code", {}, breakable(row.name));
  return h("li", {}, name, h("span", { class: "mtfw-type" }, type), users);
}

function tensors(title: string, rows: Row[] | undefined, more: number, go: Go): HTMLElement | null {
  if (!rows?.length) return null;
  const list = h("ul", { class: "mtfw-tensors" }, ...rows.map((row) => tensor(row, go)));
  if (more) list.append(h("li", { class: "mtfw-type" }, `and ${more} more`));
  return section(`${title} (${rows.length + more})`, list);
}

function table(rows: [string, string | number][]): HTMLElement {
  return h(
    "dl",
    {},
    ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, breakable(String(value)))]),
  );
}

/* A duration in microseconds -> with a unit: 1530 -> "1.53 ms". */
export function duration(micros: number): string {
  if (micros < 1000) return `${micros.toFixed(0)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toPrecision(3)} ms`;
  return `${(micros / 1e6).toPrecision(3)} s`;
}

export function legend(scene: Scene): HTMLElement {
  return h(
    "ul",
    { class: "mtfw-legend", "aria-label": "what the colours mean" },
    ...scene.legend.map((entry) =>
      h(
        "li",
        { title: entry.title || undefined },
        h("span", {
          class: "mtfw-swatch",
          style: `--c:${entry.color}${entry.tint === undefined ? "" : `;--t:${entry.tint * 100}%`}`,
        }),
        entry.marker ? h("span", { class: "mtfw-mark", style: `color:${entry.color}` }, entry.marker) : null,
        entry.label,
      ),
    ),
  );
}

const KEYS: [string, string][] = [
  ["↑ ↓ ← →", "walk along the wires"],
  ["Enter", "open or close a scope"],
  ["/", "search"],
  ["+ − 0", "zoom, fit"],
  ["Esc", "clear"],
];

/* What is drawn, in words. */
function shown({ ops, shown: [single, closed] }: Scene): string {
  return closed ? `${ops} ops, shown as ${single} ops and ${closed} closed scope${closed > 1 ? "s" : ""}` : `${ops} ops`;
}

/* What is lit, and the way back. */
export function litNote(names: string[], all: () => void): HTMLElement | null {
  if (!names.length) return null;
  return h(
    "p",
    { class: "mtfw-lit-note" },
    "Lit: what ",
    h("code", {}, names.join(", ")),
    names.length > 1 ? " need " : " needs ",
    button("Show all", "Light up the whole graph again", all),
  );
}
const PLAYING: [string, string][] = [
  [", .", "one step back, on"],
  ["p", "play, pause"],
  ["b", "stop at this op"],
];

/* About the graph as a whole, shown while nothing is selected. */
export function overview(scene: Scene): HTMLElement {
  return h(
    "div",
    {},
    h("h3", {}, "Graph"),
    h("p", { class: "mtfw-type" }, shown(scene)),
    section(
      "Keys",
      h(
        "dl",
        { class: "mtfw-keys" },
        ...[...KEYS, ...(scene.run_at ? PLAYING : [])].flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]),
      ),
    ),
  );
}

/* About one box. */
export function about(details: Details, go: Go, light: () => void): HTMLElement {
  const facts: [string, string | number][] = [];
  if (details.op) facts.push(["op", details.op]);
  if ((details.count ?? 0) > 1) facts.push(["ops", details.count!]);
  for (const device of details.devices ?? [])
    facts.push(["device", device.name + (details.devices!.length > 1 ? ` (${device.count})` : "")]);
  if (details.micros !== null && details.micros !== undefined) facts.push(["time", duration(details.micros)]);
  if (details.role && details.role !== "main") facts.push(["part", details.role]);
  return h(
    "div",
    {},
    h("h3", {}, breakable(details.name ?? "")),
    table(facts),
    button("What it needs", "Light up what this needs, and dim the rest", light),
    tensors("Inputs", details.inputs, details.more?.inputs ?? 0, go),
    tensors("Outputs", details.outputs, details.more?.outputs ?? 0, go),
    details.attrs?.length ? section("Attributes", table(details.attrs)) : null,
    details.gradients?.length
      ? section(
          details.role === "gradients" ? "Gradient of" : "Gradient",
          ...details.gradients.map((found) => jump(found.id, found.name, go)),
        )
      : null,
    details.ops?.length ? section("Contents", table(details.ops)) : null,
  );
}
