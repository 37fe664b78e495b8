/*
 * Paints the messages under way on a canvas above the picture, and as SVG shapes for an export.
 */
import type { Track } from "./layout";
import { classStyle, type MessageClass, type Shape } from "./messages";
import { type Particle, progress } from "./time";

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
