/*
 * Where tasks and links stand: as Python has placed them (minitf_widgets/traffic/layout.py), stretched
 * across to the page's width. No DOM in this file.
 */
export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  task: string;
  width: number;
  height: number;
  /* Room for a name and one number only. */
  compact: boolean;
}

export interface Lane {
  key: string;
  /* A cubic Bézier's four points, source to destination. */
  curve: Point[];
}

export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  lanes: Lane[];
}

/* As Python sends it. */
export interface Places {
  width: number;
  height: number;
  boxes: Record<string, Omit<Box, "compact">>;
  lanes: Record<string, [x: number, y: number][]>;
}

/* Pixels: of the narrowest box, and of one with room for rates. */
const NARROW = 42;
const ROOMY = 104;
/* More than so much wider, a picture is no easier to read. */
const MOST = 1.3;
/* A box narrower than this shows a short label. */
export const SHORT_BELOW = 66;

/* Pixels across that the boxes need. */
export function leastWidth({ width, boxes }: Places): number {
  return (width * NARROW) / Math.min(width, ...Object.values(boxes).map((box) => box.width));
}

/* The places in `space` pixels across; wider only where a box would get too narrow. */
export function stretch(places: Places, space: number): Layout {
  const by = Math.min(MOST, Math.max(space, leastWidth(places)) / places.width);
  const boxes = Object.values(places.boxes).map(({ x, width, ...box }) => ({
    ...box, x: x * by, width: width * by, compact: box.height < 80 || width * by < ROOMY,
  }));
  const lanes = Object.entries(places.lanes).map(([key, curve]) => ({
    key, curve: curve.map(([x, y]) => ({ x: x * by, y })),
  }));
  return { width: Math.floor(places.width * by), height: places.height, boxes, lanes };
}

/* "M x y C ..." for an SVG path. */
export function curvePath(curve: readonly Point[]): string {
  const [start, ...rest] = curve.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return `M${start}C${rest.join(" ")}`;
}

/* A curve measured once, so that a particle can be put at any share of its length. */
export class Track {
  private points: Point[] = [];
  private lengths: number[] = [0];

  constructor(curve: readonly Point[], pieces = 24) {
    for (let i = 0; i <= pieces; i += 1) this.add(bezier(curve as [Point, Point, Point, Point], i / pieces));
  }

  get length(): number {
    return this.lengths[this.lengths.length - 1] as number;
  }

  /* The point at `share` (0..1) of the length, and the direction of travel there in radians. */
  at(share: number): Point & { angle: number } {
    const wanted = Math.min(Math.max(share, 0), 1) * this.length;
    let low = 0;
    let high = this.points.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.lengths[middle] as number) <= wanted) low = middle;
      else high = middle;
    }
    const [p, q] = [this.points[low] as Point, this.points[high] as Point];
    const span = (this.lengths[high] as number) - (this.lengths[low] as number);
    const t = span > 0 ? (wanted - (this.lengths[low] as number)) / span : 0;
    return {
      x: p.x + (q.x - p.x) * t,
      y: p.y + (q.y - p.y) * t,
      angle: Math.atan2(q.y - p.y, q.x - p.x),
    };
  }

  private add(point: Point): void {
    const last = this.points[this.points.length - 1];
    if (last) this.lengths.push(this.length + Math.hypot(point.x - last.x, point.y - last.y));
    this.points.push(point);
  }
}

function bezier([a, b, c, d]: [Point, Point, Point, Point], t: number): Point {
  const u = 1 - t;
  const mix = (p: number, q: number, r: number, s: number) =>
    u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
  return { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) };
}
