/* The scene that Python lays out (graph/scene.py), and small questions about it. */
import { s } from "../common/dom";

export interface SceneBox {
  id: string;
  parent: string;
  label: string;
  sub: string;
  op: string;
  kind: string;
  role: string;
  title: string;
  device: string;
  marker: string;
  bar: [string, number][];
  d: string;
  detail: string;
  x: number;
  y: number;
  w: number;
  h: number;
  level: number;
  place: number;
  siblings: number;
  count: number;
  open: boolean;
  expandable: boolean;
  aside: boolean;
  key: string; // what opens and closes it: its own id, or that of the forward scope it mirrors
  face: string; // of a gradient: what it is the gradient of
  lane: boolean; // the frame of a gradient part
  up: boolean; // in such a frame: what is computed first stands below
  dim: boolean; // not needed by what is highlighted
  tint?: number; // how much of its colour its ground has
}

export interface SceneWire {
  id: string;
  source: string;
  target: string;
  kind: "data" | "control";
  d: string;
  head: string;
  width: number;
  label: string;
  lx: number;
  ly: number;
  title: string;
  dim: boolean;
  through: string[];
  tensors?: string[];
}

export interface LegendEntry {
  label: string;
  title: string;
  color: string;
  marker: string;
  count: number;
  tint?: number;
}

/* Where a box shows a value, and the ids of the wires whose labels it hides. */
export interface Chip {
  x: number;
  y: number;
  w: number;
  h: number;
  text: string;
  full: string;
  hides: string[];
}

export type LinkEntry = [other: string, count: number, way: "in" | "out"];

export interface Scene {
  width: number;
  height: number;
  boxes: SceneBox[];
  wires: SceneWire[];
  notes: { x: number; y: number; text: string }[];
  links: Record<string, LinkEntry[]>;
  legend: LegendEntry[];
  ops: number;
  shown: [ops: number, scopes: number];
  has_gradients: boolean;
  has_run: boolean;
  /* For each step of the run that is shown, where its values stand: see `places_of_steps` of run.py. */
  run_at?: { at: number; chip?: Chip; wires?: Record<string, string> }[];
}

export function findBox(scene: Scene, id: string): SceneBox | undefined {
  return scene.boxes.find((box) => box.id === id);
}

/* The nearest visible box around `id`, for a box that has just been closed over. */
export function visibleAround(scene: Scene, id: string): SceneBox | undefined {
  for (let name = id; name; name = name.slice(0, Math.max(0, name.lastIndexOf("/")))) {
    const box = findBox(scene, name);
    if (box) return box;
  }
  return undefined;
}

/* The path of a tensor to the box `id`, wire after wire through the scopes on its way; "" for none. */
export function wayTo({ wires }: Scene, id: string, tensor: string): string {
  const legs = wires.filter((wire) => wire.tensors?.includes(tensor) && wire.through.includes(id));
  let [way, at] = ["", id];
  for (const _ of legs) {
    const leg = legs.find((each) => each.target === at);
    if (leg) [way, at] = [leg.d + way, leg.source];
  }
  return way;
}

/* The wires between the selected box and auxiliary parts: one curve for each pair of boxes. */

export interface LinkCurve {
  other: string;
  d: string;
  heads: string;
  label: string;
  x: number;
  y: number;
}

const MOST = 16;

function head(x: number, y: number, direction: number): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}l${(-8 * direction).toFixed(1)} -4v8Z`;
}

function curve(from: SceneBox, to: SceneBox, share: number): { x0: number; y0: number; x1: number; y1: number; turn: number } {
  const rightward = from.x + from.w / 2 <= to.x + to.w / 2;
  const overlap = from.x < to.x + to.w && to.x < from.x + from.w;
  const y0 = from.y + from.h * (0.2 + 0.6 * share);
  const y1 = to.y + Math.min(to.h / 2, 40);
  if (overlap) return { x0: from.x + from.w, y0, x1: to.x + to.w, y1, turn: 1 };
  return rightward
    ? { x0: from.x + from.w, y0, x1: to.x, y1, turn: 0 }
    : { x0: from.x, y0, x1: to.x + to.w, y1, turn: 0 };
}

/* The curves to draw while `id` is selected, the busiest first, at most 16. */
export function linkCurves(scene: Scene, id: string): LinkCurve[] {
  const from = findBox(scene, id);
  if (!from) return [];
  const pairs = new Map<string, { in: number; out: number }>();
  for (const [other, count, way] of scene.links[id] ?? []) {
    const pair = pairs.get(other) ?? { in: 0, out: 0 };
    pair[way] += count;
    pairs.set(other, pair);
  }
  const shown = [...pairs]
    .map(([other, pair]) => ({ box: findBox(scene, other), pair }))
    .filter((item): item is { box: SceneBox; pair: { in: number; out: number } } => !!item.box)
    .slice(0, MOST)
    .sort((a, b) => a.box.y - b.box.y);
  return shown.map(({ box, pair }, index) => {
    const { x0, y0, x1, y1, turn } = curve(from, box, (index + 0.5) / shown.length);
    const direction = turn ? -1 : Math.sign(x1 - x0) || 1;
    const bend = turn ? 60 + Math.abs(y1 - y0) / 6 : Math.max(36, Math.abs(x1 - x0) / 2);
    const c0 = turn ? x0 + bend : x0 + bend * direction;
    const c1 = turn ? x1 + bend : x1 - bend * direction;
    const d = `M${x0.toFixed(1)} ${y0.toFixed(1)}C${c0.toFixed(1)} ${y0.toFixed(1)} ${c1.toFixed(1)} ${y1.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
    const heads =
      (pair.out ? head(x1, y1, direction) : "") +
      (pair.in ? head(x0, y0, turn ? -1 : -direction) : "");
    const total = pair.in + pair.out;
    return {
      other: box.id,
      d,
      heads,
      label: total > 1 ? String(total) : "",
      x: (x0 + 3 * c0 + 3 * c1 + x1) / 8,
      y: (y0 + y1) / 2,
    };
  });
}

/* Draws a scene as SVG elements. Only this file knows what the drawing is made of. */

/* What a screen reader says of a box. */
export function spoken(box: SceneBox): string {
  return [
    box.title,
    box.device && `on ${box.device}`,
    box.face ? `gradient of ${box.face}` : box.role !== "main" && `part: ${box.role}`,
    box.dim && "not needed",
  ]
    .filter(Boolean)
    .join(", ");
}

export function drawBox(box: SceneBox, selected: boolean): SVGGElement {
  const [color] = box.bar[0] ?? ["var(--of-scope)"];
  const middle = box.h / 2 + (box.kind === "variable" ? 2 : 0);
  const classes = ["mtfw-box", `mtfw-kind-${box.kind}`];
  if (box.open) classes.push("mtfw-open", box.level % 2 ? "mtfw-odd" : "mtfw-even");
  if (box.aside) classes.push("mtfw-aside");
  if (box.lane) classes.push("mtfw-lane");
  if (box.dim) classes.push("mtfw-dim");
  if (selected) classes.push("mtfw-selected");
  const group = s(
    "g",
    {
      class: classes.join(" "),
      "data-id": box.id,
      tabindex: -1,
      transform: `translate(${box.x} ${box.y})`,
      style: box.tint === undefined ? `--c:${color}` : `--c:${color};--t:${box.tint * 100}%`,
      role: "treeitem",
      "aria-label": spoken(box),
      "aria-level": box.level,
      "aria-posinset": box.place,
      "aria-setsize": box.siblings,
      "aria-selected": String(selected),
      "aria-expanded": box.expandable || box.open ? String(box.open) : undefined,
    },
  );
  group.append(s("title", {}, spoken(box)));
  const detail = s("path", { class: "mtfw-detail", d: box.detail });
  if (box.detail && box.kind !== "variable") group.append(detail);
  group.append(
    s("rect", { class: "mtfw-ring mtfw-screen-only", x: -4, y: -4, width: box.w + 8, height: box.h + 8, rx: 9 }),
    s("path", { class: "mtfw-shape", d: box.d }),
  );
  if (box.detail && box.kind === "variable") group.append(detail);
  if (box.open) {
    group.append(s("text", { class: "mtfw-label", x: 14, y: 22 }, box.label));
  } else {
    const mark = box.marker && s("tspan", { class: "mtfw-mark" }, `${box.marker} `);
    const y = box.sub ? middle - 7 : middle;
    group.append(
      s("text", { class: "mtfw-label mtfw-middle", x: box.w / 2, y, dy: ".35em" }, mark || null, box.label),
    );
    if (box.sub)
      group.append(s("text", { class: "mtfw-sub mtfw-middle", x: box.w / 2, y: middle + 9, dy: ".35em" }, box.sub));
    if (box.bar.length > 1) {
      let x = 8;
      for (const [part, share] of box.bar) {
        const width = (box.w - 16) * share;
        group.append(s("rect", { x, y: box.h - 6, width, height: 3, fill: part }));
        x += width;
      }
    }
  }
  if (box.expandable) group.append(handle(box));
  return group;
}

/* The little + or − that opens and closes a scope with one click. */
function handle(box: SceneBox): SVGGElement {
  const x = box.open ? box.w - 16 : box.w - 2;
  const y = box.open ? 17 : 2;
  return s(
    "g",
    { class: "mtfw-handle mtfw-screen-only", transform: `translate(${x} ${y})` },
    s("circle", { class: "mtfw-reach", r: 13 }),
    s("circle", { class: "mtfw-knob", r: 8 }),
    s("path", { d: box.open ? "M-4 0H4" : "M-4 0H4M0 -4V4" }),
  );
}

export function drawWire(wire: SceneWire): SVGGElement {
  const group = s("g", { class: `mtfw-wire mtfw-${wire.kind}${wire.dim ? " mtfw-dim" : ""}`, "data-wire": wire.id });
  group.append(
    s("path", { class: "mtfw-line", d: wire.d, style: `stroke-width:${wire.width}` }),
    s("path", { class: "mtfw-reach mtfw-screen-only", d: wire.d }, s("title", {}, wire.title)),
  );
  if (wire.head) group.append(s("path", { class: "mtfw-head", d: wire.head }));
  if (wire.label)
    group.append(s("text", { class: "mtfw-shape-label", x: wire.lx, y: wire.ly, dy: ".35em" }, wire.label));
  return group;
}

/* All of a scene but the wires of a selection. Open scopes come before what is in them. */
export function drawScene(scene: Scene, selected: string): { boxes: SVGGElement; wires: SVGGElement } {
  const boxes = s("g", { role: "tree", "aria-label": `Graph of ${scene.ops} ops` });
  for (const box of scene.boxes) boxes.append(drawBox(box, box.id === selected));
  const wires = s("g", { class: "mtfw-wires", "aria-hidden": "true" });
  for (const wire of scene.wires) wires.append(drawWire(wire));
  for (const note of scene.notes)
    wires.append(s("text", { class: "mtfw-note", x: note.x, y: note.y }, note.text));
  return { boxes, wires };
}

/* The wires from a selected box to auxiliary parts. */
export function drawLinks(scene: Scene, selected: string): SVGGElement {
  const group = s("g", { class: "mtfw-links", "aria-hidden": "true" });
  for (const link of linkCurves(scene, selected)) {
    group.append(s("path", { class: "mtfw-link", d: link.d }));
    group.append(s("path", { class: "mtfw-link-head", d: link.heads }));
    if (link.label)
      group.append(s("text", { class: "mtfw-link-label", x: link.x, y: link.y, dy: ".35em" }, link.label));
  }
  return group;
}

const LEGEND_STEP = 20;

/* How much higher a saved picture is than the scene, for its legend. */
export function legendHeight(scene: Scene): number {
  return scene.legend.length * LEGEND_STEP + 12;
}

/* The legend as it stands below a saved picture; on the screen it is HTML beside the graph. */
export function drawLegend(scene: Scene): SVGGElement {
  const group = s("g", { class: "mtfw-export-only", "aria-hidden": "true" });
  scene.legend.forEach((entry, index) => {
    const y = scene.height + index * LEGEND_STEP;
    const label = [entry.marker, entry.label].filter(Boolean).join(" ");
    group.append(
      s("g", { style: `--c:${entry.color}${entry.tint === undefined ? "" : `;--t:${entry.tint * 100}%`}` },
        s("rect", { class: "mtfw-shape", x: 20, y: y - 6, width: 14, height: 12, rx: 3 })),
      s("text", { class: "mtfw-sub", x: 42, y, dy: ".35em" }, label),
    );
  });
  return group;
}

/* Where an arrow key leads: along the wires up and down, to the neighbour left and right. */

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
  const backward = from.up;
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
    const consumers = siblings.filter((box) => scene.wires.some((wire) => upper(wire) === id && lower(wire) === box.id));
    const below = siblings.filter((box) => box.y >= from.y + from.h && box.aside === from.aside);
    const next = nearest(from, consumers.length ? consumers : below);
    if (next) return next.id;
    const parent = findBox(scene, from.parent);
    return parent ? navigate(closed(scene, parent.id), parent.id, "ArrowDown") : id;
  }
  const producers = siblings.filter((box) => scene.wires.some((wire) => lower(wire) === id && upper(wire) === box.id));
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
