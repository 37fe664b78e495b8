/* Where an arrow key leads: along the wires up and down, to the neighbour left and right. */
import { findBox, isBackward, type Scene, type SceneBox, type SceneWire } from "./draw";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End";

const centre = (box: SceneBox) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2 });

function nearest(from: SceneBox, boxes: SceneBox[]): SceneBox | undefined {
  const a = centre(from);
  let best: SceneBox | undefined;
  let least = Infinity;
  for (const box of boxes) {
    const b = centre(box);
    const distance = Math.hypot(a.x - b.x, a.y - b.y);
    if (distance < least) [best, least] = [box, distance];
  }
  return best;
}

/* The id of the box that `key` leads to from the box `id`; the same id where it leads nowhere.
 *
 * Down goes into an open scope, along a wire to the box at its lower end, else to the next box below;
 * up the other way round, and from the top of a scope to the scope itself. Left and right go to the
 * nearest sibling on that side, between an op and its gradient, and into the side column.
 */
export function navigate(scene: Scene, id: string, key: Arrow): string {
  const from = findBox(scene, id);
  const first = scene.boxes[0];
  if (!first) return "";
  if (key === "Home" || !from) return first.id;
  if (key === "End") return scene.boxes[scene.boxes.length - 1]!.id;
  const siblings = scene.boxes.filter((box) => box.parent === from.parent && box !== from);
  const here = centre(from);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const side = key === "ArrowLeft" ? -1 : 1;
    const beside = siblings.filter((box) => (centre(box).x - here.x) * side > 4);
    const level = beside.filter((box) => !box.lane && box.y < from.y + from.h && from.y < box.y + box.h);
    const facing = scene.boxes.find((box) => (side < 0 ? box.id === from.face : box.face === id && !box.lane));
    if (facing && !level.some((box) => box.parent && !box.aside)) return facing.id;
    return nearest(from, level.length ? level : beside)?.id ?? id;
  }
  const backward = isBackward(scene, from);
  const upper = (wire: SceneWire) => (backward ? wire.target : wire.source);
  const lower = (wire: SceneWire) => (backward ? wire.source : wire.target);
  if (key === "ArrowDown") {
    if (from.open) {
      const inside = scene.boxes.filter((box) => box.parent === id);
      const main = inside.filter((box) => !box.aside);
      const entries = scene.wires
        .filter((wire) => upper(wire) === id && wire.id.startsWith(`${id}|`))
        .map(lower);
      const entered = main.filter((box) => entries.includes(box.id));
      const top = (entered.length ? entered : main.length ? main : inside).sort((a, b) => a.y - b.y)[0];
      if (top) return top.id;
    }
    const consumers = scene.wires
      .filter((wire) => upper(wire) === id && lower(wire) !== from.parent)
      .map((wire) => findBox(scene, lower(wire)))
      .filter((box): box is SceneBox => box !== undefined && box.parent === from.parent);
    const below = siblings.filter((box) => box.y >= from.y + from.h && box.aside === from.aside);
    const next = nearest(from, consumers.length ? consumers : below);
    if (next) return next.id;
    const parent = findBox(scene, from.parent);
    return parent ? navigate(closed(scene, parent.id), parent.id, "ArrowDown") : id;
  }
  const producers = scene.wires
    .filter((wire) => lower(wire) === id && upper(wire) !== from.parent)
    .map((wire) => findBox(scene, upper(wire)))
    .filter((box): box is SceneBox => box !== undefined && box.parent === from.parent);
  const above = siblings.filter((box) => box.y + box.h <= from.y && box.aside === from.aside);
  const fed = scene.wires.some((wire) => lower(wire) === id && upper(wire) === from.parent);
  const next = nearest(from, producers.length ? producers : fed ? [] : above);
  return next?.id ?? (from.parent || id);
}

const OPPOSITE: Partial<Record<Arrow, Arrow>> = {
  ArrowUp: "ArrowDown",
  ArrowDown: "ArrowUp",
  ArrowLeft: "ArrowRight",
  ArrowRight: "ArrowLeft",
};

/* The way walked with the arrow keys, which the opposite key goes back. */
export class Trail {
  private steps: { from: string; to: string; key: Arrow }[] = [];

  walk(scene: Scene, id: string, key: Arrow): string {
    const last = this.steps.pop();
    if (last && last.to === id && OPPOSITE[key] === last.key && findBox(scene, last.from)) return last.from;
    if (last?.to === id) this.steps.push(last);
    else this.steps = [];
    const next = navigate(scene, id, key);
    if (next !== id) this.steps.push({ from: id, to: next, key });
    return next;
  }
}

/* The scene with one scope taken as closed, so that "down" leaves it. */
function closed(scene: Scene, id: string): Scene {
  const boxes = scene.boxes.map((box) => (box.id === id ? { ...box, open: false } : box));
  return { ...scene, boxes };
}
