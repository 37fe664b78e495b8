/*
 * Paints the messages under way on a canvas above the picture, and as SVG shapes for an export.
 */
import { FOCUSABLE, listenKeys, s } from "../common/dom";
import { formatBytes, formatCount, formatRate, shortBytes } from "../common/look";
import { type LinkState, mainClass, RateBook, sparkPath, type TaskTraffic } from "./history";
import { type Box, curvePath, type Lane, type Layout, layoutTraffic, SHORT_BELOW, Track } from "./layout";
import { classStyle, type MessageClass, type Shape } from "./messages";
import { linkLabel, sinceText, waitText } from "./panel";
import { type Particle, progress } from "./time";
import { shortLabel, taskLabel, type Wait } from "./wire";

export interface Paint {
  now: number;
  dark: boolean;
  /* Whether a link is in the light; the others' messages are faint. */
  lit: (key: string) => boolean;
  /* How much shorter a second of these particles is than one on the screen: 1 by default. */
  tail?: number;
}

/* Seconds of its way that a message drags behind it as a tail. */
const TAIL = 0.09;
/* Opacity of what does not belong to the selection. */
const FAINT = 0.15;

export function classColor(id: MessageClass, dark: boolean): string {
  const style = classStyle(id);
  return dark ? style.dark : style.light;
}

/* A shape of "radius" r around the origin, pointing along the x axis, as an SVG path. */
export function shapePath(shape: Shape, r: number): string {
  const p = (...values: number[]) => values.map((v) => Math.round(v * 100) / 100).join(" ");
  switch (shape) {
    case "circle":
    case "ring":
      return `M${p(r, 0)}A${p(r, r)} 0 1 1 ${p(-r, 0)}A${p(r, r)} 0 1 1 ${p(r, 0)}Z`;
    case "triangle":
      return `M${p(1.35 * r, 0)}L${p(-0.9 * r, -1.1 * r)}L${p(-0.9 * r, 1.1 * r)}Z`;
    case "diamond":
      return `M${p(1.3 * r, 0)}L${p(0, -1.1 * r)}L${p(-1.3 * r, 0)}L${p(0, 1.1 * r)}Z`;
    case "square":
      return `M${p(-0.9 * r, -0.9 * r)}H${p(0.9 * r)}V${p(0.9 * r)}H${p(-0.9 * r)}Z`;
  }
}

/* A class's shape as an element. */
export function shapeElement(id: MessageClass, radius: number, dark: boolean, transform?: string): SVGPathElement {
  const { shape } = classStyle(id);
  const [color, ring] = [classColor(id, dark), shape === "ring"];
  const style = `fill:${ring ? "none" : color};stroke:${ring ? color : "none"};stroke-width:2px`;
  return s("path", { d: shapePath(shape, radius), transform, style });
}

/* How much smaller each is drawn when many are under way: 1 up to 200 of them, 0.5 from 800 on. */
export function crowding(count: number): number {
  return Math.min(1, Math.max(0.5, Math.sqrt(200 / Math.max(count, 1))));
}

/* Where a particle stands now; null when its link is not on the picture. */
export function place(particle: Particle, tracks: ReadonlyMap<string, Track>, now: number) {
  const track = tracks.get(particle.key);
  return track ? track.at(progress(particle, now)) : null;
}

/* Pixels around the shape on a sprite, for its outline. */
const RIM = 3;

export class Painter {
  private readonly context: CanvasRenderingContext2D;
  private readonly sprites = new Map<string, HTMLCanvasElement>();
  private ratio = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d") as CanvasRenderingContext2D;
  }

  /* Sets the size in CSS pixels; the canvas holds as many device pixels as the screen has. */
  resize(width: number, height: number): void {
    this.ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.sprites.clear();
  }

  /* Paints all; tensors above the small control messages that travel along with them. */
  draw(particles: readonly Particle[], tracks: ReadonlyMap<string, Track>, paint: Paint): void {
    const { context, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (particles.length === 0) return;
    const crowd = crowding(particles.length);
    const lesser = (p: Particle) => p.class === "control" || p.class === "other";
    const order = [...particles.filter(lesser), ...particles.filter((p) => !lesser(p))];
    this.drawTails(order, tracks, paint, crowd);
    for (const particle of order) {
      const at = place(particle, tracks, paint.now);
      if (!at) continue;
      const sprite = this.sprite(particle.class, particle.radius * crowd, paint.dark);
      const [cos, sin] = [Math.cos(at.angle), Math.sin(at.angle)];
      context.globalAlpha = paint.lit(particle.key) ? 1 : FAINT;
      context.setTransform(cos, sin, -sin, cos, at.x * ratio, at.y * ratio);
      context.drawImage(sprite, -sprite.width / 2, -sprite.height / 2);
    }
    context.globalAlpha = 1;
  }

  /* All tails of one look are one path, so that a thousand messages cost a dozen strokes. */
  private drawTails(
    particles: readonly Particle[],
    tracks: ReadonlyMap<string, Track>,
    { now, dark, lit, tail: share = 1 }: Paint,
    crowd: number,
  ): void {
    const { context, ratio } = this;
    const looks = new Map<string, { path: Path2D; color: string; width: number; lit: boolean }>();
    for (const particle of particles) {
      const head = place(particle, tracks, now);
      const tail = place(particle, tracks, now - TAIL * share);
      if (!head || !tail) continue;
      const width = Math.round(particle.radius * crowd);
      const name = `${particle.class} ${width} ${lit(particle.key)}`;
      let look = looks.get(name);
      if (!look) {
        const color = classColor(particle.class, dark);
        look = { path: new Path2D(), color, width, lit: lit(particle.key) };
        looks.set(name, look);
      }
      look.path.moveTo(tail.x, tail.y);
      look.path.lineTo(head.x, head.y);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const look of looks.values()) {
      context.globalAlpha = 0.4 * (look.lit ? 1 : FAINT);
      context.strokeStyle = look.color;
      context.lineWidth = look.width;
      context.stroke(look.path);
    }
  }

  /* A shape painted once, with an outline in the colour of the ground; stamped afterwards. */
  private sprite(id: MessageClass, radius: number, dark: boolean): HTMLCanvasElement {
    const r = Math.max(2, Math.round(radius * 2) / 2);
    const name = `${id} ${r} ${dark}`;
    const known = this.sprites.get(name);
    if (known) return known;
    const sprite = document.createElement("canvas");
    sprite.width = sprite.height = 2 * Math.ceil((1.4 * r + RIM) * this.ratio);
    const context = sprite.getContext("2d") as CanvasRenderingContext2D;
    context.translate(sprite.width / 2, sprite.height / 2);
    context.scale(this.ratio, this.ratio);
    const { shape } = classStyle(id);
    const path = new Path2D(shapePath(shape, r));
    const color = classColor(id, dark);
    context.lineWidth = shape === "ring" ? 2 : Math.min(2, r / 2);
    context.strokeStyle = shape === "ring" ? color : dark ? "#000000" : "#ffffff";
    context.stroke(path);
    context.fillStyle = color;
    if (shape !== "ring") context.fill(path);
    this.sprites.set(name, sprite);
    return sprite;
  }
}

/*
 * The picture itself as SVG: boxes with rates and sparklines, lanes by rate, selection and focus.
 *
 * Elements are made once for a set of tasks and links and then only given new attributes, so that a
 * click or the focus never lands on something that is just being replaced.
 */

interface BoxParts {
  box: Box;
  group: SVGGElement;
  state: SVGTextElement;
  tip: SVGTitleElement;
  /* What is waited for: over the rates while nothing moves. */
  wait: SVGTextElement[];
  traffic: SVGElement[];
  rates: SVGTextElement[];
  sparks: SVGPathElement[];
}

interface LaneParts {
  lane: Lane;
  group: SVGGElement;
  tip: SVGTitleElement;
  line: SVGPathElement;
  arrow: SVGPathElement;
  mark: SVGPathElement;
}

/* Pixels: 1.5 when idle, 1 more a decade above 100 B a second, or in all, 7 at most. */
export function laneWidth(bytes: number): number {
  return Math.min(7, 1.5 + Math.max(0, Math.log10(Math.max(bytes, 1)) - 2));
}

export interface ShowOptions {
  dark: boolean;
  still: boolean;
  /* Kinds of messages that the reader has hidden. */
  hidden: readonly string[];
  /* The waits worth telling. */
  waits: readonly Wait[];
}

export class Stage {
  readonly svg: SVGSVGElement;
  readonly content: SVGGElement;
  layout: Layout = { width: 0, height: 0, boxes: [], lanes: [] };
  tracks: ReadonlyMap<string, Track> = new Map();
  private readonly laneLayer = s("g", { role: "group", "aria-label": "Links" });
  private readonly boxLayer = s("g", { role: "group", "aria-label": "Tasks" });
  private readonly empty = s("text", { class: "mtfw-muted", "text-anchor": "middle" });
  private boxes = new Map<string, BoxParts>();
  private lanes = new Map<string, LaneParts>();
  private drawn = "";
  private selection: string | null = null;
  /* Bytes a second at full height of a sparkline. */
  peak = 1000;

  /* @param onSelect called with a task, a link's key, or null for a click on the ground */
  constructor(onSelect: (key: string | null) => void, signal: AbortSignal) {
    this.content = s("g", {}, this.laneLayer, this.boxLayer, this.empty);
    // tabindex: Chromium would let Tab stop here, since the element listens to focus events
    const label = "Tasks and links";
    this.svg = s(
      "svg",
      { class: "mtft-svg", role: "group", "aria-label": label, tabindex: -1 },
      this.content,
    );
    this.svg.addEventListener("click", (event) => onSelect(keyOf(event.target)), { signal });
    this.svg.addEventListener("focusin", (event) => this.rove(keyOf(event.target)), { signal });
    const move = (x: number, y: number) => () => this.moveFocus(x, y);
    listenKeys(
      this.svg,
      {
        Enter: (event) => onSelect(keyOf(event.target)),
        ArrowLeft: move(-1, 0),
        ArrowRight: move(1, 0),
        ArrowUp: move(0, -1),
        ArrowDown: move(0, 1),
        Home: () => this.focusAt(0),
        End: () => this.focusAt(-1),
      },
      signal,
    );
  }

  /* Draws the present state into `space` pixels; returns whether places have changed. */
  show(book: RateBook, space: number, options: ShowOptions): boolean {
    const tasks = [...book.tasks.keys()];
    const links = [...book.links.values()];
    const drawn = `${space} ${tasks.join(" ")} ${[...book.links.keys()].join(" ")}`;
    const moved = drawn !== this.drawn;
    if (moved) {
      this.drawn = drawn;
      this.rebuild(layoutTraffic(tasks, links, space));
    }
    this.peak = Math.max(
      1000,
      ...[...book.tasks.values()].flatMap((task) => [...task.inHistory, ...task.outHistory]),
    );
    const atRest = book.totals().rate.bytes < 1; // totals tell more then
    for (const parts of this.boxes.values()) {
      const wait = options.waits.find((each) => each.task === parts.box.task);
      showBox(parts, book.tasks.get(parts.box.task) as TaskTraffic, this.peak, atRest, wait);
    }
    for (const parts of this.lanes.values()) {
      const link = book.links.get(parts.lane.key) as LinkState;
      const ends = [link.source, link.destination];
      const dead = ends.some((end) => book.tasks.get(end)?.alive === false);
      showLane(parts, link, dead, atRest, options);
    }
    this.empty.textContent = tasks.length === 0 ? "No tasks yet" : "";
    return moved;
  }

  /* Sets the selected task or link off from the rest. */
  select(key: string | null): void {
    this.selection = key !== null && (this.boxes.has(key) || this.lanes.has(key)) ? key : null;
    for (const [name, { group }] of [...this.boxes, ...this.lanes]) {
      group.setAttribute("aria-pressed", String(name === this.selection));
      group.classList.toggle("mtft-faint", this.lanes.has(name) && !this.lit(name));
    }
  }

  /* Whether a link belongs to the selection; all do when nothing is selected. */
  lit(key: string): boolean {
    const picked = this.selection;
    if (picked === null || picked === key) return true;
    const lane = this.lanes.get(key)?.lane;
    return lane !== undefined && (lane.source === picked || lane.destination === picked);
  }

  private rebuild(layout: Layout): void {
    const active = document.activeElement;
    const focused = this.svg.contains(active) ? keyOf(active) : null;
    this.layout = layout;
    this.tracks = new Map(layout.lanes.map((lane) => [lane.key, new Track(lane.curve)]));
    for (const [name, value] of Object.entries({ width: layout.width, height: layout.height })) {
      this.svg.setAttribute(name, String(value));
    }
    this.empty.setAttribute("x", String(layout.width / 2));
    this.empty.setAttribute("y", String(layout.height / 2));
    this.boxes = new Map(layout.boxes.map((box) => [box.task, makeBox(box)]));
    this.lanes = new Map(layout.lanes.map((lane) => [lane.key, makeLane(lane)]));
    this.boxLayer.replaceChildren(...[...this.boxes.values()].map((parts) => parts.group));
    this.laneLayer.replaceChildren(...[...this.lanes.values()].map((parts) => parts.group));
    for (const layer of [this.boxLayer, this.laneLayer]) {
      layer.firstElementChild?.setAttribute("tabindex", "0");
    }
    this.select(this.selection);
    if (focused !== null) this.group(focused)?.focus();
  }

  private group(key: string): SVGGElement | undefined {
    return (this.boxes.get(key) ?? this.lanes.get(key))?.group;
  }

  /* Makes `key` the one that Tab comes to among its kind. */
  private rove(key: string | null): void {
    const group = key === null ? undefined : this.group(key);
    for (const sibling of group?.parentElement?.children ?? []) {
      sibling.setAttribute("tabindex", sibling === group ? "0" : "-1");
    }
  }

  private focusAt(index: number): void {
    const groups = [...(document.activeElement?.parentElement?.children ?? [])];
    (groups.at(index) as SVGGElement | undefined)?.focus();
  }

  /* Tasks: to the nearest box that way. Links: to the next or the one before. */
  private moveFocus(x: number, y: number): void {
    const key = keyOf(document.activeElement);
    const from = key === null ? undefined : this.boxes.get(key)?.box;
    if (from) {
      const target = neighbour(from, this.layout.boxes, x, y);
      if (target) this.group(target.task)?.focus();
    } else if (key !== null) {
      const keys = [...this.lanes.keys()];
      const next = keys[(keys.indexOf(key) + x + y + keys.length) % keys.length];
      if (next) this.group(next)?.focus();
    }
  }
}

/* The box nearest to `from` in the direction (x, y), if there is one. */
export function neighbour(from: Box, boxes: readonly Box[], x: number, y: number): Box | undefined {
  const middle = (box: Box) => box.x + box.width / 2;
  const there = boxes.filter((box) => {
    if (y !== 0) return (box.row - from.row) * y > 0;
    return box.row === from.row && (middle(box) - middle(from)) * x > 0;
  });
  const distance = (box: Box) =>
    1e4 * Math.abs(box.row - from.row) + Math.abs(middle(box) - middle(from));
  return there.sort((a, b) => distance(a) - distance(b))[0];
}

function keyOf(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest?.("[data-key]")?.getAttribute("data-key") ?? null;
}

function makeBox(box: Box): BoxParts {
  const state = s("text", { class: "mtft-state" });
  const rates = [s("text", { class: "mtft-rate" }), s("text", { class: "mtft-rate" })];
  const sparks = [s("path", { class: "mtft-spark" }), s("path", { class: "mtft-spark" })];
  const short = box.width < SHORT_BELOW;
  const label = s("text", { class: "mtft-name" }, (short ? shortLabel : taskLabel)(box.task));
  const tip = s("title");
  const wait = [s("text", { class: "mtfw-muted" }), s("text", { class: "mtft-wait-what" })];
  const at = (element: SVGElement, x: number, y: number, anchor = "start") => {
    element.setAttribute("x", String(x));
    element.setAttribute("y", String(y));
    element.setAttribute("text-anchor", anchor);
  };
  const extra: SVGElement[] = [];
  if (box.compact) {
    at(label, box.width / 2, 19, "middle");
    at(state, box.width / 2, 36, "middle");
    rates.length = 0;
    sparks.length = 0;
    wait.length = 0;
  } else {
    at(label, 12, 22);
    at(state, box.width - 12, 22, "end");
    for (const [i, word] of ["in", "out"].entries()) {
      const y = 45 + 22 * i;
      const name = s("text", { class: "mtfw-muted" }, word);
      at(name, 12, y);
      at(rates[i] as SVGElement, 36, y);
      at(wait[i] as SVGElement, 12, y);
      (sparks[i] as SVGElement).setAttribute("transform", `translate(${box.width - 70} ${y - 12})`);
      extra.push(name);
    }
  }
  const group = s(
    "g",
    {
      class: `mtft-task${box.compact ? " mtft-compact" : ""}${short ? " mtft-short" : ""}`,
      role: "button",
      tabindex: -1,
      "data-key": box.task,
      "aria-pressed": "false",
      "aria-label": `Task ${taskLabel(box.task)}`,
      transform: `translate(${box.x} ${box.y})`,
      ...FOCUSABLE,
    },
    tip,
    s("rect", { class: "mtft-box", width: box.width, height: box.height, rx: 8 }),
    ...sparks,
    label,
    state,
    ...extra,
    ...rates,
    ...wait,
  );
  return { box, group, state, tip, wait, traffic: [...extra, ...rates, ...sparks], rates, sparks };
}

function showBox(parts: BoxParts, task: TaskTraffic, peak: number, atRest: boolean, wait?: Wait): void {
  const { box, group, state, rates, sparks } = parts;
  const short = box.width < SHORT_BELOW;
  const amounts = [task.in, task.out].map((of) => (atRest ? of : of.rate).bytes);
  const words = atRest ? formatBytes : formatRate;
  const both = amounts[0]! + amounts[1]!;
  group.classList.toggle("mtft-dead", !task.alive);
  group.classList.toggle("mtft-unlisted", !task.listed);
  group.classList.toggle("mtft-waiting", wait !== undefined);
  const waits = wait ? `, ${wait.text}` : "";
  const name = `Task ${taskLabel(task.task)}${task.alive ? "" : ", dead"}${waits}`;
  if (group.getAttribute("aria-label") !== name) group.setAttribute("aria-label", name);
  const since = wait ? `${wait.text.startsWith("computes") ? "busy" : short ? "" : "waits"} ${sinceText(wait.seconds)}` : "";
  const tip = wait ? `${waitText(wait)}, ${sinceText(wait.seconds)}` : taskLabel(task.task);
  if (parts.tip.textContent !== tip) parts.tip.textContent = tip;
  // while nothing moves there is room to say why
  const told = wait !== undefined && task.in.rate.bytes + task.out.rate.bytes < 1 && parts.wait.length > 0;
  for (const element of parts.traffic) element.setAttribute("display", told ? "none" : "inline");
  const verb = wait ? ((/^(waits \w+|computes)/.exec(wait.text)?.[0] ?? "waits") as string) : "";
  for (const [i, text] of parts.wait.entries()) {
    text.textContent = !told ? "" : i === 0 ? verb : fitted(wait.what, box.width - 24);
  }
  if (!task.alive) state.textContent = "✕ dead";
  else if (wait) state.textContent = since;
  else if (box.compact) state.textContent = short ? shortBytes(both) : words(both);
  else if (!task.listed) state.textContent = "outside";
  else state.textContent = task.restarts > 0 ? `restarted ${task.restarts}×` : "";
  for (const [i, text] of rates.entries()) {
    text.textContent = words(amounts[i]!);
  }
  for (const [i, path] of sparks.entries()) {
    path.setAttribute("d", sparkPath(i === 0 ? task.inHistory : task.outHistory, peak, 58, 14));
  }
}

/* A name cut in the middle to so many pixels. */
function fitted(name: string, pixels: number): string {
  const most = Math.floor(pixels / 6.3);
  if (name.length <= most) return name;
  const half = (most - 1) / 2;
  return `${name.slice(0, Math.ceil(half))}…${name.slice(-Math.floor(half))}`;
}

function makeLane(lane: Lane): LaneParts {
  const d = curvePath(lane.curve);
  const track = new Track(lane.curve);
  const end = track.at(1);
  const early = track.at(0.35); // not the middle, where lanes cross
  const turned = (at: { x: number; y: number; angle: number }) =>
    `translate(${at.x} ${at.y}) rotate(${(at.angle * 180) / Math.PI})`;
  const tip = s("title");
  const line = s("path", { class: "mtft-line", d, fill: "none" });
  const arrow = s("path", { class: "mtft-arrow", d: "M0 0L-10 -6L-10 6Z", transform: turned(end) });
  const mark = s("path", { class: "mtft-mark", transform: turned(early), display: "none" });
  const group = s(
    "g",
    {
      class: "mtft-lane",
      role: "button",
      tabindex: -1,
      "data-key": lane.key,
      "aria-pressed": "false",
      "aria-label": `Link ${linkLabel(lane.key).replace("→", "to")}`,
      ...FOCUSABLE,
    },
    tip,
    s("path", { class: "mtft-halo mtfw-screen-only", d, fill: "none" }),
    line,
    arrow,
    mark,
    s("path", { class: "mtft-hit mtfw-screen-only", d, fill: "none" }),
  );
  return { lane, group, tip, line, arrow, mark };
}

function showLane(
  { lane, group, tip, line, arrow, mark }: LaneParts,
  link: LinkState,
  dead: boolean,
  atRest: boolean,
  { dark, still, hidden }: ShowOptions,
): void {
  const id = mainClass(link);
  group.classList.toggle("mtft-filtered", hidden.includes(id));
  const color = dead ? "var(--mtfw-grey)" : classColor(id, dark);
  group.style.setProperty("--mtft-lane", color);
  group.classList.toggle("mtft-dead", dead);
  line.setAttribute("stroke-width", laneWidth((atRest ? link : link.rate).bytes).toFixed(2));
  arrow.setAttribute("display", dead ? "none" : "inline");
  mark.setAttribute("display", still && link.rate.messages > 0 ? "inline" : "none");
  mark.setAttribute("d", shapePath(classStyle(id).shape, 6));
  tip.textContent =
    `${linkLabel(lane.key)}: ${formatRate(link.rate.bytes)}, ` +
    `${formatCount(link.rate.messages)} messages/s; ${formatBytes(link.bytes)} in all`;
}
