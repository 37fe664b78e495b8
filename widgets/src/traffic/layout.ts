/*
 * Where tasks and links stand: as Python has placed them (minitf_widgets/traffic/layout.py), stretched
 * across to the page's width. No DOM in this file.
 */
import type { Point } from "../common/motion";

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
