/* The search box: type, walk through what Python found, Enter shows it. */
import { focusable, h } from "../common/dom";
import { listenKeys } from "../common/keys";
import { put, watch, type Model } from "../common/model";

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
    focusable({
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
    }),
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
  input.addEventListener(
    "input",
    () => {
      active = 0;
      entered = false;
      put(model, "query", input.value);
      if (!input.value) close();
    },
    { signal },
  );
  input.addEventListener("blur", close, { signal });
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
