/* The scene that Python lays out (graph/scene.py), and small questions about it. */

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
  /* For each step of the run that is shown: its box's place, and whether that shows its value. */
  run_at?: [place: number, shows: number][];
}

export function findBox(scene: Scene, id: string): SceneBox | undefined {
  return scene.boxes.find((box) => box.id === id);
}

/* Whether a box is of a gradient part: there, what is computed first stands below. */
export function isBackward(scene: Scene, box: SceneBox): boolean {
  for (let at: SceneBox | undefined = box; at; at = findBox(scene, at.parent)) if (at.lane) return true;
  return false;
}

/* The nearest visible box around `id`, for a box that has just been closed over. */
export function visibleAround(scene: Scene, id: string): SceneBox | undefined {
  for (let name = id; name; name = name.slice(0, Math.max(0, name.lastIndexOf("/")))) {
    const box = findBox(scene, name);
    if (box) return box;
  }
  return undefined;
}
