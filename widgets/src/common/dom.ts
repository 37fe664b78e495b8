/* Small makers of HTML and SVG elements; keys, sizes and movement of what they make. */

type Attributes = Record<string, unknown>;
export type Child = Node | string | null | undefined | false;

const SVG = "http://www.w3.org/2000/svg";
const FOCUSED = "button, input, select, summary, [tabindex]";

/* Without this JupyterLab takes keys such as `a`, `b`, `x` and `d d` away from what has the focus.
 * All that is made here and takes the focus has it. */
export const OWN_KEYS = "data-lm-suppress-shortcuts";

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function" && name.startsWith("on"))
      element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  if (element.matches(FOCUSED)) element.setAttribute(OWN_KEYS, "true");
  for (const child of children) if (child) element.append(child);
  return element;
}

/* An HTML element: `h("button", {class: "x", onclick: f}, "text")`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/* An SVG element, in the same way. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], attributes, children);
}

/* A table from rows of texts; the first row is its head, the first column its names. */
export function tableOf(caption: string, rows: string[][], current = -1): HTMLTableElement {
  const [head = [], ...body] = rows;
  return h(
    "table",
    {},
    h("caption", { class: "mtfw-hidden" }, caption),
    h("thead", {}, h("tr", {}, ...head.map((text) => (text ? h("th", { scope: "col" }, text) : h("td"))))),
    h("tbody", {}, ...body.map((row, place) =>
      h("tr", { class: place === current && "mtfw-current" }, ...row.map((text, column) =>
        column ? h("td", {}, text) : h("th", { scope: "row" }, text))))),
  );
}

/* Names, and what is told of each. */
export function listOf(rows: readonly (readonly [Child, Child])[]): HTMLElement {
  return h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/* Makes `old` equal to `made`, and keeps the elements that it has, those with a `data-key` by this key:
 * a click or the focus never lands on something that is just being replaced. */
export function renew(old: Element, made: Element): void {
  for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const keyOf = (node: Node) => (node as Element).getAttribute?.("data-key") ?? null;
  const children = [...made.childNodes];
  const keys = new Set(children.map(keyOf));
  for (const node of [...old.children]) if (!keys.has(keyOf(node))) node.remove();
  const known = new Map([...old.children].map((node) => [keyOf(node), node]));
  for (const [i, child] of children.entries()) {
    const [key, at] = [keyOf(child), old.childNodes[i] ?? null];
    const same = at && at.nodeName === child.nodeName && keyOf(at) === key;
    const had = same ? at : key === null ? undefined : known.get(key);
    if (had !== at) old.insertBefore(had ?? child, at);
    if (had instanceof Element) renew(had, child as Element);
    else if (had) had.nodeValue = child.nodeValue;
  }
  while (old.childNodes.length > children.length) old.lastChild!.remove();
}

/* A button with a name, which a pointer at it sees, too. */
export function button(
  label: Child,
  title: string,
  onclick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return h("button", { type: "button", class: "mtfw-button", title, "aria-label": title, onclick, ...attributes }, label);
}

/* From a key to its action. */
export type KeyTable = Record<string, (event: KeyboardEvent) => void>;

/* The name of a key press: the key, with "Shift+" before named keys and "Ctrl+" for Ctrl or ⌘. */
export function keyName(event: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey">): string {
  const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  return ctrl + shift + (event.key === " " ? "Space" : event.key);
}

/* Listens on `element` and runs the action of the pressed key; other keys pass through untouched.
 * A press inside a text field reaches only the tables that listen on that field. */
export function listenKeys(element: HTMLElement | SVGElement, table: KeyTable, signal: AbortSignal): void {
  element.addEventListener(
    "keydown",
    (event) => {
      const press = event as KeyboardEvent;
      const target = press.target as HTMLElement;
      if (target !== element && target.matches?.("input, select, textarea")) return;
      const action = table[keyName(press)];
      if (!action) return;
      press.preventDefault();
      press.stopPropagation();
      action(press);
    },
    { signal },
  );
}

/* Whether the reader asked the system for less movement. */

export function reducedMotion(): boolean {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

/* Calls `listener` with the width and height of `element`, at first and when they change. */
export function onResize(
  element: Element,
  listener: (width: number, height: number) => void,
  signal: AbortSignal,
): void {
  const observer = new ResizeObserver(() => listener(Math.round(element.clientWidth), Math.round(element.clientHeight)));
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
}
