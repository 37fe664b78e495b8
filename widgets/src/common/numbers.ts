/* Numbers as people read them on axes, sliders and legends. No DOM in this file. */

/* About three digits, without an exponent where it reads well: 0.000123 -> "1.23e-4". */
export function formatValue(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3))
    return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "−");
  if (Number.isInteger(value) || size >= 10 ** (digits + 1)) return grouped(Math.round(value));
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/* 12345 -> "12,345". */
function grouped(value: number): string {
  return Math.abs(value).toString().replace(/\B(?=(\d{3})+$)/g, ",").replace(/^/, value < 0 ? "−" : "");
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
