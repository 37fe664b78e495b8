/* Zoom and pan: a camera is where a drawing's origin lies on the screen, and its scale. */
import { s } from "../common/dom";
import type { Scene } from "./draw";

export interface Camera {
  x: number;
  y: number;
  k: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Rect extends Size {
  x: number;
  y: number;
}

const LEAST = 0.05;
const MOST = 4;
/* The scale at which the smallest letters, of 11.5 pixels, are 10 high: nothing is fitted below it. */
export const READABLE = 10 / 11.5;

export const transformOf = (camera: Camera): string =>
  `translate(${camera.x.toFixed(2)} ${camera.y.toFixed(2)}) scale(${camera.k.toFixed(4)})`;

/* Zooms by `factor` about the screen point (px, py), which stays where it is. */
export function zoomAt(camera: Camera, factor: number, px: number, py: number): Camera {
  const k = Math.min(MOST, Math.max(LEAST, camera.k * factor));
  const f = k / camera.k;
  return { k, x: px - (px - camera.x) * f, y: py - (py - camera.y) * f };
}

/* The camera that shows all of a drawing in a window, at a scale from `least` to `most`.
 * What does not fit at `least` is shown from its left top corner. */
export function fit(drawing: Size, window: Size, least = READABLE, most = 1.15): Camera {
  const whole = Math.min(window.width / drawing.width, window.height / drawing.height);
  const k = Math.min(most, Math.max(least, whole));
  return {
    k,
    x: Math.max(0, (window.width - drawing.width * k) / 2),
    y: Math.max(0, (window.height - drawing.height * k) / 2),
  };
}

/* The camera moved just so far that `box` (in the drawing's units) is inside the window. */
export function bringIn(camera: Camera, box: Rect, window: Size, margin = 24): Camera {
  const k = Math.max(camera.k, Math.min(READABLE, window.width / (box.width + 2 * margin)));
  let { x, y } = k === camera.k ? camera : centreOn(box, window, k);
  const left = box.x * k + x;
  const top = box.y * k + y;
  const right = left + box.width * k;
  const bottom = top + Math.min(box.height * k, window.height - 2 * margin);
  if (right > window.width - margin) x -= right - (window.width - margin);
  if (box.x * k + x < margin) x = margin - box.x * k;
  if (bottom > window.height - margin) y -= bottom - (window.height - margin);
  if (box.y * k + y < margin) y = margin - box.y * k;
  return { x, y, k };
}

export function centreOn(box: Rect, window: Size, k: number): Camera {
  return {
    k,
    x: window.width / 2 - (box.x + box.width / 2) * k,
    y: window.height / 2 - (box.y + box.height / 2) * k,
  };
}

/* Whether the whole drawing is inside the window. */
export function seesAll(camera: Camera, drawing: Size, window: Size): boolean {
  return (
    camera.x >= -1 &&
    camera.y >= -1 &&
    camera.x + drawing.width * camera.k <= window.width + 1 &&
    camera.y + drawing.height * camera.k <= window.height + 1
  );
}

/* Lets the pointer drag and pinch and the wheel zoom (with Ctrl or ⌘, or always while `freely()`;
 * a bare wheel goes on scrolling the page). `get` and `set` hold the camera; `hint` is called on a
 * bare wheel. Two fingers on a touch screen move and zoom. */
export function gestures(
  surface: SVGSVGElement,
  get: () => Camera,
  set: (camera: Camera) => void,
  freely: () => boolean,
  signal: AbortSignal,
  hint: () => void = () => {},
): void {
  const fingers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const place = (event: { clientX: number; clientY: number }) => {
    const frame = surface.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  surface.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey && !freely()) return hint();
      event.preventDefault();
      const at = place(event);
      const unit = event.deltaMode === 1 ? 18 : 1;
      set(zoomAt(get(), Math.exp((-event.deltaY * unit) / 300), at.x, at.y));
    },
    { signal, passive: false },
  );
  surface.addEventListener(
    "pointerdown",
    (event) => {
      if (event.pointerType === "mouse" && event.button > 1) return;
      fingers.set(event.pointerId, place(event));
      moved = 0;
    },
    { signal },
  );
  surface.addEventListener(
    "pointermove",
    (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      const camera = get();
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (fingers.size === 1) {
        if (moved <= 4) return;
        if (!surface.hasPointerCapture(event.pointerId)) surface.setPointerCapture(event.pointerId);
        set({ ...camera, x: camera.x + now.x - before.x, y: camera.y + now.y - before.y });
      } else {
        const other = [...fingers].find(([id]) => id !== event.pointerId)![1];
        const factor =
          Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
        set(zoomAt(camera, factor, (now.x + other.x) / 2, (now.y + other.y) / 2));
      }
      fingers.set(event.pointerId, now);
    },
    { signal },
  );
  const lift = (event: PointerEvent) => fingers.delete(event.pointerId);
  for (const name of ["pointerup", "pointercancel"] as const)
    surface.addEventListener(name, lift, { signal });
  // The click that ends a drag selects nothing.
  surface.addEventListener(
    "click",
    (event) => {
      if (moved > 4) event.stopPropagation();
      moved = 0;
    },
    { signal, capture: true },
  );
}

/* A small picture of the whole graph with the part in view, in a corner where it covers no box; it is
 * hidden while there is no such corner, or all is in view. */

const LARGEST = { width: 150, height: 110 };
const EDGE = 10; // px from the map to the edges of the window
const CORNERS = [[1, 1], [0, 1], [1, 0], [0, 0]] as const;

export class Minimap {
  readonly element: SVGSVGElement;
  private view = s("rect", { class: "mtfw-map-view" });
  private scene: Scene | undefined;
  private window: Size = { width: 1, height: 1 };
  private camera: Camera = { x: 0, y: 0, k: 1 };
  private size: Size = LARGEST;
  private corner: readonly [number, number] | undefined;

  constructor(move: (camera: Camera) => void, signal: AbortSignal) {
    this.element = s("svg", { class: "mtfw-minimap", "aria-hidden": "true" });
    const follow = (event: PointerEvent) => {
      if (!this.scene || !event.buttons) return;
      event.preventDefault();
      const frame = this.element.getBoundingClientRect();
      const x = ((event.clientX - frame.left) / frame.width) * this.scene.width;
      const y = ((event.clientY - frame.top) / frame.height) * this.scene.height;
      move(centreOn({ x, y, width: 0, height: 0 }, this.window, this.camera.k));
    };
    this.element.addEventListener("pointerdown", follow, { signal });
    this.element.addEventListener("pointermove", follow, { signal });
  }

  /* Takes a new scene. */
  show(scene: Scene): void {
    this.scene = scene;
    const scale = Math.min(LARGEST.width / scene.width, LARGEST.height / scene.height);
    this.element.setAttribute("viewBox", `0 0 ${scene.width} ${scene.height}`);
    this.size = { width: scene.width * scale, height: scene.height * scale };
    this.element.setAttribute("width", String(this.size.width));
    this.element.setAttribute("height", String(this.size.height));
    this.element.replaceChildren(
      ...scene.boxes.map((box) =>
        s("rect", {
          class: box.open ? "mtfw-map-open" : "mtfw-map-box",
          style: `--c:${box.bar[0]?.[0] ?? "var(--of-scope)"}`,
          x: box.x,
          y: box.y,
          width: box.w,
          height: box.h,
        }),
      ),
      this.view,
    );
  }

  /* Follows the camera. */
  follow(camera: Camera, window: Size): void {
    if (!this.scene) return;
    this.camera = camera;
    this.window = window;
    const corners = this.corner ? [this.corner, ...CORNERS] : CORNERS; // it stays where it is if it can
    this.corner = seesAll(camera, this.scene, window) ? undefined : corners.find((corner) => this.isFree(corner));
    this.element.style.display = this.corner ? "" : "none";
    if (!this.corner) return;
    const { x, y } = this.place(this.corner);
    this.element.style.transform = `translate(${x}px, ${y}px)`;
    const rect = { x: -camera.x / camera.k, y: -camera.y / camera.k, width: window.width / camera.k, height: window.height / camera.k };
    for (const [name, value] of Object.entries(rect)) this.view.setAttribute(name, value.toFixed(1));
  }

  private place([right, bottom]: readonly [number, number]): { x: number; y: number } {
    const at = (far: number, room: number, size: number) => (far ? room - size - EDGE : EDGE);
    return { x: at(right, this.window.width, this.size.width), y: at(bottom, this.window.height, this.size.height) };
  }

  /* Whether the map would cover no closed box. */
  private isFree(corner: readonly [number, number]): boolean {
    const { camera: { x, y, k }, size } = this;
    const at = this.place(corner);
    return !this.scene!.boxes.some((box) =>
      !box.open && box.x * k + x < at.x + size.width && (box.x + box.w) * k + x > at.x &&
      box.y * k + y < at.y + size.height && (box.y + box.h) * k + y > at.y);
  }
}
