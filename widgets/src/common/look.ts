import table from "../../minitf_widgets/colors.json";

/* Numbers as people read them on axes, sliders and legends. No DOM in this file. */

/* About three digits, without an exponent where it reads well: 0.000123 -> "1.23e-4". */
export function formatValue(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3))
    return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "−");
  if (Number.isInteger(value) || size >= 10 ** (digits + 1)) return formatCount(value).replace("-", "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/* Round numbers from `low` to `high`, about `count` of them: 0..97 -> 0, 20, 40, 60, 80. */
export function ticks(low: number, high: number, count = 5): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((each) => each * unit >= rough * 0.999) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/* The same on a logarithmic axis: powers of ten; in less than two decades 1, 2, 5 of each. */
export function logTicks(low: number, high: number, count = 5): number[] {
  const decades = Math.log10(high / low);
  const factors = decades < 2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / count));
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % stride) continue;
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`);
      if (value >= low * 0.9999 && value <= high * 1.0001) found.push(value);
    }
  }
  return found.length > 1 ? found : ticks(low, high, count).filter((value) => value > 0);
}

/* One colour for one thing: the table of minitf_widgets/colors.json, as colors.py reads it. A colour
 * comes with a dash and a marker, since colour alone must never carry the meaning. */

export interface Swatch {
  color: string;
  dash: string;
  marker: string;
}

const named = (name: string): Swatch => {
  const [color, dash, marker] = (table.palette as Record<string, string[]>)[name] as [string, string, string];
  return { color, dash, marker };
};
export const PALETTE: readonly Swatch[] = Object.keys(table.palette).map(named);
/* Of curves that are no things of the table, in the order in which lines are seen best. */
export const CURVES: readonly Swatch[] = table.curves.map(named);
/* By name: variable, gradient, ring, ... */
export const THINGS: ReadonlyMap<string, Swatch> = new Map(
  Object.entries(table.things).map(([thing, name]) => [thing, named(name)]));

/* The look of a thing, or of a task such as "ps 0" or "worker 3"; a "member" of a group is a worker. */
export function lookOf(thing: string): Swatch | undefined {
  const [, job = "", number = ""] = /^(\w+) (\d+)$/.exec(thing.replace("member ", "worker ")) ?? [];
  const row = (table.numbered as Record<string, string[]>)[job];
  return row ? named(row[Number(number) % row.length]!) : THINGS.get(thing);
}

/* The same in plain numbers, for a canvas: "#rrggbb" and "#rrggbb" -> "#rrggbb". */
export function mixed(color: string, ink: string): string {
  const part = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
  const parts = [1, 3, 5].map((at) => Math.round(part(color, at) * 0.8 + part(ink, at) * 0.2));
  return `#${parts.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

/* The colour of a line, on a ground on which text has the colour `ink`. */
export const inked = (color: string, ink = "var(--mtfw-fg)"): string => `color-mix(in srgb, ${color} 80%, ${ink})`;

/* A colour of `rgb(...)` or `#rrggbb` form -> its relative luminance, 0 (black) to 1 (white). */
export function luminance(color: string): number {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(color);
  const rgb = /^rgba?\(([\d.]+)[ ,]+([\d.]+)[ ,]+([\d.]+)/.exec(color);
  const parts = hex
    ? hex.slice(1, 4).map((part) => parseInt(part, 16))
    : rgb
      ? rgb.slice(1, 4).map(Number)
      : [255, 255, 255];
  const [r, g, b] = parts.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* Numbers as people read them: bytes, rates, durations, counts, task names. No DOM in this file. */

const SIZES = ["B", "kB", "MB", "GB", "TB"];

/* 1536 -> "1.54 kB" (powers of 1000, three digits). */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < SIZES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : threeDigits(value)} ${SIZES[unit]}`;
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/* 0.00042 -> "420 µs". */
export function formatDuration(seconds: number): string {
  if (seconds < 0.9995e-3) return `${threeDigits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${threeDigits(seconds * 1e3)} ms`;
  return `${threeDigits(seconds)} s`;
}

/* 1234567 -> "1,234,567". */
export function formatCount(count: number): string {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/* How much slower than in reality something is shown: 812.3 -> "810×", 3.41 -> "3.4×". */
export function formatFactor(factor: number): string {
  const digits = Math.floor(Math.log10(Math.max(factor, 1)));
  const unit = 10 ** Math.max(digits - 1, 0);
  const rounded = digits === 0 ? Math.round(factor * 10) / 10 : Math.round(factor / unit) * unit;
  return `${rounded >= 1000 ? formatCount(rounded) : rounded}×`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(value === 0 ? 0 : 2);
}

/* For a small box: 1536 -> "1.5k". */
export function shortBytes(bytes: number): string {
  const [value, unit] = formatBytes(bytes).split(" ") as [string, string];
  return `${Number(Number(value).toPrecision(2))}${unit === "B" ? "" : unit.slice(0, 1)}`;
}
