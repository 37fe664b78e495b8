/*
 * Paints the messages under way on a canvas above the picture, and as SVG shapes for an export.
 */
import { listenKeys, renew, s } from "../common/dom";
import { formatBytes, formatCount, formatRate, shortBytes } from "../common/look";
import { type Point, Track } from "../common/motion";
import { mainClass, RateBook, sparkPath, type TaskTraffic } from "./history";
import { type Box, curvePath, type Lane, type Layout, type Places, SHORT_BELOW, stretch } from "./layout";
import { classStyle, type MessageClass, type Shape } from "./messages";
import { linkLabel, sinceText, waitText } from "./panel";
import { type Particle, progress } from "./time";
import { lifeOf, shortLabel, taskLabel, type Wait } from "./wire";

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
 */

/* Pixels: 1.5 when idle, 1 more a decade above 100 B a second, or in all, 7 at most. */
export function laneWidth(bytes: number): number {
  return Math.min(7, 1.5 + Math.max(0, Math.log10(Math.max(bytes, 1)) - 2));
}

/* Pixels: a box wider than this has room for sparklines. */
const SPARKS_ABOVE = 150;

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
  readonly content = s("g");
  layout: Layout = { width: 0, height: 0, boxes: [], lanes: [] };
  tracks: ReadonlyMap<string, Track> = new Map();
  private drawn: unknown[] = [];
  private selection: string | null = null;
  /* Where Tab comes to: a task, a link. */
  private stops: (string | undefined)[] = [];
  /* Bytes a second at full height of a sparkline. */
  peak = 1000;

  /* @param onSelect called with a task, a link's key, or null for a click on the ground */
  constructor(onSelect: (key: string | null) => void, signal: AbortSignal) {
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
  show(book: RateBook, places: Places, space: number, options: ShowOptions): boolean {
    const moved = places !== this.drawn[0] || space !== this.drawn[1];
    if (moved) {
      this.drawn = [places, space];
      this.layout = stretch(places, space);
      this.tracks = new Map(this.layout.lanes.map((lane) => [lane.key, new Track(curvePath(lane.curve))]));
      for (const side of ["width", "height"] as const) this.svg.setAttribute(side, String(this.layout[side]));
    }
    const { width, height, boxes, lanes } = this.layout;
    this.stops = [lanes.map((lane) => lane.key), boxes.map((box) => box.task)].map((keys, i) =>
      keys.find((key) => key === this.stops[i]) ?? keys[0]);
    this.peak = Math.max(
      1000,
      ...[...book.tasks.values()].flatMap((task) => [...task.inHistory, ...task.outHistory]),
    );
    const atRest = book.totals().rate.bytes < 1; // totals tell more then
    renew(this.content, s(
      "g", {},
      s("g", { role: "group", "aria-label": "Links" }, ...lanes.map((lane) => this.lane(lane, book, atRest, options))),
      s("g", { role: "group", "aria-label": "Tasks" }, ...boxes.map((box) => {
        const wait = options.waits.find((each) => each.task === box.task);
        return this.box(box, book.tasks.get(box.task), atRest, wait);
      })),
      boxes.length === 0 &&
        s("text", { class: "mtfw-muted", "text-anchor": "middle", x: width / 2, y: height / 2 }, "No tasks yet"),
    ));
    return moved;
  }

  /* Sets the selected task or link off from the rest, from the next drawing on. */
  select(key: string | null): void {
    this.selection = key;
  }

  /* Whether a link belongs to the selection; all do when nothing is selected. */
  lit(key: string): boolean {
    const picked = this.selection;
    return !picked || !(this.tracks.has(picked) || this.layout.boxes.some((box) => box.task === picked)) ||
      [key, ...key.split("|")].includes(picked);
  }

  /* What every task and link has, for the mouse and the keyboard. */
  private item(key: string, name: string, className: string): Record<string, unknown> {
    return {
      class: className, role: "button", tabindex: this.stops.includes(key) ? 0 : -1, "data-key": key,
      "aria-pressed": String(key === this.selection), "aria-label": name,
    };
  }

  /* Makes `key` the one that Tab comes to among its kind. */
  private rove(key: string | null): void {
    if (key === null) return;
    this.stops[this.tracks.has(key) ? 0 : 1] = key;
    for (const each of this.svg.querySelectorAll("[data-key]"))
      each.setAttribute("tabindex", this.stops.includes(each.getAttribute("data-key")!) ? "0" : "-1");
  }

  private focus(key: string | undefined): void {
    if (key) this.svg.querySelector<SVGGElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }

  private focusAt(index: number): void {
    const groups = [...(document.activeElement?.parentElement?.children ?? [])];
    (groups.at(index) as SVGGElement | undefined)?.focus();
  }

  /* Tasks: to the nearest box that way. Links: to the next or the one before. */
  private moveFocus(x: number, y: number): void {
    const key = keyOf(document.activeElement);
    const { boxes, lanes } = this.layout;
    const from = boxes.find((box) => box.task === key);
    if (from) return this.focus(neighbour(from, boxes, x, y)?.task);
    const keys = lanes.map((lane) => lane.key);
    if (key !== null) this.focus(keys[(keys.indexOf(key) + x + y + keys.length) % keys.length]);
  }

  private box(box: Box, task: TaskTraffic | undefined, atRest: boolean, wait?: Wait): SVGGElement {
    const short = box.width < SHORT_BELOW;
    const label = taskLabel(box.task);
    const text = (words: string, x: number, y: number, of: string, anchor = "start") =>
      s("text", { class: of, x, y, "text-anchor": anchor }, words);
    const amounts = task ? [task.in, task.out].map((of) => (atRest ? of : of.rate).bytes) : [];
    const words = atRest ? formatBytes : formatRate;
    const since = wait && sinceText(wait.seconds);
    // while nothing moves there is room to say why
    const quiet = wait && task && !box.compact && task.in.rate.bytes + task.out.rate.bytes < 1;
    let state = "";
    const narrow = box.width < SPARKS_ABOVE;
    const life = task ? lifeOf(task) : "";
    if (task?.alive === false) state = life === "dead" ? "✕ dead" : narrow ? "not yet" : life;
    else if (quiet) state = since!;
    else if (wait) state = `${/^computes/.test(wait.text) ? "busy" : narrow ? "" : wait.text.split(" ")[0]} ${since}`;
    else if (task && box.compact) state = (short ? shortBytes : words)(amounts[0]! + amounts[1]!);
    else if (task?.listed === false) state = "outside";
    else if (task?.restarts) state = narrow ? `↻ ${task.restarts}×` : `restarted ${task.restarts}×`;
    const kinds = {
      compact: box.compact, narrow, dead: life === "dead", absent: life === "not there yet", unlisted: !task?.listed, waiting: wait,
    };
    const name = `Task ${label}${task?.alive === false ? `, ${life}` : ""}${wait ? `, ${wait.text}` : ""}`;
    const parts: SVGElement[] = [];
    const middle = box.width / 2;
    if (box.compact) {
      parts.push(text(short ? shortLabel(box.task) : label, middle, box.height / 2 - 4, "mtft-name", "middle"));
      parts.push(text(state, middle, box.height / 2 + 13, "mtft-state", "middle"));
    } else {
      parts.push(text(label, 12, 22, "mtft-name"), text(state, box.width - (narrow ? 6 : 12), quiet ? 45 : 22, "mtft-state", "end"));
      if (quiet) {
        parts.push(text(/^(waits \w+|\w+)/.exec(wait.text)![0], 12, 45, "mtfw-muted"));
        parts.push(text(fitted(wait.what, box.width - 24), 12, 67, "mtft-wait-what"));
      } else if (task) {
        for (const [i, history] of [task.inHistory, task.outHistory].entries()) {
          const y = 45 + 22 * i;
          parts.push(text(i ? "out" : "in", 12, y, "mtfw-muted"), text(words(amounts[i]!), 36, y, "mtft-rate"));
          if (box.width > SPARKS_ABOVE) parts.push(s("path", {
            class: "mtft-spark", d: sparkPath(history, this.peak, 58, 14), transform: `translate(${box.width - 70} ${y - 12})`,
          }));
        }
      }
    }
    return s(
      "g",
      {
        ...this.item(box.task, name, classes("mtft-task", kinds)),
        transform: `translate(${box.x.toFixed(1)} ${box.y})`,
      },
      s("title", {}, wait ? `${waitText(wait)}, ${since}` : label),
      s("rect", { class: "mtft-box", width: box.width, height: box.height, rx: 8 }),
      ...parts,
    );
  }

  private lane({ key, curve }: Lane, book: RateBook, atRest: boolean, options: ShowOptions): SVGGElement {
    const link = book.links.get(key);
    const id = link && mainClass(link);
    const dead = key.split("|").some((end) => book.tasks.get(end)?.alive === false);
    const track = this.tracks.get(key)!;
    const d = curvePath(curve);
    const turned = ({ x, y, angle }: Point & { angle: number }) =>
      `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`;
    const kinds = {
      dead, filtered: id && options.hidden.includes(id), faint: !this.lit(key), unused: !link,
    };
    const color = dead || !id ? "var(--of-scope)" : classColor(id, options.dark);
    const label = linkLabel(key);
    const told = link
      ? `${formatRate(link.rate.bytes)}, ${formatCount(link.rate.messages)} messages/s; ${formatBytes(link.bytes)} in all`
      : "nothing yet";
    return s(
      "g",
      {
        ...this.item(key, `Link ${label.replace("→", "to")}`, classes("mtft-lane", kinds)),
        style: `--mtft-lane: ${color}`,
      },
      s("title", {}, `${label}: ${told}`),
      s("path", { class: "mtft-halo mtfw-screen-only", d, fill: "none" }),
      s("path", {
        class: "mtft-line", d, fill: "none",
        "stroke-width": laneWidth(link ? (atRest ? link : link.rate).bytes : 0).toFixed(2),
      }),
      !dead && s("path", { class: "mtft-arrow", d: "M0 0L-10 -6L-10 6Z", transform: turned(track.at(1)) }),
      id && options.still && link.rate.messages > 0 && // not in the middle, where lanes cross
        s("path", { class: "mtft-mark", d: shapePath(classStyle(id).shape, 6), transform: turned(track.at(0.35)) }),
      s("path", { class: "mtft-hit mtfw-screen-only", d, fill: "none" }),
    );
  }
}

function classes(name: string, kinds: Record<string, unknown>): string {
  return [name, ...Object.keys(kinds).filter((kind) => kinds[kind]).map((kind) => `mtft-${kind}`)].join(" ");
}

/* The box nearest to `from` in the direction (x, y), if there is one. */
export function neighbour(from: Box, boxes: readonly Box[], x: number, y: number): Box | undefined {
  const middle = (box: Box) => box.x + box.width / 2;
  const there = boxes.filter((box) => {
    if (y !== 0) return (box.y - from.y) * y > 0;
    return box.y === from.y && (middle(box) - middle(from)) * x > 0;
  });
  const distance = (box: Box) => 1e3 * Math.abs(box.y - from.y) + Math.abs(middle(box) - middle(from));
  return there.sort((a, b) => distance(a) - distance(b))[0];
}

function keyOf(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest?.("[data-key]")?.getAttribute("data-key") ?? null;
}

/* A name cut in the middle to so many pixels. */
function fitted(name: string, pixels: number): string {
  const most = Math.floor(pixels / 6.3);
  if (name.length <= most) return name;
  const half = (most - 1) / 2;
  return `${name.slice(0, Math.ceil(half))}…${name.slice(-Math.floor(half))}`;
}
