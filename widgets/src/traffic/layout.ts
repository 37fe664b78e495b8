/*
 * Where tasks and links stand: parameter servers on top, workers below, other jobs in further rows.
 *
 * Every pair of tasks that has talked gets two lanes side by side, one a direction. A link between
 * neighbouring rows is one curve; one that has to pass a row goes through a gap between its boxes;
 * one within a row bows out of it. A row that does not fit is broken into rows of equal length, so
 * that nothing leaves the picture. The static picture has a width of its own, and simpler lanes:
 * minitf_widgets/traffic/picture.py. No DOM in this file.
 */
import { linkKey, parseTask } from "./wire";

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  task: string;
  row: number;
  width: number;
  height: number;
  /* Too narrow for rates and sparklines: a label only. */
  compact: boolean;
}

export interface Lane {
  key: string;
  source: string;
  destination: string;
  /* Cubic Bézier pieces, source to destination: the start, then three points a piece. */
  curve: Point[];
}

export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  lanes: Lane[];
}

const MARGIN = 14;
const BOX_WIDTH = 176;
const BOX_NARROW = 42;
const BOX_GAP = 12;
const BOX_GAP_NARROW = 4;
/* Pixels a box and its gap: the gaps shrink, too. */
const NARROW_BELOW = 80;
const BOX_HEIGHT = 80;
const BOX_HEIGHT_COMPACT = 46;
const ROW_GAP = 118;
/* Below the workers there are few links to tell apart. */
const ROW_GAP_BELOW = 60;
/* Within a broken row. */
const ROW_GAP_BROKEN = 56;
const LANE = 11;
const BOW = 44;
/* A box narrower than this shows its label only. */
const COMPACT_BELOW = 124;
/* One narrower than this shows a short label. */
export const SHORT_BELOW = 66;

/* Workers and the jobs that work like one share the second row. */
const ROWS: Record<string, number> = { ps: 0, chief: 1, master: 1, worker: 1 };
const ORDER = ["ps", "chief", "master", "worker", "evaluator"];

/* The tasks in rows, top to bottom, left to right; as long as they are. */
export function rowsOf(tasks: readonly string[]): string[][] {
  const rows = new Map<string, string[]>();
  for (const task of [...tasks].sort(compareTasks)) {
    const { job } = parseTask(task);
    const row = job in ROWS ? String(ROWS[job]) : `2 ${rank(job)} ${job}`;
    rows.set(row, [...(rows.get(row) ?? []), task]);
  }
  return [...rows.keys()].sort().map((row) => rows.get(row) as string[]);
}

function rank(job: string): number {
  const at = ORDER.indexOf(job);
  return at < 0 ? ORDER.length : at;
}

export function compareTasks(left: string, right: string): number {
  const a = parseTask(left);
  const b = parseTask(right);
  return (
    rank(a.job) - rank(b.job) ||
    (a.job < b.job ? -1 : a.job > b.job ? 1 : 0) ||
    (a.index ?? 0) - (b.index ?? 0)
  );
}

/* Breaks a row into as few of at most `fit` tasks as it takes, of equal length but for one. */
function broken(row: string[], fit: number): string[][] {
  const pieces = Math.ceil(row.length / fit);
  const start = (k: number) => Math.floor((k * row.length) / pieces);
  return Array.from({ length: pieces }, (_, k) => row.slice(start(k), start(k + 1)));
}

/* Pixels across without which a row would have to be broken. */
export function leastWidth(tasks: readonly string[]): number {
  const most = Math.max(1, ...rowsOf(tasks).map((row) => row.length));
  return 2 * MARGIN + most * (BOX_NARROW + BOX_GAP_NARROW);
}

/*
 * @param tasks names of all tasks and other ends of links
 * @param links the directed links that have carried something
 * @param space pixels there are across; the layout is wider only where not even one box would fit
 */
export function layoutTraffic(
  tasks: readonly string[],
  links: readonly { source: string; destination: string }[],
  space: number,
): Layout {
  const narrow = BOX_NARROW + BOX_GAP_NARROW;
  const width = Math.max(space, 2 * MARGIN + narrow);
  const fit = Math.floor((width - 2 * MARGIN) / narrow);
  const groups = rowsOf(tasks).map((row) => broken(row, fit));
  const rows = groups.flat();
  const widths = rows.map((row) => boxWidth((width - 2 * MARGIN) / row.length));
  // who is neither server nor worker has little to show
  const aside = (row: string[]) => !(parseTask(row[0] as string).job in ROWS);
  const small = rows.map((row, r) => (widths[r] as number) < COMPACT_BELOW || aside(row));
  const heights = small.map((compact) => (compact ? BOX_HEIGHT_COMPACT : BOX_HEIGHT));
  const bows = (row: number) =>
    links.some((link) => rowAt(rows, link.source) === row && rowAt(rows, link.destination) === row);
  const tops: number[] = [];
  let top = MARGIN + (bows(0) ? BOW : 0);
  let bottom = top;
  for (const [g, group] of groups.entries()) {
    for (const _ of group) {
      bottom = top + (heights[tops.length] as number);
      tops.push(top);
      top = bottom + ROW_GAP_BROKEN;
    }
    top = bottom + (g > 0 ? ROW_GAP_BELOW : ROW_GAP);
  }
  const boxes = rows.flatMap((row, r) =>
    row.map((task, i) => ({
      task,
      row: r,
      x: Math.round(MARGIN + ((width - 2 * MARGIN) * (i + 0.5)) / row.length - (widths[r] as number) / 2),
      y: tops[r] as number,
      width: widths[r] as number,
      height: heights[r] as number,
      compact: small[r] as boolean,
    })),
  );
  const last = Math.max(rows.length - 1, 0);
  return {
    width,
    height: bottom + MARGIN + (last > 0 && bows(last) ? BOW : 0),
    boxes,
    lanes: layLanes(boxes, links, width),
  };
}

function boxWidth(slot: number): number {
  return Math.floor(Math.min(BOX_WIDTH, slot - (slot >= NARROW_BELOW ? BOX_GAP : BOX_GAP_NARROW)));
}

function rowAt(rows: readonly string[][], task: string): number {
  return rows.findIndex((row) => row.includes(task));
}

interface Pair {
  /* The upper end; in one row, the left one. */
  a: Box;
  b: Box;
}

function layLanes(
  boxes: Box[],
  links: readonly { source: string; destination: string }[],
  width: number,
): Lane[] {
  const byTask = new Map(boxes.map((box) => [box.task, box]));
  const pairs = new Map<string, Pair>();
  for (const link of links) {
    const [s, d] = [byTask.get(link.source), byTask.get(link.destination)];
    if (!s || !d || s === d) continue;
    const [a, b] = s.row < d.row || (s.row === d.row && s.x < d.x) ? [s, d] : [d, s];
    pairs.set(linkKey(a.task, b.task), { a, b });
  }
  const ports = placePorts([...pairs.values()]);
  const wanted = new Set(links.map((link) => linkKey(link.source, link.destination)));
  const lanes: Lane[] = [];
  for (const [key, pair] of [...pairs].sort(([left], [right]) => (left < right ? -1 : 1))) {
    for (const forward of [true, false]) {
      const source = forward ? pair.a : pair.b;
      const destination = forward ? pair.b : pair.a;
      if (!wanted.has(linkKey(source.task, destination.task))) continue;
      const shift = forward ? -LANE / 2 : LANE / 2;
      const ends: [Point, Point] = [ports.get(`a ${key}`)!, ports.get(`b ${key}`)!];
      const curve = route(pair, shift, ends, boxes, width);
      lanes.push({
        key: linkKey(source.task, destination.task),
        source: source.task,
        destination: destination.task,
        curve: forward ? curve : curve.reverse(),
      });
    }
  }
  return lanes;
}

/* Spreads the links of a box along its lower or upper edge, ordered by where they lead. */
function placePorts(pairs: Pair[]): Map<string, Point> {
  const sides = new Map<string, { box: Box; y: number; ends: { key: string; toward: Box }[] }>();
  const add = (box: Box, lower: boolean, key: string, toward: Box) => {
    const side = `${box.task} ${lower}`;
    const y = lower ? box.y + box.height : box.y;
    if (!sides.has(side)) sides.set(side, { box, y, ends: [] });
    sides.get(side)!.ends.push({ key, toward });
  };
  for (const { a, b } of pairs) {
    const key = linkKey(a.task, b.task);
    const within = a.row === b.row;
    add(a, !within || a.row > 0, `a ${key}`, b);
    add(b, within && b.row > 0, `b ${key}`, a);
  }
  const ports = new Map<string, Point>();
  for (const { box, y, ends } of sides.values()) {
    ends.sort((p, q) => center(p.toward) - center(q.toward) || p.toward.row - q.toward.row);
    ends.forEach(({ key }, i) => {
      ports.set(key, { x: box.x + 14 + ((box.width - 28) * (i + 0.5)) / ends.length, y });
    });
  }
  return ports;
}

function center(box: Box): number {
  return box.x + box.width / 2;
}

/* The lane from pair.a to pair.b, `shift` pixels beside the middle between the two lanes. */
function route(
  pair: Pair,
  shift: number,
  [from, to]: [Point, Point],
  boxes: Box[],
  width: number,
): Point[] {
  const start = { x: from.x + shift, y: from.y };
  if (pair.a.row === pair.b.row) {
    const end = { x: to.x - shift, y: to.y };
    const bow = (pair.a.row === 0 ? -1 : 1) * (BOW + 2 * shift);
    return [start, { x: start.x, y: start.y + bow }, { x: end.x, y: end.y + bow }, end];
  }
  const end = { x: to.x + shift, y: to.y };
  const curve = [start];
  for (let row = pair.a.row + 1; row < pair.b.row; row += 1) {
    const passed = boxes.filter((box) => box.row === row);
    const x = gapNear(to.x, passed, width) + shift;
    const upper = { x, y: (passed[0] as Box).y - 6 };
    const lower = { x, y: upper.y + (passed[0] as Box).height + 12 };
    bend(curve, upper);
    curve.push(upper, lower, lower);
  }
  bend(curve, end);
  return curve;
}

/* Adds an S-shaped piece from the curve's end to `to`. */
function bend(curve: Point[], to: Point): void {
  const from = curve[curve.length - 1] as Point;
  const half = (to.y - from.y) / 2;
  curve.push({ x: from.x, y: from.y + half }, { x: to.x, y: to.y - half }, to);
}

/* The middle of the gap beside or between `boxes` that is nearest to `x`. */
function gapNear(x: number, boxes: Box[], width: number): number {
  const sorted = [...boxes].sort((a, b) => a.x - b.x);
  const gaps = sorted.map((box, i) => {
    const left = sorted[i - 1];
    return left ? (left.x + left.width + box.x) / 2 : Math.max(LANE, box.x - 2 * LANE);
  });
  const last = sorted[sorted.length - 1] as Box;
  gaps.push(Math.min(width - LANE, last.x + last.width + 2 * LANE));
  return gaps.reduce((best, gap) => (Math.abs(gap - x) < Math.abs(best - x) ? gap : best));
}

/* "M x y C ..." for an SVG path. */
export function curvePath(curve: readonly Point[]): string {
  const [start, ...rest] = curve.map((p) => `${round(p.x)} ${round(p.y)}`);
  const pieces: string[] = [];
  for (let i = 0; i < rest.length; i += 3) pieces.push(`C${rest.slice(i, i + 3).join(" ")}`);
  return `M${start}${pieces.join("")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/* A curve measured once, so that a particle can be put at any share of its length. */
export class Track {
  private points: Point[] = [];
  private lengths: number[] = [0];

  constructor(curve: readonly Point[], perPiece = 24) {
    for (let i = 0; i + 3 < curve.length; i += 3) {
      const piece = curve.slice(i, i + 4) as [Point, Point, Point, Point];
      for (let j = i === 0 ? 0 : 1; j <= perPiece; j += 1) this.add(bezier(piece, j / perPiece));
    }
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
