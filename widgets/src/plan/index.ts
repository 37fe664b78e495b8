/* The front end of a session's plan.
 *
 *   passes, scene, marks (from Python) -> program | graph       slider, clicks, drags -> stage,
 *                                                               selected, placement (to Python)
 *
 * A line and the boxes of its operations light up together, whichever of them is clicked.
 */
import { PlayBar } from "../common/controls";
import { button, FOCUSABLE, h, listenKeys } from "../common/dom";
import { saveButtons, standalone } from "../common/export";
import { put, watch, widget } from "../common/widget";
import { GraphPane } from "./graph";
import { type Device, drawCode, drawPlaces, drawTrial, placedName, type Row } from "./program";

interface Pass {
  name: string;
  purpose: string;
  rows: Row[];
  fates: string[];
}

const LEGEND: [fate: string, words: string][] = [
  ["pruned", "not needed for what is fetched"],
  ["folded", "a constant now"],
  ["merged", "the same as another"],
  ["removed", "left out"],
  ["fused", "computed in one go with others"],
];

export default widget("plan", (model, root, signal) => {
  let line = -1; // the row that the reader is at

  const pass = (): Pass => model.get("passes")[model.get("stage")] ?? model.get("passes")[0];
  const code = h("div", { class: "mtfw-code", role: "listbox", "aria-label": "The program", tabindex: 0, ...FOCUSABLE });
  const head = h("div", { class: "mtfw-head", "aria-live": "polite" });
  const places = h("div", { class: "mtfw-place" });
  const legend = h("ul", { class: "mtfw-legend" });
  const status = h("div", { class: "mtfw-status", role: "status" });
  const pane = new GraphPane(
    {
      select: (id) => (id || model.get("selected")) && ((line = -1), choose(id)),
      toggle: (id) => {
        const open: string[] = model.get("expanded");
        if (pane.scene?.boxes.find((box) => box.id === id)?.expandable)
          put(model, "expanded", open.includes(id) ? open.filter((name) => name !== id) : [...open, id]);
      },
      drop: (id, x, y) => {
        const device = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-device]")?.dataset.device;
        if (device) place(id, device);
      },
    },
    signal,
  );

  function choose(id: string): void {
    if (model.get("selected") !== id) put(model, "selected", id);
    else light();
  }

  /* Which operations are lit: those of the line, or those of the selected box. */
  function lit(): Set<string> {
    const row = pass().rows[line];
    if (row?.[2].length) return new Set(row[2]);
    const where: Record<string, string> = model.get("where");
    const id: string = model.get("selected");
    const inside = Object.keys(where).filter((name) => id && (where[name] === id || name.startsWith(`${id}/`) || name === id));
    return new Set(inside);
  }

  function light(): void {
    const ops = lit();
    const where: Record<string, string> = model.get("where");
    const boxes = new Set([...ops].map((name) => where[name]).filter((id): id is string => Boolean(id)));
    const one = Boolean(pass().rows[line]?.[2].length);
    pane.light(one ? boxes : new Set(), one ? "" : model.get("selected"));
    let first: HTMLElement | undefined;
    for (const item of code.children as unknown as Iterable<HTMLElement>) {
      const index = Number(item.dataset.row);
      const here = one ? index === line : pass().rows[index]![2].some((name) => ops.has(name));
      item.classList.toggle("mtfw-lit", here);
      item.setAttribute("aria-selected", String(here));
      item.setAttribute("tabindex", index === Math.max(line, 0) ? "0" : "-1");
      if (here) first ??= item;
    }
    if (first && (first.offsetTop < code.scrollTop || first.offsetTop > code.scrollTop + code.clientHeight - 40))
      code.scrollTop = first.offsetTop - code.clientHeight / 3;
    tellPlaces();
  }

  function goLine(index: number, focus: boolean): void {
    const row = pass().rows[index];
    if (!row) return;
    line = index;
    const op = row[2][row[2].length - 1];
    const box: string | undefined = op && model.get("where")[op];
    if (box) choose(box);
    light();
    if (focus) code.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
  }

  function draw(): void {
    const { name, purpose, rows } = pass();
    const stage: number = model.get("stage");
    head.replaceChildren(h("h3", {}, name), h("span", {}, purpose));
    code.replaceChildren(...drawCode(rows));
    line = -1;
    const changed = code.querySelector<HTMLElement>(".mtfw-new, .mtfw-gone");
    code.scrollTop = changed ? Math.max(0, changed.offsetTop - 60) : 0;
    mark(stage);
    light();
  }

  function mark(stage: number): void {
    const marks: Record<string, string>[] = model.get("marks");
    const now = marks[stage] ?? {};
    const before = marks[stage - 1] ?? (stage ? {} : now);
    pane.mark(now, new Set(Object.keys(now).filter((id) => now[id] !== before[id])));
    const seen = new Set(pass().fates);
    legend.replaceChildren(
      ...LEGEND.filter(([fate]) => seen.has(fate)).map(([fate, words]) =>
        h("li", {}, h("span", { class: `mtfw-badge mtfw-fate-${fate}` }, fate), words)),
      ...(model.get("scene").legend ?? []).map((entry: { color: string; marker: string; label: string }) =>
        h("li", {}, h("span", { style: `color:${entry.color}`, "aria-hidden": "true" }, entry.marker || "●"), entry.label)),
    );
  }

  // ---- placement ---------------------------------------------------------------------------

  function devices(): Device[] {
    const looks: { title: string; color: string; marker: string }[] = model.get("scene").legend ?? [];
    return model.get("devices").map((device: Device) => ({ ...looks.find((look) => look.title === device.name), ...device }));
  }

  /* Puts a box on a device: by its scope's name or, for a bundle of scopes, by the name of each. */
  function place(id: string, device: string): void {
    const name = placedName(id);
    const where: Record<string, string> = model.get("where");
    const ops = Object.keys(where).filter((op) => where[op] === id);
    const named = !ops.length || ops.every((op) => op === name || op.startsWith(`${name}/`));
    const depth = id.split("/").length;
    const names = named ? [name] : new Set(ops.map((op) => op.split("/").slice(0, depth).join("/")));
    const added = Object.fromEntries([...names].map((each) => [each, device]));
    ask("placement", { ...model.get("placement"), ...added });
  }

  function ask(name: string, value: unknown): void {
    put(model, name, value);
    say("Trying it on a copy of the session…");
  }

  let waiting = 0;
  function say(text: string): void {
    clearTimeout(waiting);
    status.textContent = text;
    if (text) waiting = window.setTimeout(() => say(""), 15_000);
  }

  const acts = {
    place: (device: string | null) => device && place(model.get("selected"), device),
    back: (name: string) => {
      const { [name]: _, ...rest } = model.get("placement");
      ask("placement", rest);
    },
    measure: () => {
      say("Measuring both placements…");
      model.send({ do: "measure" });
    },
  };

  function tellPlaces(): void {
    places.hidden = model.get("devices").length < 2;
    const open = [...places.querySelectorAll("details")].map((each) => each.open);
    places.replaceChildren(
      drawPlaces(devices(), model.get("selected"), acts),
      ...drawTrial(model.get("placement"), devices(), model.get("trial"), acts),
    );
    places.querySelectorAll("details").forEach((each, index) => (each.open = open[index] ?? false));
  }

  // ---- the whole ---------------------------------------------------------------------------

  const play = new PlayBar({
    label: "passes", length: model.get("passes").length, position: model.get("stage"), speeds: [0.2, 0.5, 1],
    describe: (at) => `${at} of ${model.get("passes").length - 1}: ${model.get("passes")[at]?.name}`,
    onmove: (at) => put(model, "stage", at), signal,
  });
  const picture = () =>
    standalone(pane.svg, pane.content, { x: 0, y: -14, width: Math.max(pane.scene!.width, 200), height: pane.scene!.height + 14 }, getComputedStyle(root).backgroundColor);
  root.append(
    h("div", { class: "mtfw-toolbar", role: "toolbar", "aria-label": "Passes" },
      play.element,
      h("span", { class: "mtfw-spring" }),
      button("Fit", "Show the whole graph", () => pane.refit()),
      ...saveButtons("plan", picture, "graph")),
    head,
    h("div", { class: "mtfw-body" }, code, pane.element, status),
    places,
    h("div", { class: "mtfw-legend-holder" }, legend),
  );
  const rowOf = (event: Event) => Number((event.target as Element).closest<HTMLElement>(".mtfw-row")?.dataset.row ?? -1);
  code.addEventListener("click", (event) => goLine(rowOf(event), true), { signal });
  const walk = (way: number) => () => goLine(Math.min(Math.max(line + way, 0), pass().rows.length - 1), true);
  listenKeys(code, { ArrowDown: walk(1), ArrowUp: walk(-1), Home: () => goLine(0, true), End: walk(1e6) }, signal);
  listenKeys(root, { "[": () => play.step(-1), "]": () => play.step(1), "0": () => pane.refit(), Escape: () => choose("") }, signal);

  watch(model, ["passes", "stage"], () => (play.resize(model.get("passes").length, model.get("stage")), draw()), signal);
  watch(model, ["scene"], () => (pane.show(model.get("scene")), mark(model.get("stage")), light()), signal);
  watch(model, ["where", "selected"], light, signal);
  watch(model, ["marks"], () => mark(model.get("stage")), signal);
  watch(model, ["placement", "devices"], tellPlaces, signal);
  watch(model, ["trial"], () => (say(""), tellPlaces()), signal);
  pane.show(model.get("scene"));
  draw();
});
