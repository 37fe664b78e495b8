/* The graph widget's front end.
 *
 *   scene (from Python) -> drawScene -> svg       pointer, keys -> selected, expanded (to Python)
 *
 * Python holds the state and lays out; what happens here alone is the camera, the focus, and what
 * a selection lights up. Nothing is measured before the view has a size: the first fit waits for
 * the ResizeObserver, since notebooks render widgets while they are not yet in the page.
 */
import { button, h, listenKeys, reducedMotion, s } from "../common/dom";
import { statusLine, toolbar } from "../common/controls";
import { saveButtons, standalone } from "../common/export";
import { fullScreen, put, watch, widget } from "../common/widget";
import { centreOn, Minimap, READABLE, zoomAt } from "./camera";
import { GraphCanvas, rectOf } from "./canvas";
import { about, legend, litNote, overview, searchBox } from "./details";
import {
  drawLegend, drawLinks, drawScene, findBox, legendHeight, type Scene, type SceneBox, spoken,
} from "./draw";
import { Player } from "./player";

const PATIENCE = 600; // ms until a missing answer from Python is mentioned
const LONG = 600_000; // ms that a word stays which an event takes away
const TOLD = 6000; // ms that other words stay
const CLICKS = 300; // ms in which a second click makes a double one: nothing moves until then
const TURN = 240; // ms of a change of layout
const MEASURED = new Set(["time", "bytes"]); // colours that need a run

export default widget("graph", (model, root, signal) => {
  let scene: Scene = model.get("scene");
  let waiting = 0;
  let opening = 0;
  let helping = false;

  const canvas = new GraphCanvas(
    {
      select,
      toggle,
      looked: () => map.follow(canvas.camera, canvas.size),
      freely: () => document.fullscreenElement === root,
    },
    signal,
  );
  const { content, svg } = canvas;
  const links = s("g", {});
  const { element: status, say } = statusLine();
  const heard = h("div", { class: "mtfw-hidden", "aria-live": "polite" });
  const key = h("div", { class: "mtfw-flow mtfw-legend-holder" });
  const lit = h("div", {});
  const stage = h("div", { class: "mtfw-stage" }, svg);
  const panel = h("aside", { class: "mtfw-panel", "aria-label": "Details", hidden: true, tabindex: 0 });
  const map = new Minimap((to) => canvas.look(to, true), signal);

  function refit(): void {
    canvas.fit(document.fullscreenElement === root ? 2.2 : 1.15, player.margin);
  }

  function zoom(factor: number): void {
    canvas.look(zoomAt(canvas.camera, factor, canvas.size.width / 2, canvas.size.height / 2), true);
  }

  function ask(name: string, value: unknown): void {
    put(model, name, value);
    clearTimeout(waiting);
    waiting = window.setTimeout(() => say("Waiting for Python: busy, or not running", LONG), PATIENCE);
  }

  function answered(): void {
    clearTimeout(waiting);
    if (status.textContent?.startsWith("Waiting")) say("");
  }

  function select(id: string): void {
    if (id) canvas.current = id;
    if (model.get("selected") !== id) ask("selected", id);
  }

  function toggle(id: string): void {
    const box = findBox(scene, id);
    if (!box?.expandable) return;
    const open: string[] = model.get("expanded");
    ask("expanded", box.open ? open.filter((name) => name !== box.key) : [...open, box.key]);
  }

  function draw(): void {
    const old = new Map(scene.boxes.map((box) => [box.id, box]));
    const focus = svg.contains(document.activeElement);
    const anchor = findBox(scene, canvas.current);
    scene = model.get("scene");
    if (!scene?.boxes) return;
    canvas.scene = scene;
    const { boxes, wires } = drawScene(scene, model.get("selected"));
    content.replaceChildren(boxes, wires, links, player.layer, drawLegend(scene));
    player.draw(scene, boxes, wires);
    map.show(scene);
    root.style.setProperty("--mtfw-height", `${wantedHeight()}px`);
    key.replaceChildren(lit, legend(scene), status);
    gradients.hidden = !scene.has_gradients;
    for (const option of colors.options) option.hidden = option.disabled = MEASURED.has(option.value) && !scene.has_run;
    light();
    canvas.settle(focus);
    const { camera } = canvas;
    const now = findBox(scene, canvas.current);
    if (canvas.fitted) refit();
    else if (anchor && now && anchor.id === now.id) {
      // What the reader acted on stays under the pointer.
      canvas.look({ ...camera, x: camera.x + (anchor.x - now.x) * camera.k, y: camera.y + (anchor.y - now.y) * camera.k });
    } else canvas.look(camera);
    if (!reducedMotion() && old.size) animate(boxes, wires, old);
  }

  function animate(boxes: SVGGElement, wires: SVGGElement, old: Map<string, { x: number; y: number }>): void {
    for (const item of boxes.children as unknown as Iterable<SVGGElement>) {
      const box = findBox(scene, item.dataset.id ?? "");
      const before = old.get(item.dataset.id ?? "");
      if (!box || !item.animate) continue;
      if (!before) item.animate([{ opacity: 0 }, { opacity: 1 }], TURN);
      else if (before.x !== box.x || before.y !== box.y)
        item.animate(
          [
            { transform: `translate(${before.x}px, ${before.y}px)` },
            { transform: `translate(${box.x}px, ${box.y}px)` },
          ],
          { duration: TURN, easing: "ease-in-out" },
        );
    }
    wires.animate?.([{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }], TURN * 1.4);
  }

  /* Lights up what belongs to the selected box. */
  function light(): void {
    const id: string = model.get("selected");
    const face = findBox(scene, id)?.face ?? "";
    root.classList.toggle("mtfw-has-selection", Boolean(id && findBox(scene, id)));
    for (const item of canvas.items()) {
      const here = item.dataset.id === id;
      item.classList.toggle("mtfw-selected", here);
      const box = findBox(scene, item.dataset.id ?? "");
      item.classList.toggle("mtfw-facing", Boolean(id && box && (box.face === id || box.id === face)));
      item.setAttribute("aria-selected", String(here));
    }
    const through = new Set(
      scene.wires.filter((wire) => wire.through.includes(id)).map((wire) => wire.id),
    );
    for (const item of content.querySelectorAll<SVGGElement>(".mtfw-wire"))
      item.classList.toggle("mtfw-lit", through.has(item.dataset.wire ?? ""));
    links.replaceChildren(drawLinks(scene, id));
  }

  /* As high as the graph, but the bars around it and JupyterLab's own leave so much of the window. A graph
   * that would be cut then may be higher: one scrolls the page. */
  function wantedHeight(): number {
    const wide = Math.max(320, canvas.size.width || 640);
    const k = Math.max(READABLE, Math.min(1.15, wide / scene.width));
    const height = scene.height + player.margin;
    const most = Math.min(620, Math.max(window.innerHeight - (player.shows ? 290 : 250), height * READABLE));
    return Math.ceil(Math.max(280, Math.min(most, height * k)));
  }

  /* Draws the panel: about the selected box, or what "?" asked for. */
  function tell(): void {
    const details = model.get("details");
    const chosen = details?.id && details.id === model.get("selected");
    if (chosen) showHelp(false);
    lit.replaceChildren(litNote(model.get("lit") ?? [], () => model.send({ do: "light", names: null })) ?? "");
    clearTimeout(opening);
    if (!chosen && !helping) {
      panel.hidden = true;
      return panel.replaceChildren();
    }
    opening = window.setTimeout(() => (panel.hidden = false), panel.hidden && chosen ? CLICKS : 0);
    const light = () => model.send({ do: "light", names: details.id });
    panel.replaceChildren(
      button("×", "Close the details", clear, { class: "mtfw-jump mtfw-close" }),
      ...(chosen ? [player.card() ?? "", about(details, go, light)] : [overview(scene)]),
    );
    panel.scrollTop = 0;
  }

  function showHelp(on: boolean): void {
    helping = on;
    help.setAttribute("aria-pressed", String(on));
  }

  /* Selects nothing, and closes the panel. */
  function clear(): void {
    showHelp(false);
    select("");
    tell();
  }

  /* Selects a box that may not be visible yet. */
  function go(id: string): void {
    select(id);
    following = true;
  }
  let following = false;
  let openedAll = false;

  /* Says, after "Open all", what did not fit. */
  function tellClosed(): void {
    const closed = scene.shown?.[1];
    if (openedAll) say(closed ? `too large to open all: ${closed} scopes left closed` : "", TOLD);
    openedAll = false;
  }

  /* Brings what runs into view, at the scale that the reader chose. */
  function follow(box: SceneBox): void {
    if (!canvas.sees(box, 30) && canvas.size.width) canvas.look(centreOn(rectOf(box), canvas.size, canvas.camera.k), true);
  }
  const player = new Player(
    model, { go, follow, tell, say: (text) => void (heard.textContent = text) }, signal);

  const search = searchBox(model, go, () => canvas.settle(true), signal);
  const colors = h(
    "select",
    { class: "mtfw-select", "aria-label": "Colour by", title: "Colour by", onchange: () => ask("color_by", colors.value) },
    h("option", { value: "device" }, "colour: device"),
    h("option", { value: "kind" }, "colour: kind of op"),
    h("option", { value: "time" }, "colour: time"),
    h("option", { value: "bytes" }, "colour: output bytes"),
  );
  const gradients = button("Gradients", "Show or hide the gradient part", () =>
    ask("show_gradients", !model.get("show_gradients")),
  );
  const controls = () => {
    colors.value = model.get("color_by");
    gradients.setAttribute("aria-pressed", String(Boolean(model.get("show_gradients"))));
  };
  const picture = () =>
    standalone(svg, content, { x: 0, y: 0, width: Math.max(scene.width, 300), height: scene.height + legendHeight(scene) });
  const openAll = button("Open all", "Open all scopes, as many as fit", () => {
    model.send({ do: "expand_all" });
    openedAll = true;
  });
  const closeAll = button("Close all", "Close all scopes", () => ask("expanded", []));
  const help = button("?", "Keys, and how much is shown", () => {
    const on = !helping;
    clear();
    showHelp(on);
    tell();
  }, { "aria-pressed": "false" });
  const top = toolbar("Graph", [search.element, colors, gradients, openAll, closeAll], [
    button("−", "Zoom out", () => zoom(1 / 1.3)),
    button("Fit", "Show the whole graph", refit),
    button("+", "Zoom in", () => zoom(1.3)),
    ...saveButtons("graph", picture),
    fullScreen(root),
    help,
  ]);
  stage.append(map.element, player.peek);
  root.append(top, h("div", { class: "mtfw-body" }, stage, panel), player.element, key, heard);

  listenKeys(
    root,
    {
      "/": search.focus,
      "?": () => help.click(),
      "+": () => zoom(1.3),
      "=": () => zoom(1.3),
      "-": () => zoom(1 / 1.3),
      "0": refit,
      Escape: clear,
      ...player.keys,
    },
    signal,
  );
  root.addEventListener("fullscreenchange", () => (canvas.fitted = true), { signal });

  watch(model, ["scene"], () => (answered(), draw(), tell(), tellClosed()), signal);
  watch(model, ["lit"], tell, signal);
  watch(model, ["details"], () => (answered(), tell()), signal);
  watch(model, ["color_by", "show_gradients"], controls, signal);
  watch(
    model,
    ["selected"],
    () => {
      const id: string = model.get("selected");
      if (!id) answered();
      if (id && id !== canvas.current) following = true;
      if (id) canvas.current = id;
      light();
      canvas.settle(following && svg.contains(document.activeElement));
      if (following) canvas.reveal(id);
      const box = findBox(scene, id);
      heard.textContent = box ? `${spoken(box)}, selected` : "";
      tell();
    },
    signal,
  );
  // A box that was hidden is revealed once Python has opened the way to it.
  watch(
    model,
    ["scene", "details"],
    () => {
      if (following && findBox(scene, model.get("selected"))) {
        canvas.reveal(model.get("selected"));
        canvas.settle(svg.contains(document.activeElement));
        following = false;
      }
    },
    signal,
  );

  let sized = false;
  const resized = () => {
    if (!canvas.size.width) return;
    if (!sized) root.style.setProperty("--mtfw-height", `${wantedHeight()}px`);
    sized = true;
    if (!panel.hidden) canvas.keep(model.get("selected"));
    else if (canvas.fitted) refit();
    else canvas.look(canvas.camera);
  };
  canvas.follow(stage, resized, signal);
  signal.addEventListener("abort", () => clearTimeout(opening));

  controls();
  draw();
  tell();
});
