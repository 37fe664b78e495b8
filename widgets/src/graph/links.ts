/* The wires between the selected box and auxiliary parts: one curve for each pair of boxes. */
import { findBox, type Scene, type SceneBox } from "./scene";

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
