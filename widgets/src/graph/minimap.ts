/* A small picture of the whole graph with the part in view, shown while not all is in view. */
import { s } from "../common/dom";
import { centreOn, seesAll, type Camera, type Size } from "../common/camera";
import type { Scene } from "./scene";

const LARGEST = { width: 150, height: 110 };

export class Minimap {
  readonly element: SVGSVGElement;
  private view = s("rect", { class: "mtfw-map-view" });
  private scene: Scene | undefined;
  private window: Size = { width: 1, height: 1 };
  private camera: Camera = { x: 0, y: 0, k: 1 };

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
    this.element.setAttribute("width", String(scene.width * scale));
    this.element.setAttribute("height", String(scene.height * scale));
    this.element.replaceChildren(
      ...scene.boxes.map((box) =>
        s("rect", {
          class: box.open ? "mtfw-map-open" : "mtfw-map-box",
          style: `--c:${box.bar[0]?.[0] ?? "#8a8f98"}`,
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
    this.element.style.display = seesAll(camera, this.scene, window) ? "none" : "";
    const rect = { x: -camera.x / camera.k, y: -camera.y / camera.k, width: window.width / camera.k, height: window.height / camera.k };
    for (const [name, value] of Object.entries(rect)) this.view.setAttribute(name, value.toFixed(1));
  }
}
