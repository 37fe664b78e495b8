/* Small makers of HTML and SVG elements, and the root that every widget draws in. */
import type { Model } from "./model";

type Attributes = Record<string, unknown>;
type Child = Node | string | null | undefined | false;

const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function" && name.startsWith("on"))
      element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
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

/* Without this JupyterLab takes keys such as `a`, `b`, `x` and `d d` away from a focused widget. */
export const FOCUSABLE = { "data-lm-suppress-shortcuts": "true" };

/* An attribute object for something that takes the focus. */
export function focusable(attributes: Attributes = {}, tabindex = 0): Attributes {
  return { tabindex, ...FOCUSABLE, ...attributes };
}

/* A button that JupyterLab's shortcuts leave alone. */
export function button(
  label: string,
  title: string,
  onclick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "mtfw-button", title, "aria-label": title, onclick, ...FOCUSABLE, ...attributes },
    label,
  );
}

/* Puts the widget's root into `el` and hides the static picture that stands before the live view.
 *
 * Returns the root and a signal: `signal.aborted` once `dispose` was called, which is what a
 * `render` function hands back. The picture is hidden by a rule, not by touching it, so that it
 * stays hidden when the notebook draws it later or again.
 */
export function mount(
  el: HTMLElement,
  model: Model,
  name: string,
): { root: HTMLDivElement; signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const root = h("div", { class: `mtfw mtfw-${name}`, ...FOCUSABLE });
  const picture = model.get("picture_class");
  if (picture) {
    const one = `.${CSS.escape(picture)}`;
    // In an Output widget the output around all of it has the picture, too, and stays.
    const output = `.jp-OutputArea-child:has(${one}):not(:has(.jp-OutputArea-child ${one}))`;
    root.append(h("style", {}, `${one},${output}{display:none!important}`));
  }
  el.append(root);
  const dispose = () => {
    controller.abort();
    root.remove();
  };
  return { root, signal: controller.signal, dispose };
}
