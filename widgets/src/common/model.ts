/* The part of anywidget's contract that the front ends use: traits, messages, a render function. */

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

/* Calls `listener` when one of `names` changes, until `signal` aborts. */
export function watch(
  model: Model,
  names: string[],
  listener: () => void,
  signal: AbortSignal,
): void {
  for (const name of names) {
    const event = `change:${name}`;
    model.on(event, listener);
    signal.addEventListener("abort", () => model.off(event, listener), { once: true });
  }
}

/* Calls `listener(content)` for each custom message from Python, until `signal` aborts. */
export function onMessage(model: Model, listener: (content: any) => void, signal: AbortSignal): void {
  model.on("msg:custom", listener);
  signal.addEventListener("abort", () => model.off("msg:custom", listener), { once: true });
}
