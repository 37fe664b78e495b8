/* A graph under a camera that the reader moves, and the box that the keyboard is at. */
import { listenKeys, onResize, s } from "../common/dom";
import { bringIn, type Camera, fit, gestures, READABLE, type Rect, type Size, transformOf } from "./camera";
import { type Arrow, findBox, type Scene, type SceneBox, Trail, visibleAround } from "./draw";

export interface CanvasActs {
  /* A box was chosen, or with "" none. */
  select(id: string): void;
  /* A scope is to be opened or closed. */
  toggle(id: string): void;
  /* The camera has moved. */
  looked?(): void;
  /* Whether a bare wheel zooms. */
  freely?(): boolean;
}

export const rectOf = ({ x, y, w, h }: SceneBox): Rect => ({ x, y, width: w, height: h });

export class GraphCanvas {
  readonly content = s("g", { class: "mtfw-content" });
  readonly svg = s(
    "svg",
    { class: "mtfw-canvas", "aria-label": "The graph", role: "application", tabindex: -1 },
    this.content,
  );
  scene: Scene | undefined;
  camera: Camera = { x: 0, y: 0, k: 1 };
  size: Size = { width: 0, height: 0 };
  fitted = true; // the camera follows the graph until the reader moves it
  current = ""; // the box that the keyboard is at
  private readonly trail = new Trail();

  constructor(private readonly acts: CanvasActs, signal: AbortSignal) {
    const { svg } = this;
    const onHandle = (event: Event) => (event.target as Element).closest(".mtfw-handle") !== null;
    gestures(svg, () => this.camera, (to) => this.look(to, true), acts.freely ?? (() => false), signal);
    const click = (event: Event) => {
      const id = this.boxOf(event);
      if (id) this.current = id;
      if (id && onHandle(event)) acts.toggle(id);
      else acts.select(id);
      this.settle(true);
    };
    const twice = (event: Event) => {
      event.preventDefault();
      if (!onHandle(event)) acts.toggle(this.boxOf(event));
    };
    svg.addEventListener("click", click, { signal });
    svg.addEventListener("dblclick", twice, { signal });
    svg.addEventListener("focusin", (event) => (this.current = this.boxOf(event) || this.current), { signal });
    const walk = (event: KeyboardEvent) => this.scene && this.go(this.trail.walk(this.scene, this.current, event.key as Arrow));
    const open = () => acts.toggle(this.current);
    listenKeys(
      svg,
      { ArrowUp: walk, ArrowDown: walk, ArrowLeft: walk, ArrowRight: walk, Home: walk, End: walk, Enter: open, Space: open },
      signal,
    );
  }

  /* Takes its size from the element around it; `resized` is called then. */
  follow(element: Element, resized: () => void, signal: AbortSignal): void {
    onResize(element, (width, height) => ((this.size = { width, height }), resized()), signal);
  }

  boxOf(event: Event): string {
    const { id, of } = (event.target as Element).closest<SVGGElement>(".mtfw-box, .mtfw-chip")?.dataset ?? {};
    return id ?? of ?? "";
  }

  /* The elements of the boxes. */
  items(): Iterable<SVGGElement> {
    return this.content.querySelectorAll<SVGGElement>(".mtfw-box");
  }

  look(to: Camera, byReader = false): void {
    this.camera = to;
    if (byReader) this.fitted = false;
    this.content.setAttribute("transform", transformOf(to));
    this.acts.looked?.();
  }

  /* Shows all of the graph, at the scale `most` at most, and as far as its letters stay readable. */
  fit(most: number, below = 0): void {
    this.fitted = true;
    if (!this.scene || !this.size.width) return;
    const { width, height } = this.scene;
    this.look(fit({ width, height: height + below }, this.size, READABLE, most));
  }

  /* Whether all of a box is in sight, and so much below it. */
  sees(box: SceneBox, below = 0): boolean {
    const { x, y, k } = this.camera;
    const inside = (from: number, length: number, room: number) => from >= 0 && from + length <= room;
    return inside(box.x * k + x, box.w * k, this.size.width) && inside(box.y * k + y, (box.h + below) * k, this.size.height);
  }

  reveal(id: string): void {
    const box = this.scene && findBox(this.scene, id);
    if (!box || !this.size.width) return;
    const { x, y, k } = bringIn(this.camera, rectOf(box), this.size);
    if (x !== this.camera.x || y !== this.camera.y || k !== this.camera.k) this.look({ x, y, k }, true);
  }

  /* In a window that became narrower: moves all of the graph into it, or else one box. */
  keep(id: string): void {
    const { scene, size, camera, fitted } = this;
    if (!scene) return;
    if (scene.width * camera.k <= size.width) this.look(bringIn(camera, { x: 0, y: 0, ...scene }, size, 0));
    else this.reveal(id);
    this.fitted = fitted;
  }

  /* Moves the tab stop, and the focus if `focus`, to the current box. */
  settle(focus: boolean): void {
    const { scene, current } = this;
    if (!scene) return;
    this.current = (findBox(scene, current) ?? visibleAround(scene, current) ?? scene.boxes[0])?.id ?? "";
    for (const item of this.items()) {
      const here = item.dataset.id === this.current;
      item.setAttribute("tabindex", here ? "0" : "-1");
      if (here && focus) item.focus({ preventScroll: true });
    }
  }

  private go(id: string): void {
    if (!id) return;
    this.current = id;
    this.settle(true);
    this.reveal(id);
    this.acts.select(id);
  }
}
