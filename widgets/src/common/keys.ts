/* Keyboard helpers: one table from key to action, and roles told in one place. */

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
