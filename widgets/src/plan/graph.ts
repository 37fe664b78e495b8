/* The graph beside the program: GraphView's drawing, with what became of each box. */
import { onResize } from "../common/dom";
import { focusable, h, listenKeys, s } from "../common/dom";
import { bringIn, type Camera, fit, gestures, type Size, transformOf } from "../graph/camera";
import { drawLinks, drawScene, findBox, type Scene, visibleAround } from "../graph/draw";
import { type Arrow, navigate } from "../graph/navigate";

export interface Acts {
  select(id: string): void;
  toggle(id: string): void;
  /* The reader drags a box over the page and lets it go at a point. */
  drop(id: string, x: number, y: number): void;
}

export class GraphPane {
  readonly content = s("g", { class: "mtfw-content" });
  readonly svg = s("svg", { class: "mtfw-canvas", role: "application", "aria-label": "The graph", ...focusable({}, -1) }, this.content);
  readonly element = h("div", { class: "mtfw-graph mtfw-pane" }, this.svg);
  scene: Scene | undefined;
  private camera: Camera = { x: 0, y: 0, k: 1 };
  private size: Size = { width: 0, height: 0 };
  private fitted = true;
  private current = "";
  private dragged = false; // the click that ends a drag selects nothing

  constructor(private readonly acts: Acts, signal: AbortSignal) {
    const boxOf = (event: Event) => (event.target as Element).closest<SVGGElement>(".mtfw-box")?.dataset.id ?? "";
    this.drag(boxOf, signal);
    gestures(this.svg, () => this.camera, (to) => this.look(to, true), () => false, () => {}, signal);
    this.svg.addEventListener(
      "click",
      (event) => {
        const id = boxOf(event);
        if (this.dragged) return void (this.dragged = false);
        if (id && (event.target as Element).closest(".mtfw-handle")) acts.toggle(id);
        else this.go(id);
      },
      { signal },
    );
    this.svg.addEventListener("dblclick", (event) => (event.preventDefault(), acts.toggle(boxOf(event))), { signal });
    const walk = (event: KeyboardEvent) => this.scene && this.go(navigate(this.scene, this.current, event.key as Arrow));
    const open = () => acts.toggle(this.current);
    listenKeys(
      this.svg,
      { ArrowUp: walk, ArrowDown: walk, ArrowLeft: walk, ArrowRight: walk, Home: walk, End: walk, Enter: open, Space: open },
      signal,
    );
    const resized = (width: number, height: number) => ((this.size = { width, height }), this.fitted && this.refit());
    onResize(this.element, resized, signal);
  }

  private go(id: string): void {
    this.current = id;
    this.acts.select(id);
    this.settle(true);
  }

  /* A box that is dragged away from its place goes over the whole page, not only over the graph. */
  private drag(boxOf: (event: Event) => string, signal: AbortSignal): void {
    let held = "";
    let from = { x: 0, y: 0 };
    let ghost: HTMLElement | undefined;
    const end = () => {
      ghost?.remove();
      ghost = undefined;
      held = "";
    };
    this.svg.addEventListener("pointerdown", (event) => {
      const id = boxOf(event);
      const box = this.scene && findBox(this.scene, id);
      held = box && !box.open && event.button === 0 ? id : "";
      from = { x: event.clientX, y: event.clientY };
      if (held) event.stopImmediatePropagation(); // no pan
    }, { signal, capture: true });
    document.addEventListener("pointermove", (event) => {
      if (!held) return;
      if (!ghost && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 6) return;
      if (!ghost) {
        ghost = h("div", { class: "mtfw-ghost" }, held);
        this.element.closest(".mtfw")!.append(ghost);
      }
      ghost.style.transform = `translate(${event.clientX + 10}px, ${event.clientY + 6}px)`;
    }, { signal, capture: true });
    document.addEventListener("pointerup", (event) => {
      this.dragged = ghost !== undefined && this.svg.contains(event.target as Node);
      if (ghost) this.acts.drop(held, event.clientX, event.clientY);
      end();
    }, { signal, capture: true });
    document.addEventListener("pointercancel", end, { signal });
  }

  show(scene: Scene): void {
    if (!scene?.boxes) return;
    this.scene = scene;
    const { boxes, wires } = drawScene(scene, "");
    this.content.replaceChildren(boxes, wires);
    if (this.fitted) this.refit();
    this.settle(false);
  }

  /* Writes on each box what became of it; `fresh` are those that this pass changed. */
  mark(marks: Record<string, string>, fresh: Set<string>): void {
    this.content.querySelectorAll(".mtfw-badge").forEach((badge) => badge.remove());
    for (const group of this.content.querySelectorAll<SVGGElement>(".mtfw-box")) {
      const id = group.dataset.id!;
      const fate = marks[id] ?? "";
      for (const name of [...group.classList]) if (name.startsWith("mtfw-fate-")) group.classList.remove(name);
      group.classList.toggle("mtfw-fresh", fresh.has(id));
      if (!fate) continue;
      group.classList.add(/^\d/.test(fate) ? "mtfw-fate-part" : `mtfw-fate-${fate}`);
      const width = fate.length * 6.2 + 10;
      group.append(
        s("g", { class: "mtfw-badge", transform: `translate(${-4} -8)` },
          s("rect", { width, height: 14, rx: 7 }),
          s("text", { x: width / 2, y: 10.5 }, fate)),
      );
    }
  }

  /* Lights boxes up, and brings the first of them into sight. */
  light(ids: Set<string>, selected: string): void {
    for (const group of this.content.querySelectorAll<SVGGElement>(".mtfw-box")) {
      const here = ids.has(group.dataset.id!) || group.dataset.id === selected;
      group.classList.toggle("mtfw-selected", here);
      group.setAttribute("aria-selected", String(here));
    }
    if (selected) this.current = selected;
    this.content.querySelector(".mtfw-links")?.remove();
    if (this.scene && selected) this.content.append(drawLinks(this.scene, selected));
    const box = this.scene && findBox(this.scene, ids.values().next().value ?? selected);
    if (box && this.size.width && !this.sees(box)) {
      const moved = bringIn(this.camera, { x: box.x, y: box.y, width: box.w, height: box.h }, this.size);
      if (moved.x !== this.camera.x || moved.y !== this.camera.y) this.look(moved, true);
    }
    this.settle(false);
  }

  private sees(box: { x: number; y: number; w: number; h: number }): boolean {
    const { x, y, k } = this.camera;
    const inside = (from: number, length: number, room: number) => from >= 0 && from + length <= room;
    return inside(box.x * k + x, box.w * k, this.size.width) && inside(box.y * k + y, box.h * k, this.size.height);
  }

  refit(): void {
    this.fitted = true;
    if (this.scene && this.size.width) this.look(fit(this.scene, this.size, 0.45, 1.1));
  }

  private look(to: Camera, byReader = false): void {
    this.camera = to;
    if (byReader) this.fitted = false;
    this.content.setAttribute("transform", transformOf(to));
  }

  private settle(focus: boolean): void {
    if (!this.scene) return;
    const box = findBox(this.scene, this.current) ?? visibleAround(this.scene, this.current) ?? this.scene.boxes[0];
    for (const item of this.content.querySelectorAll<SVGGElement>(".mtfw-box")) {
      const here = item.dataset.id === box?.id;
      item.setAttribute("tabindex", here ? "0" : "-1");
      if (here && focus) item.focus({ preventScroll: true });
    }
  }
}
