/* The graph widget's front end.
 *
 *   scene (from Python) -> drawScene -> svg       pointer, keys -> selected, expanded (to Python)
 *
 * Python holds the state and lays out; what happens here alone is the camera, the focus, and what
 * a selection lights up. Nothing is measured before the view has a size: the first fit waits for
 * the ResizeObserver, since notebooks render widgets while they are not yet in the page.
 */
import { button, focusable, h, listenKeys, onResize, reducedMotion, s } from "../common/dom";
import { saveButtons, standalone } from "../common/export";
import { fullScreen, put, watch, widget } from "../common/widget";
import {
  bringIn, type Camera, centreOn, fit, gestures, Minimap, type Size, transformOf, zoomAt,
} from "./camera";
import { about, legend, litNote, overview, searchBox } from "./details";
import {
  type Arrow, drawLegend, drawLinks, drawScene, findBox, legendHeight, type Scene, type SceneBox,
  spoken, Trail, visibleAround,
} from "./draw";
import { Player } from "./player";

const PATIENCE = 600; // ms until a missing answer from Python is mentioned
const TURN = 240; // ms of a change of layout
const MEASURED = new Set(["time", "bytes"]); // colours that need a run

export default widget("graph", (model, root, signal) => {
  let scene: Scene = model.get("scene");
  let camera: Camera = { x: 0, y: 0, k: 1 };
  let size: Size = { width: 0, height: 0 };
  let fitted = true; // the camera follows the graph until the reader moves it
  let current = ""; // the box that the keyboard is at
  let waiting = 0;

  const content = s("g", { class: "mtfw-content" });
  const links = s("g", {});
  const svg = s(
    "svg",
    { class: "mtfw-canvas", "aria-label": "The graph", role: "application", ...focusable({}, -1) },
    content,
  );
  const status = h("div", { class: "mtfw-status", role: "status" });
  const heard = h("div", { class: "mtfw-hidden", "aria-live": "polite" });
  const key = h("div", { class: "mtfw-legend-holder" });
  const stage = h("div", { class: "mtfw-stage" }, svg, status);
  const panel = h("aside", { class: "mtfw-panel", "aria-label": "Details", ...focusable({}, 0) });
  const map = new Minimap((to) => look(to, true), signal);
  stage.append(map.element);

  function look(to: Camera, byReader = false): void {
    camera = to;
    if (byReader) fitted = false;
    content.setAttribute("transform", transformOf(camera));
    map.follow(camera, size);
  }

  function refit(): void {
    fitted = true;
    const most = document.fullscreenElement === root ? 2.2 : 1.15;
    if (size.width) look(fit({ width: scene.width, height: scene.height + player.margin }, size, 0.5, most));
  }

  function zoom(factor: number): void {
    look(zoomAt(camera, factor, size.width / 2, size.height / 2), true);
  }

  function say(text: string): void {
    status.textContent = text;
  }

  function ask(name: string, value: unknown): void {
    put(model, name, value);
    clearTimeout(waiting);
    waiting = window.setTimeout(() => say("Waiting for Python: busy, or not running"), PATIENCE);
  }

  function answered(): void {
    clearTimeout(waiting);
    if (status.textContent?.startsWith("Waiting")) say("");
  }

  function select(id: string): void {
    if (id) current = id;
    if (model.get("selected") !== id) ask("selected", id);
  }

  function toggle(id: string): void {
    const box = findBox(scene, id);
    if (!box?.expandable) return;
    const open: string[] = model.get("expanded");
    ask("expanded", box.open ? open.filter((name) => name !== box.key) : [...open, box.key]);
  }

  /* Moves the tab stop, and the focus if `focus`, to the current box. */
  function settle(focus: boolean): void {
    const box = findBox(scene, current) ?? visibleAround(scene, current) ?? scene.boxes[0];
    current = box?.id ?? "";
    for (const item of content.querySelectorAll<SVGGElement>(".mtfw-box")) {
      const here = item.dataset.id === current;
      item.setAttribute("tabindex", here ? "0" : "-1");
      if (here && focus) item.focus({ preventScroll: true });
    }
  }

  function reveal(id: string): void {
    const box = findBox(scene, id);
    if (!box || !size.width) return;
    const moved = bringIn(camera, { x: box.x, y: box.y, width: box.w, height: box.h }, size);
    if (moved.x !== camera.x || moved.y !== camera.y || moved.k !== camera.k) look(moved, true);
  }

  function draw(): void {
    const old = new Map(scene.boxes.map((box) => [box.id, box]));
    const focus = svg.contains(document.activeElement);
    const anchor = findBox(scene, current);
    scene = model.get("scene");
    if (!scene?.boxes) return;
    const { boxes, wires } = drawScene(scene, model.get("selected"));
    content.replaceChildren(boxes, wires, links, player.layer, drawLegend(scene));
    player.draw(scene, boxes, wires);
    map.show(scene);
    root.style.setProperty("--mtfw-height", `${model.get("height") || wantedHeight()}px`);
    key.replaceChildren(legend(scene));
    gradients.hidden = !scene.has_gradients;
    for (const option of colors.options) option.hidden = option.disabled = MEASURED.has(option.value) && !scene.has_run;
    light();
    settle(focus);
    const now = findBox(scene, current);
    if (fitted) refit();
    else if (anchor && now && anchor.id === now.id) {
      // What the reader acted on stays under the pointer.
      look({ ...camera, x: camera.x + (anchor.x - now.x) * camera.k, y: camera.y + (anchor.y - now.y) * camera.k });
    } else look(camera);
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
    for (const item of content.querySelectorAll<SVGGElement>(".mtfw-box")) {
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

  function wantedHeight(): number {
    const wide = Math.max(320, size.width || 640);
    const k = Math.min(1.15, wide / scene.width);
    // Bars, and JupyterLab's own, leave so much of the window: nobody should scroll to see the half.
    const most = Math.min(620, window.innerHeight - (scene.has_run ? 290 : 240));
    return Math.round(Math.max(360, Math.min(most, scene.height * k)));
  }

  function tell(): void {
    const details = model.get("details");
    const chosen = details?.id && details.id === model.get("selected");
    const note = litNote(model.get("lit") ?? [], () => model.send({ do: "light", names: null }));
    const light = () => model.send({ do: "light", names: details.id });
    panel.replaceChildren(note ?? "", player.card() ?? "", chosen ? about(details, go, light) : overview(scene));
    panel.scrollTop = 0;
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
    if (openedAll) say(closed ? `${closed} scopes stay closed: open them one by one` : "");
    openedAll = false;
  }

  /* Brings what runs into view, at the scale that the reader chose. */
  function follow(box: SceneBox): void {
    const { x, y, k } = camera;
    const inside =
      box.x * k + x >= 0 && (box.x + box.w) * k + x <= size.width &&
      box.y * k + y >= 0 && (box.y + box.h + 30) * k + y <= size.height;
    if (!inside && size.width) look(centreOn({ x: box.x, y: box.y, width: box.w, height: box.h }, size, k), true);
  }
  const player = new Player(
    model, { go, follow, tell, say: (text) => void (heard.textContent = text) }, signal);

  const search = searchBox(model, go, () => settle(true), signal);
  const colors = h(
    "select",
    focusable({ class: "mtfw-select", "aria-label": "Colour by", title: "Colour by" }),
    h("option", { value: "device" }, "colour: device"),
    h("option", { value: "kind" }, "colour: kind of op"),
    h("option", { value: "time" }, "colour: time"),
    h("option", { value: "bytes" }, "colour: bytes made"),
  );
  colors.addEventListener("change", () => ask("color_by", colors.value), { signal });
  const gradients = button("Gradients", "Show or hide the gradient part", () =>
    ask("show_gradients", !model.get("show_gradients")),
  );
  const controls = () => {
    colors.value = model.get("color_by");
    gradients.setAttribute("aria-pressed", String(Boolean(model.get("show_gradients"))));
  };
  const picture = () =>
    standalone(
      svg,
      content,
      { x: 0, y: 0, width: Math.max(scene.width, 300), height: scene.height + legendHeight(scene) },
      getComputedStyle(root).backgroundColor,
    );
  const toolbar = h(
    "div",
    { class: "mtfw-toolbar", role: "toolbar", "aria-label": "Graph" },
    search.element,
    colors,
    gradients,
    button("Open all", "Open all scopes, as many as fit", () => {
      model.send({ do: "expand_all" });
      openedAll = true;
    }),
    button("Close all", "Close all scopes", () => ask("expanded", [])),
    h("span", { class: "mtfw-spring" }),
    button("−", "Zoom out", () => zoom(1 / 1.3)),
    button("Fit", "Show the whole graph", refit),
    button("+", "Zoom in", () => zoom(1.3)),
    ...saveButtons("graph", picture),
    fullScreen(root),
  );
  root.append(toolbar, h("div", { class: "mtfw-body" }, stage, panel), player.element, key, heard);

  const boxOf = (event: Event) =>
    (event.target as Element).closest<SVGGElement>(".mtfw-box")?.dataset.id ?? "";
  svg.addEventListener(
    "click",
    (event) => {
      const id = boxOf(event);
      if (id && (event.target as Element).closest(".mtfw-handle")) {
        current = id;
        toggle(id);
      } else select(id);
      settle(true);
    },
    { signal },
  );
  svg.addEventListener(
    "dblclick",
    (event) => {
      event.preventDefault();
      if (!(event.target as Element).closest(".mtfw-handle")) toggle(boxOf(event));
    },
    { signal },
  );
  svg.addEventListener("focusin", (event) => (current = boxOf(event) || current), { signal });

  const trail = new Trail();
  const walk = (event: KeyboardEvent) => {
    const next = trail.walk(scene, current, event.key as Arrow);
    if (!next) return;
    current = next;
    settle(true);
    reveal(next);
    select(next);
  };
  const open = () => toggle(current);
  listenKeys(
    svg,
    {
      ArrowUp: walk,
      ArrowDown: walk,
      ArrowLeft: walk,
      ArrowRight: walk,
      Home: walk,
      End: walk,
      Enter: open,
      Space: open,
    },
    signal,
  );
  listenKeys(
    root,
    {
      "/": search.focus,
      "+": () => zoom(1.3),
      "=": () => zoom(1.3),
      "-": () => zoom(1 / 1.3),
      "0": refit,
      Escape: () => select(""),
      ...player.keys,
    },
    signal,
  );
  let hinted = 0;
  gestures(
    svg,
    () => camera,
    (to) => look(to, true),
    () => document.fullscreenElement === root,
    () => {
      clearTimeout(hinted);
      say("Ctrl + wheel zooms");
      hinted = window.setTimeout(() => say(""), 1500);
    },
    signal,
  );
  root.addEventListener("fullscreenchange", () => (fitted = true), { signal });

  watch(model, ["scene", "height"], () => (answered(), draw(), tell(), tellClosed()), signal);
  watch(model, ["lit"], tell, signal);
  watch(model, ["details"], () => (answered(), tell()), signal);
  watch(model, ["color_by", "show_gradients"], controls, signal);
  watch(
    model,
    ["selected"],
    () => {
      const id: string = model.get("selected");
      if (!id) answered();
      if (id && id !== current) following = true;
      if (id) current = id;
      light();
      settle(following && svg.contains(document.activeElement));
      if (following) reveal(id);
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
        reveal(model.get("selected"));
        settle(svg.contains(document.activeElement));
        following = false;
      }
    },
    signal,
  );

  const resized = (width: number, height: number) => {
    const first = !size.width;
    size = { width, height };
    if (!width) return;
    if (first) root.style.setProperty("--mtfw-height", `${model.get("height") || wantedHeight()}px`);
    if (fitted) refit();
    else look(camera);
  };
  onResize(stage, resized, signal);

  controls();
  draw();
  tell();
});
