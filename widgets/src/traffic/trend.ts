/*
 * Loss, accuracy and the bytes, side by side where there is room, over the same time.
 */
import { Chart, type Curve } from "../common/chart";
import { h } from "../common/dom";
import type { History } from "./history";
import { formatBytes } from "./units";

/* Points of the curve of bytes, at most. */
const POINTS = 240;
const EVERY = 1;

export class Trend {
  readonly element: HTMLElement;
  private readonly bytes: Chart;
  private readonly numbers: Chart;
  private drawn = "";
  private due = 0;

  constructor(private readonly history: History, signal: AbortSignal) {
    const x = "seconds since the beginning";
    const short = (rate: number) => `${formatBytes(rate).replace(/\.0+(?= )/, "")}/s`;
    this.bytes = new Chart({ label: "Bytes a second, all links", x, height: 104, formatY: short, signal });
    this.numbers = new Chart({ label: "The training's numbers", x, height: 104, signal });
    this.element = h("section", { class: "mtft-trend", "aria-label": "Learning and traffic over time" }, this.bytes.element, this.numbers.element);
    this.element.hidden = true;
  }

  /* Draws anew where something came, once a second at most. */
  show(now: number): void {
    const { history } = this;
    const drawn = `${history.marks.length} ${history.until}`;
    if (drawn === this.drawn || now < this.due) return;
    [this.drawn, this.due] = [drawn, now + EVERY];
    const curves = numberCurves(history);
    this.element.hidden = curves.length === 0;
    if (curves.length === 0) return;
    const xRange = [0, Math.max(history.until - history.from, 1)] as const;
    this.bytes.show([byteCurve(history)], { xRange, yRange: [0, 1000] });
    this.numbers.show(curves, { xRange });
  }
}

/* Loss and whatever else the program told, but for its step. */
export function numberCurves({ marks, from }: History): Curve[] {
  const curves = new Map<string, { name: string; xs: number[]; ys: number[] }>();
  for (const [time, name, value] of marks) {
    if (name === "step") continue;
    let curve = curves.get(name);
    if (!curve) curves.set(name, (curve = { name, xs: [], ys: [] }));
    curve.xs.push(time - from);
    curve.ys.push(value);
  }
  return [...curves.values()].map((curve, i) => ({ ...curve, style: [4, 2, 3, 1][i % 4]! }));
}

/* All bytes a second, from the exact counters. */
export function byteCurve({ ticks, from, until }: History): Curve {
  const stride = Math.max((until - from) / POINTS, 0.5);
  const [xs, ys]: [number[], number[]] = [[], []];
  let before: { time: number; bytes: number } | null = null;
  for (const tick of ticks) {
    if (before && tick.time < before.time + stride && tick.time < until) continue;
    const bytes = tick.links.reduce((sum, link) => sum + link.bytes, 0);
    if (before && tick.time > before.time) {
      // a stretch in which nothing came is not kept: it ends where the next piece begins
      const quiet = tick.time - before.time > 3 * stride;
      const since = quiet ? tick.time - stride : before.time;
      if (quiet) {
        xs.push(before.time - from + stride / 2, since - from);
        ys.push(0, 0);
      }
      xs.push(tick.time - from);
      ys.push(Math.max(0, bytes - before.bytes) / (tick.time - since));
    }
    before = { time: tick.time, bytes };
  }
  return { name: "traffic", xs, ys };
}
