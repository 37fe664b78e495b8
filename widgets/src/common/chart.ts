/* A small line chart: a few curves that may grow, told apart by colour, dash and mark.
 *
 *     const chart = new Chart({ label: "Loss", x: "step", signal });
 *     stage.append(chart.element);
 *     chart.show([{ name: "train", xs: [0, 1, 2], ys: [2.3, 1.1, 0.7] }]);
 *
 * The pointer or, where the chart has the focus, the arrow keys read the values off; the legend
 * shows them, otherwise the last ones. A value that is not finite leaves a gap, and is told.
 */
import { h, listenKeys, onResize, s } from "./dom";
import { type Part, partOf } from "./export";
import { CURVES, formatValue, inked, logTicks, lookOf, PALETTE, type Swatch, ticks } from "./look";

export interface Curve {
  name: string;
  xs: readonly number[];
  ys: readonly number[];
  /* Its place in the palette; by default that of a thing of its name, or the curve's place. */
  style?: number;
  /* Marks alone, as for measured points. */
  points?: boolean;
}

export interface ChartOptions {
  label: string;
  signal: AbortSignal;
  x?: string;
  y?: string;
  height?: number;
  logX?: boolean;
  logY?: boolean;
  /* What an axis shows at least. */
  xRange?: readonly [number, number];
  yRange?: readonly [number, number];
  /* Places on the horizontal axis with their texts, in place of round numbers. */
  ticks?: readonly (readonly [number, string])[];
  formatY?: (value: number) => string;
}

const MARGIN = { left: 58, right: 16, top: 12, bottom: 40 };
/* More points than a line has pixels change nothing. */
const MOST = 1500;
/* So few points have a mark each. */
const FEW = 30;
const MARKS: Record<string, string> = {
  "●": "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0",
  "■": "M-3.3 -3.3h6.6v6.6h-6.6z",
  "▲": "M0 -4.2L4.2 3.4H-4.2z",
  "◆": "M0 -4.6L4.2 0L0 4.6L-4.2 0z",
  "▼": "M0 4.2L4.2 -3.4H-4.2z",
  "★": "M0 -5L1.4 -1.6L4.8 -1.5L2.2 0.8L3 4.2L0 2.3L-3 4.2L-2.2 0.8L-4.8 -1.5L-1.4 -1.6z",
  "✚": "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  "◐": "M0 -4.4a4.4 4.4 0 0 0 0 8.8z",
  "✖": "M-4 -2.6L-2.6 -4L0 -1.4L2.6 -4L4 -2.6L1.4 0L4 2.6L2.6 4L0 1.4L-2.6 4L-4 2.6L-1.4 0z",
  "○": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0zM-2.6 0a2.6 2.6 0 1 1 5.2 0a2.6 2.6 0 1 1 -5.2 0z",
};

/* The look of a curve; the first of a chart is drawn through. */
export function styleOf(curve: Curve, index: number): Swatch {
  const own = curve.style === undefined ? lookOf(curve.name) : PALETTE[curve.style % PALETTE.length];
  const { color, dash, marker } = own ?? CURVES[index % CURVES.length]!;
  return { color: inked(color), dash: own || index ? dash : "", marker };
}

/* The mark of a swatch as the text of a path about (0, 0). */
export const markPath = (marker: string): string => MARKS[marker] ?? MARKS["●"]!;

/* An axis: from values to pixels and back, with ticks. */
export class Scale {
  readonly low: number;
  readonly high: number;
  constructor(
    values: Iterable<number>,
    readonly from: number,
    readonly to: number,
    readonly log = false,
    room = 0,
  ) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (low > high) [low, high] = log ? [0.1, 1] : [0, 1];
    if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
    const more = log ? (high / low) ** room : (high - low) * room;
    this.low = log ? low / more : low - more;
    this.high = log ? high * more : high + more;
  }

  at(value: number): number {
    const share = this.log
      ? Math.log(value / this.low) / Math.log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
    return this.from + (this.to - this.from) * share;
  }

  back(pixel: number): number {
    const share = (pixel - this.from) / (this.to - this.from);
    return this.log ? this.low * (this.high / this.low) ** share : this.low + (this.high - this.low) * share;
  }

  ticks(count: number): number[] {
    return (this.log ? logTicks : ticks)(this.low, this.high, count);
  }
}

/* About `count` round numbers of an axis, with their texts. */
const told = (scale: Scale, count: number, format: (value: number) => string = formatValue) =>
  scale.ticks(count).map((tick) => [tick, format(tick)] as const);

export class Chart {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  private readonly content = s("g"); // in pixels from the left top corner
  private curves: readonly Curve[] = [];
  private readonly legend = h("div", { class: "mtfw-flow mtfw-legend" });
  private readonly speech = h("div", { class: "mtfw-hidden", role: "status" });
  private width = 640;
  private cursor: number | null = null;
  private x!: Scale;
  private y!: Scale;
  private rule: SVGGElement | null = null;

  constructor(private options: ChartOptions) {
    const { label, signal } = options;
    this.svg = s("svg", { class: "mtfw-chart-svg", role: "img", "aria-label": label }, this.content);
    const floor = h(
      "div",
      {
        class: "mtfw-chart-floor", tabindex: 0, role: "group", "aria-label": `${label}: arrow keys read values`,
        onpointermove: (event: PointerEvent) =>
          this.point(this.x.back(event.clientX - this.svg.getBoundingClientRect().left)),
        onpointerleave: () => this.point(null),
        onblur: () => this.point(null),
      },
      this.svg,
    );
    this.element = h("div", { class: "mtfw-chart" }, floor, this.legend, this.speech);
    const keys = { ArrowLeft: () => this.walk(-1), ArrowRight: () => this.walk(1), Escape: () => this.point(null) };
    listenKeys(floor, keys, signal);
    const resized = (width: number) => {
      if (width <= 0 || width === this.width) return;
      this.width = width;
      this.draw();
    };
    onResize(floor, resized, signal);
    this.draw();
  }

  /* Shows these curves in place of the last; `options` changes axes and label. */
  show(curves: readonly Curve[], options: Partial<ChartOptions> = {}): void {
    this.curves = curves;
    this.options = { ...this.options, ...options };
    this.draw();
  }

  /* The drawing as a saved picture shows it. */
  part(): Part {
    return partOf(this.svg, this.content, this.width, (this.options.height ?? 220) + 24);
  }

  private draw(): void {
    const { options, curves, width } = this;
    const { height = 220, label, x = "", y = "", logX, logY, xRange = [], yRange = [], ticks = [] } = options;
    const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
    this.x = new Scale([...xRange, ...curves.flatMap((curve) => curve.xs)], MARGIN.left, right, logX);
    this.y = new Scale([...yRange, ...curves.flatMap((curve) => curve.ys)], bottom, MARGIN.top, logY, 0.04);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", String(height));
    this.svg.setAttribute("aria-label", `${label}. ${this.words(null)}`);
    this.rule = null;
    this.content.replaceChildren(
      ...(ticks.length ? ticks : told(this.x, Math.max(4, Math.floor(width / 110)))).flatMap(([tick, text]) => [
        s("line", { class: "mtfw-grid", x1: this.x.at(tick), x2: this.x.at(tick), y1: MARGIN.top, y2: bottom }),
        s("text", { class: "mtfw-tick", x: this.x.at(tick), y: bottom + 16, "text-anchor": "middle" }, text),
      ]),
      ...told(this.y, Math.max(2, Math.floor(height / 50)), options.formatY).flatMap(([tick, text]) => [
        s("line", { class: "mtfw-grid", x1: MARGIN.left, x2: right, y1: this.y.at(tick), y2: this.y.at(tick) }),
        s("text", { class: "mtfw-tick", x: MARGIN.left - 7, y: this.y.at(tick) + 4, "text-anchor": "end" }, text),
      ]),
      s("text", { class: "mtfw-axis", x: (MARGIN.left + right) / 2, y: height - 6, "text-anchor": "middle" }, x),
      s("text", { class: "mtfw-axis", "text-anchor": "middle",
        transform: `translate(13 ${(MARGIN.top + bottom) / 2}) rotate(-90)` }, y),
      ...curves.map((curve, index) => this.line(curve, index)),
      this.savedLegend(height),
    );
    this.mark();
  }

  private line(curve: Curve, index: number): SVGGElement {
    const { color, dash, marker } = styleOf(curve, index);
    const stride = Math.max(1, Math.ceil(curve.xs.length / MOST));
    const dots: [number, number][] = [];
    let path = "";
    let pen = "M";
    curve.xs.forEach((x, i) => {
      if (i % stride && i !== curve.xs.length - 1) return;
      const value = curve.ys[i]!;
      if (!Number.isFinite(value) || (this.options.logY && value <= 0)) return void (pen = "M");
      const dot: [number, number] = [this.x.at(x), this.y.at(value)];
      path += `${pen}${dot[0].toFixed(1)} ${dot[1].toFixed(1)}`;
      pen = "L";
      dots.push(dot);
    });
    const marked = dots.length <= FEW || curve.points ? dots : dots.slice(-1);
    return s(
      "g",
      { class: "mtfw-curve" },
      !curve.points &&
        s("path", { d: path, fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": dash || null,
          "stroke-linejoin": "round" }),
      ...marked.map(([x, y]) => s("path", { d: markPath(marker), fill: color, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` })),
    );
  }

  /* Names below the axis, where there is no legend beside the picture. */
  private savedLegend(height: number): SVGGElement {
    let x = MARGIN.left;
    return s(
      "g",
      { class: "mtfw-export-only" },
      ...this.curves.map((curve, index) => {
        const { color, marker } = styleOf(curve, index);
        const made = s(
          "g",
          { transform: `translate(${x} ${height + 10})` },
          s("path", { d: markPath(marker), fill: color }),
          s("text", { class: "mtfw-tick", x: 9, y: 4 }, curve.name),
        );
        x += 30 + curve.name.length * 7;
        return made;
      }),
    );
  }

  private point(x: number | null): void {
    this.cursor = x === null ? null : this.nearest(x);
    this.mark();
  }

  private walk(by: number): void {
    const all = [...new Set(this.curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
    if (!all.length) return;
    const now = this.cursor === null ? (by > 0 ? -1 : all.length) : all.indexOf(this.cursor);
    this.cursor = all[Math.max(0, Math.min(all.length - 1, now + by))]!;
    this.mark();
    this.speech.textContent = this.words(this.cursor);
  }

  private nearest(x: number): number | null {
    let best: number | null = null;
    for (const curve of this.curves)
      for (const each of curve.xs) if (best === null || Math.abs(each - x) < Math.abs(best - x)) best = each;
    return best;
  }

  /* The upright rule where values are read, and the legend with these values. */
  private mark(): void {
    const { cursor } = this;
    this.rule?.remove();
    this.rule = null;
    if (cursor !== null) {
      const at = this.x.at(cursor);
      this.rule = s("g", { class: "mtfw-rule mtfw-screen-only" }, s("line", { x1: at, x2: at, y1: MARGIN.top, y2: (this.options.height ?? 220) - MARGIN.bottom }));
      this.content.append(this.rule);
    }
    const where = cursor === null ? null : h("span", { class: "mtfw-legend-x mtfw-muted" }, this.place(cursor));
    this.legend.replaceChildren(
      ...this.curves.map((curve, index) => {
        const { color, marker, dash } = styleOf(curve, index);
        const icon = s(
          "svg",
          { class: "mtfw-legend-icon", viewBox: "0 0 30 12", "aria-hidden": "true" },
          !curve.points && s("line", { x1: 0, x2: 30, y1: 6, y2: 6, stroke: color, "stroke-width": 2, "stroke-dasharray": dash || null }),
          s("path", { d: markPath(marker), fill: color, transform: "translate(15 6)" }),
        );
        const value = this.valueAt(curve, cursor);
        return h("span", { class: "mtfw-legend-item" }, icon, curve.name, " ", h("b", {}, value));
      }),
      ...(where ? [where] : []),
    );
  }

  private place(x: number): string {
    const { x: name = "x" } = this.options;
    return `at ${name} ${formatValue(x)}`;
  }

  private valueAt(curve: Curve, x: number | null): string {
    const { formatY = formatValue } = this.options;
    const last = curve.points ? -1 : curve.ys.length - 1;
    const at = x === null ? last : curve.xs.indexOf(x);
    return at < 0 ? "" : formatY(curve.ys[at]!);
  }

  /* The values at `x`, or the last ones, in words. */
  private words(x: number | null): string {
    const values = this.curves.map((curve) => `${curve.name} ${this.valueAt(curve, x) || "no value"}`);
    if (!values.length) return "No values yet.";
    return `${x === null ? "Last values" : this.place(x)}: ${values.join(", ")}.`;
  }
}
