/* The panel beside the graph: about the selected box, or about the whole graph. */
import { button, h, listenKeys, listOf } from "../common/dom";
import { formatDuration } from "../common/look";
import { type Model, put, watch } from "../common/widget";
import type { Scene } from "./draw";

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
  return button(breakable(text), `Show ${id}`, () => go(id), { class: "mtfw-jump" });
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
  const list = h("ul", { class: "mtfw-tensors mtfw-list" }, ...rows.map((row) => tensor(row, go)));
  if (more) list.append(h("li", { class: "mtfw-type" }, `and ${more} more`));
  return section(`${title} (${rows.length + more})`, list);
}

const table = (rows: [string, string | number][]): HTMLElement =>
  listOf(rows.map(([name, value]) => [name, breakable(String(value))]));

export function legend(scene: Scene): HTMLElement {
  return h(
    "ul",
    { class: "mtfw-flow mtfw-legend mtfw-list", "aria-label": "what the colours mean" },
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
  ["↑ ↓ ← →", "follow the edges"],
  ["Enter", "open or close a scope"],
  ["/", "search"],
  ["+ − 0", "zoom, fit"],
  ["Ctrl wheel", "zoom"],
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
    button("Show all", "Remove the highlight", all),
  );
}
const PLAYING: [string, string][] = [
  [", .", "one step back, on"],
  ["p", "play, pause"],
  ["b", "stop at this op"],
];

/* About the graph as a whole, and the keys. */
export function overview(scene: Scene): HTMLElement {
  return h(
    "div",
    {},
    h("h3", {}, "Graph"),
    h("p", { class: "mtfw-type" }, shown(scene)),
    section("Keys", listOf([...KEYS, ...(scene.run_at ? PLAYING : [])].map(([key, does]) => [h("kbd", {}, key), does]))),
  );
}

/* About one box. */
export function about(details: Details, go: Go, light: () => void): HTMLElement {
  const facts: [string, string | number][] = [];
  if (details.op) facts.push(["op", details.op]);
  if ((details.count ?? 0) > 1) facts.push(["ops", details.count!]);
  for (const device of details.devices ?? [])
    facts.push(["device", device.name + (details.devices!.length > 1 ? ` (${device.count})` : "")]);
  if (details.micros !== null && details.micros !== undefined) facts.push(["time", formatDuration(details.micros / 1e6)]);
  if (details.role && details.role !== "main") facts.push(["part", details.role]);
  return h(
    "div",
    {},
    h("h3", {}, breakable(details.name ?? "")),
    table(facts),
    button("What it needs", "Highlight what this needs, and dim the rest", light),
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

/* The search box: type, walk through what Python found, Enter shows it. */

interface Match {
  id: string;
  op: string;
}

let count = 0;

/* Returns the element, and `focus` for the "/" key. `leave` is called when the reader is done. */
export function searchBox(
  model: Model,
  select: (id: string) => void,
  leave: () => void,
  signal: AbortSignal,
): { element: HTMLElement; focus: () => void } {
  const listId = `mtfw-matches-${++count}`;
  let active = 0;
  const input = h(
    "input",
    {
      class: "mtfw-input",
      type: "text",
      role: "combobox",
      placeholder: "Search  /",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Search for an op or scope",
      "aria-controls": listId,
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      onblur: () => close(),
      oninput: () => {
        active = 0;
        entered = false;
        put(model, "query", input.value);
        if (!input.value) close();
      },
    },
  );
  const list = h("ul", { class: "mtfw-matches", id: listId, role: "listbox", "aria-label": "Found", hidden: true });
  let entered = false; // Enter was pressed before Python had answered
  const answer = (): { query?: string; found?: Match[] } => model.get("matches") ?? {};
  const matches = (): Match[] => answer().found ?? [];

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (id: string) => {
    input.value = "";
    entered = false;
    close();
    put(model, "query", "");
    select(id);
    leave();
  };
  const paint = () => {
    const found = matches();
    if (!input.value) return close();
    active = Math.min(active, Math.max(0, found.length - 1));
    list.replaceChildren(
      ...found.map((match, index) =>
        h(
          "li",
          {
            role: "option",
            id: `${listId}-${index}`,
            "aria-selected": String(index === active),
            onpointerdown: (event: Event) => event.preventDefault(),
            onclick: () => choose(match.id),
          },
          h("span", {}, match.id),
          h("span", { class: "mtfw-type" }, match.op),
        ),
      ),
    );
    if (!found.length) list.append(h("li", { class: "mtfw-type" }, "nothing found"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (found.length) input.setAttribute("aria-activedescendant", `${listId}-${active}`);
    list.children[active]?.scrollIntoView?.({ block: "nearest" });
  };
  /* Shows the chosen match, once the answer is to what the reader typed. */
  const enter = () => {
    if (!entered || answer().query !== input.value) return;
    entered = false;
    const match = matches()[active];
    if (match && input.value) choose(match.id);
  };
  const move = (step: number) => {
    const number = matches().length;
    if (number) active = (active + step + number) % number;
    paint();
  };
  listenKeys(
    input,
    {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: () => {
        entered = true;
        enter();
      },
      Escape: () => {
        input.value = "";
        put(model, "query", "");
        close();
        leave();
      },
    },
    signal,
  );
  watch(model, ["matches"], () => (paint(), enter()), signal);
  return {
    element: h("div", { class: "mtfw-search" }, input, list),
    focus: () => {
      input.focus();
      input.select();
    },
  };
}
