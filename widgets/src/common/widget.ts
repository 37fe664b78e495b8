/* The part of anywidget's contract that the front ends use (traits, messages, a render function), and
 * the root that every widget draws in. */
import { iconButton } from "./controls";
import { h, OWN_KEYS } from "./dom";
import { THINGS } from "./look";

export type Listener = (...args: any[]) => void;

export interface Model {
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: Listener): void;
  off(event?: string | null, listener?: Listener | null): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBufferLike[]): void;
}

export interface RenderContext {
  model: Model;
  el: HTMLElement;
}

/* Sets one trait and sends it to Python. */
export function put(model: Model, name: string, value: unknown): void {
  model.set(name, value);
  model.save_changes();
}

function listen(model: Model, event: string, listener: Listener, signal: AbortSignal): void {
  model.on(event, listener);
  signal.addEventListener("abort", () => model.off(event, listener), { once: true });
}

/* Calls `listener` when one of `names` changes, until `signal` aborts. */
export function watch(
  model: Model,
  names: string[],
  listener: () => void,
  signal: AbortSignal,
): void {
  for (const name of names) listen(model, `change:${name}`, listener, signal);
}

/* Calls `listener(content)` for each custom message from Python, until `signal` aborts. */
export function onMessage(model: Model, listener: (content: any) => void, signal: AbortSignal): void {
  listen(model, "msg:custom", listener, signal);
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
  const root = h("div", { class: `mtfw mtfw-${name}`, [OWN_KEYS]: "true" });
  for (const [thing, { color }] of THINGS) root.style.setProperty(`--of-${thing.replace(/\W+/g, "-")}`, color);
  const picture = model.get("picture_class");
  if (picture) {
    const one = `.${CSS.escape(picture)}`;
    // In an Output widget the output around all of it has the picture, too, and stays.
    const output = `.jp-OutputArea-child:has(${one}):not(:has(.jp-OutputArea-child ${one}))`;
    root.append(h("style", {}, `${one},${output}{display:none!important}`));
  }
  el.append(root);
  // A model is live from the start; ipywidgets says so again only when it lost its kernel.
  listen(model, "comm_live_update", () => root.classList.add("mtfw-ended"), controller.signal);
  const dispose = () => {
    controller.abort();
    root.remove();
  };
  return { root, signal: controller.signal, dispose };
}

/* A widget's front end: what its module exports. `draw` fills the root; `signal` is aborted when the
 * view is taken away. */
export function widget(
  name: string,
  draw: (model: Model, root: HTMLDivElement, signal: AbortSignal) => void,
): { render: (context: RenderContext) => () => void } {
  return {
    render({ model, el }) {
      const { root, signal, dispose } = mount(el, model, name);
      draw(model, root, signal);
      return dispose;
    },
  };
}

/* A button that shows the widget on the full screen, and back. */
export function fullScreen(root: HTMLElement): HTMLButtonElement {
  const made = iconButton("full", "Full screen", () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void root.requestFullscreen?.();
  });
  made.hidden = !document.fullscreenEnabled;
  return made;
}
