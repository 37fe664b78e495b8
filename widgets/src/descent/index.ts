/* Descent: the surface of a loss from above, the walkers on it, and their losses beside it.
 *
 *     walked (Python) -> paths -> marks up to the step that the play bar shows
 *     slider while it plays -> Python walks again from this step on; else from the start
 *     click, or arrow keys and Enter on the surface -> another start */
import { Chart, markPath, Scale } from "../common/chart";
import { iconButton, PlayBar } from "../common/controls";
import { h, listenKeys, s } from "../common/dom";
import { type Part, partOf } from "../common/export";
import { formatValue, inked, PALETTE } from "../common/look";
import { type Model, widget } from "../common/widget";
import { LivePage } from "../live/index";

const SIZE = 320;
const LEFT = 56;
const WIDTH = LEFT + SIZE + 12;
const HEIGHT = SIZE + 52;
/* So many steps before the end Python is asked for more, while it plays. */
const AHEAD = 10;

type Point = [a: number, b: number, loss: number];

export class DescentPage extends LivePage {
  private walks: Point[][] = [];
  private readonly bar: PlayBar;
  private readonly chart: Chart;
  private readonly content = s("g");
  private readonly moving = s("g", { "clip-path": "url(#mtfd-view)" });
  private readonly svg: SVGSVGElement;
  private readonly across: Scale;
  private readonly up: Scale;
  private cursor: [number, number] | null = null;
  private asking = false;

  constructor(model: Model, root: HTMLElement, signal: AbortSignal) {
    super(model, root, signal, [iconButton("reset", "Reset: back to the start", () => this.bar.go(0), "Reset")]);
    const { ranges, names } = model.get("spec");
    this.across = new Scale(ranges[0], LEFT, LEFT + SIZE);
    this.up = new Scale(ranges[1], SIZE + 6, 6);
    this.svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "mtfd-svg", role: "img",
      "aria-label": "The loss from above" }, this.content);
    const floor = h(
      "div",
      { class: "mtfd-floor", tabindex: 0, role: "group",
        "aria-label": "Surface: click, or arrow keys and Enter, for another start" },
      this.svg,
    );
    this.bar = new PlayBar({
      label: "descent", length: 1, speeds: [1, 2, 5, 10, 20], speed: 5, signal,
      describe: (step) => `step ${step}`, onmove: () => this.move(),
    });
    this.chart = new Chart({ label: "Loss by step", x: "step", y: "loss", height: 300, signal });
    this.stage.append(
      this.bar.element,
      h("div", { class: "mtfd-body" }, floor, this.chart.element),
    );
    this.content.append(...this.ground(names), this.moving);
    this.svg.addEventListener("click", (event) => {
      const frame = this.svg.getBoundingClientRect();
      const scale = WIDTH / frame.width;
      this.start(this.across.back((event.clientX - frame.left) * scale), this.up.back((event.clientY - frame.top) * scale));
    }, { signal });
    const shift = (a: number, b: number) => () => this.shift(a, b);
    listenKeys(floor, {
      ArrowLeft: shift(-1, 0), ArrowRight: shift(1, 0), ArrowDown: shift(0, -1), ArrowUp: shift(0, 1),
      Enter: () => this.cursor && this.start(...this.cursor), Space: () => this.bar.toggle(),
    }, signal);
    floor.addEventListener("blur", () => ((this.cursor = null), this.draw()), { signal });
  }

  override parts(): Part[] {
    return [partOf(this.svg, this.content, WIDTH, HEIGHT), this.chart.part()];
  }

  protected override other(content: any): void {
    if (content.type !== "walked") return;
    const first = this.walks.length === 0;
    this.walks = content.walks.map((walk: any[][]) => walk.map((point) => point.map(Number) as Point));
    this.asking = false;
    const length = this.walks[0]!.length;
    this.bar.resize(length, first ? length - 1 : this.bar.position);
    this.move();
  }

  protected override extra(): Record<string, unknown> {
    return { from: this.bar.playing ? this.bar.position : 0 };
  }

  /* What never moves: the bands, the axes, the cross where the floor is. */
  private *ground(names: string[]): Generator<SVGElement> {
    const { image, floor } = this.model.get("spec");
    const view = { x: LEFT, y: 6, width: SIZE, height: SIZE };
    yield s("clipPath", { id: "mtfd-view" }, s("rect", view));
    yield s("image", { ...view, href: image, preserveAspectRatio: "none" });
    for (const tick of this.across.ticks(5))
      yield s("text", { class: "mtfw-tick", x: this.across.at(tick), y: SIZE + 22, "text-anchor": "middle" }, formatValue(tick));
    for (const tick of this.up.ticks(6))
      yield s("text", { class: "mtfw-tick", x: LEFT - 7, y: this.up.at(tick) + 4, "text-anchor": "end" }, formatValue(tick));
    yield s("text", { class: "mtfw-axis", x: LEFT + SIZE / 2, y: HEIGHT - 8, "text-anchor": "middle" }, names[0]!);
    yield s("text", { class: "mtfw-axis", "text-anchor": "middle", transform: `translate(13 ${6 + SIZE / 2}) rotate(-90)` }, names[1]!);
    yield s("path", { class: "mtfd-floor-mark", d: "M-5 0H5M0 -5V5", transform: `translate(${this.across.at(floor[0])} ${this.up.at(floor[1])})` },
      s("title", {}, "lowest point"));
  }

  private move(): void {
    const { position, playing } = this.bar;
    const length = this.walks[0]?.length ?? 0;
    if (playing && !this.asking && position > length - AHEAD && length <= this.model.get("spec").most) {
      this.asking = true;
      this.tell({ type: "more" });
    }
    this.draw();
  }

  private draw(): void {
    const { walkers } = this.model.get("spec");
    const shown = this.bar.position + 1;
    this.moving.replaceChildren(
      ...this.walks.map((walk, i) => this.walker(walk.slice(0, shown), walkers[i].style)),
    );
    if (this.cursor)
      this.moving.append(s("circle", { class: "mtfd-cursor mtfw-screen-only", cx: this.across.at(this.cursor[0]), cy: this.up.at(this.cursor[1]), r: 7 }));
    const all = this.walks.flat().map((point) => point[2]);
    this.chart.show(
      this.walks.map((walk, i) => ({
        name: walkers[i].name, style: walkers[i].style,
        xs: walk.slice(0, shown).map((_, step) => step), ys: walk.slice(0, shown).map((point) => point[2]),
      })),
      { logY: all.every((loss) => loss > 0), xRange: [0, Math.max(10, (this.walks[0]?.length ?? 1) - 1)] },
    );
  }

  private walker(walk: Point[], style: number): SVGGElement {
    const { color: plain, dash, marker } = PALETTE[style]!;
    const color = inked(plain);
    const dots = walk.map(([a, b]) => {
      const [x, y] = [this.across.at(a), this.up.at(b)];
      return [clip(x), clip(y)] as const;
    });
    const ball = dots[dots.length - 1]!;
    return s(
      "g",
      {},
      s("path", { d: `M${dots.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`, fill: "none",
        stroke: color, "stroke-width": 2, "stroke-dasharray": dash || null, "stroke-linejoin": "round" }),
      ...dots.slice(0, -1).map(([x, y]) => s("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 2, fill: color })),
      s("path", { class: "mtfd-ball", d: markPath(marker), fill: color,
        transform: `translate(${ball[0].toFixed(1)} ${ball[1].toFixed(1)}) scale(1.9)` }),
    );
  }

  private shift(a: number, b: number): void {
    const [x, y] = this.cursor ?? [(this.across.low + this.across.high) / 2, (this.up.low + this.up.high) / 2];
    const held = (value: number, axis: Scale) => Math.min(axis.high, Math.max(axis.low, value));
    this.cursor = [
      held(x + (a * (this.across.high - this.across.low)) / 20, this.across),
      held(y + (b * (this.up.high - this.up.low)) / 20, this.up),
    ];
    this.draw();
  }

  private start(a: number, b: number): void {
    this.bar.pause();
    this.tell({ type: "start", point: [a, b] });
  }
}

/* Far outside is far enough. */
const clip = (pixel: number) => (Number.isFinite(pixel) ? Math.min(1e4, Math.max(-1e4, pixel)) : 1e4);

export default widget("descent", (model, root, signal) => void new DescentPage(model, root, signal));
