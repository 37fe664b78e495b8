/* A step as Python sends it, with names for the columns of its bars. */

export interface Bar {
  index: number;
  lane: number;
  start: number;
  length: number;
  name: string;
  op: string;
  node: string;
  kind: string;
  size: number;
  waited: number;
  why: "" | "input" | "transfer" | "turn";
  critical: boolean;
}

export interface Lane {
  label: string;
  device: string;
  pipeline: boolean;
  simulated: boolean;
  busy: number;
  color: string;
  marker: string;
}

export interface Dear {
  name: string;
  node: string;
  op: string;
  runs: number;
  micros: number;
  lane: number;
  critical: boolean;
}

export interface Step {
  length: number;
  lanes: Lane[];
  bars: Bar[];
  arrows: [number, number, number][];
  dearest: Dear[];
  kinds: Record<string, [string, string]>;
}

/* What Python sent -> the step. */
export function readStep(data: any): Step {
  const lit = new Set<number>(data.critical);
  const bars = data.bars.map((row: any[], index: number): Bar => {
    const [lane, start, length, name, op, node, kind, size, waited, why] = row;
    return { index, lane, start, length, name, op, node, kind, size, waited, why, critical: lit.has(index) };
  });
  return { ...data, bars };
}

/* Whether a bar belongs to what a graph calls `id`: an op, a scope, or "a/b/(b)", the op of its scope's name. */
export function belongs(bar: Bar, id: string): boolean {
  if (!id || !bar.node) return false;
  const own = /^(?:(.*)\/)?\(([^/]+)\)$/.exec(id);
  if (own) return bar.node === own[1];
  return bar.node === id || bar.node.startsWith(`${id}/`);
}

/* The next bar for an arrow key: beside it on its lane, or nearest in time on the next lane. */
export function neighbour(step: Step, at: number, key: string): number {
  const bar = step.bars[at];
  if (!bar) return 0;
  const beside = at + (key === "ArrowRight" ? 1 : -1);
  if (key === "ArrowLeft" || key === "ArrowRight") return step.bars[beside]?.lane === bar.lane ? beside : at;
  const middle = bar.start + bar.length / 2;
  const way = key === "ArrowDown" ? 1 : -1;
  for (let lane = bar.lane + way; lane >= 0 && lane < step.lanes.length; lane += way) {
    const there = step.bars.filter((each) => each.lane === lane);
    const far = (each: Bar) => Math.max(each.start - middle, middle - each.start - each.length, 0);
    if (there.length) return there.reduce((best, each) => (far(each) < far(best) ? each : best)).index;
  }
  return at;
}
