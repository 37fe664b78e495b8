/* How things move: a tensor is a tile with its value, which travels along an edge, a link or a ring.
 *
 * What is drawn depends on the moment alone, so that a reader can scrub: at moment 2.5 the tiles of
 * step 3 are half on their way. Where less movement is asked for, `travel` is one step. */
import { reducedMotion, s } from "./dom";

const PIECES = 24; // of a curve, each as good as straight

export interface Point {
  x: number;
  y: number;
}

/* A path of lines and curves (M, L, V, Q and C), measured once, so that something can be put at any
 * share of its length. */
export class Track {
  private readonly points: Point[] = [];
  private readonly lengths: number[] = []; // from the start to each point

  constructor(path: string) {
    let at: Point = { x: 0, y: 0 };
    for (const [, command, text] of path.matchAll(/([MLVQC])([^A-Z]*)/g)) {
      const numbers = text!.trim().split(/\s+/).map(Number);
      if (command === "V") numbers.unshift(at.x);
      const corners = command === "M" ? [] : [at];
      for (let i = 0; i < numbers.length; i += 2) corners.push({ x: numbers[i]!, y: numbers[i + 1]! });
      const pieces = corners.length > 2 ? PIECES : 1;
      for (let i = 1; i <= pieces; i++) this.add(onCurve(corners, i / pieces));
      at = corners[corners.length - 1]!;
    }
  }

  get length(): number {
    return this.lengths[this.lengths.length - 1] ?? 0;
  }

  /* The point at `share` (0..1) of the length, and the direction of travel there in radians. */
  at(share: number): Point & { angle: number } {
    const wanted = Math.min(Math.max(share, 0), 1) * this.length;
    let high = 1;
    while (this.lengths[high]! < wanted) high += 1;
    const [p, q] = [this.points[high - 1]!, this.points[high]!];
    const span = this.lengths[high]! - this.lengths[high - 1]!;
    const t = span > 0 ? (wanted - this.lengths[high - 1]!) / span : 0;
    return { ...between(p, q, t), angle: Math.atan2(q.y - p.y, q.x - p.x) };
  }

  private add(point: Point): void {
    const last = this.points[this.points.length - 1] ?? point;
    this.lengths.push(this.length + Math.hypot(point.x - last.x, point.y - last.y));
    this.points.push(point);
  }
}

const between = (p: Point, q: Point, t: number): Point => ({ x: p.x + (q.x - p.x) * t, y: p.y + (q.y - p.y) * t });

/* The point at `t` of the Bézier curve with these corners; two make a line. */
function onCurve(corners: readonly Point[], t: number): Point {
  if (corners.length === 1) return corners[0]!;
  return onCurve(corners.slice(1).map((corner, i) => between(corners[i]!, corner, t)), t);
}

/* What travels: its drawing around (0, 0), and its way. */
export interface Tile {
  body: SVGGElement;
  way: Track;
}

/* A value in a frame; where the text has no room, the frame alone. `kind` is a class, for its colour. */
export function valueTile(text: string, kind: string, room = Infinity): SVGGElement {
  const wide = 10 + 6.4 * text.length;
  const width = Math.max(2, Math.min(wide, room));
  return s("g", { class: `mtfw-tile ${kind}` },
    s("rect", { x: -width / 2, y: -9, width, height: 18, rx: Math.min(4, width / 4) }),
    wide <= room && s("text", { y: 4, "text-anchor": "middle" }, text));
}

/* Puts tiles at a share of their ways, slow at both ends. */
export function moveTiles(tiles: readonly Tile[], share: number): void {
  for (const { body, way } of tiles) {
    const { x, y } = way.at(share * share * (3 - 2 * share));
    body.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }
}

export const LONG = 600; // ms of a move
const SHORT = 100; // what is shorter is one step

/* Calls `frame` with moments from one to another, for `long` ms; returns what stops it. */
export function travel(from: number, to: number, frame: (at: number) => void, long = LONG): () => void {
  const [begun, still] = [performance.now(), long < SHORT || reducedMotion()];
  let handle = 0;
  const tick = (now: number) => {
    const share = still ? 1 : Math.min(1, Math.max(0, now - begun) / long);
    if (share < 1) handle = requestAnimationFrame(tick);
    frame(from + (to - from) * share);
  };
  tick(begun);
  return () => cancelAnimationFrame(handle);
}
