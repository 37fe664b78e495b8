/*
 * Paints the messages under way on a canvas above the picture, and as SVG shapes for an export.
 */
import { classStyle, type MessageClass, type Shape } from "./classes";
import type { Track } from "./layout";
import { progress, type Particle } from "./particles";

export interface Paint {
  now: number;
  dark: boolean;
  /* Whether a link is in the light; the others' messages are faint. */
  lit: (key: string) => boolean;
}

/* Seconds of its way that a message drags behind it as a tail. */
const TAIL = 0.09;

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

export class Painter {
  private readonly context: CanvasRenderingContext2D;
  private readonly shapes = new Map<string, Path2D>();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d") as CanvasRenderingContext2D;
  }

  /* Sets the size in CSS pixels; the canvas holds as many device pixels as the screen has. */
  resize(width: number, height: number): void {
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  clear(): void {
    this.context.save();
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.restore();
  }

  /* Paints all; tensors above the small control messages that travel along with them. */
  draw(particles: readonly Particle[], tracks: ReadonlyMap<string, Track>, paint: Paint): void {
    this.clear();
    const ground = paint.dark ? "#000000" : "#ffffff";
    const crowd = crowding(particles.length);
    const lesser = (p: Particle) => p.class === "control" || p.class === "other";
    const order = [...particles.filter(lesser), ...particles.filter((p) => !lesser(p))];
    for (const particle of order) {
      const track = tracks.get(particle.key);
      if (!track) continue;
      const share = progress(particle, paint.now);
      const { x, y, angle } = track.at(share);
      const color = classColor(particle.class, paint.dark);
      const lit = paint.lit(particle.key) ? 1 : 0.15;
      const context = this.context;
      const width = particle.radius * crowd;
      this.drawTail(particle, track, { x, y, width }, color, lit, paint.now);
      context.save();
      context.translate(x, y);
      context.rotate(angle);
      context.globalAlpha = lit;
      const { shape } = classStyle(particle.class);
      const path = this.shape(shape, particle.radius * crowd);
      if (shape === "ring") {
        context.strokeStyle = color;
        context.lineWidth = 2;
        context.stroke(path);
      } else {
        context.strokeStyle = ground;
        context.lineWidth = 2 * crowd;
        context.stroke(path);
        context.fillStyle = color;
        context.fill(path);
      }
      context.restore();
    }
  }

  private drawTail(
    particle: Particle,
    track: Track,
    head: { x: number; y: number; width: number },
    color: string,
    lit: number,
    now: number,
  ): void {
    const before = track.at(progress(particle, now - TAIL));
    const context = this.context;
    context.globalAlpha = 0.4 * lit;
    context.strokeStyle = color;
    context.lineWidth = head.width;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(before.x, before.y);
    context.lineTo(head.x, head.y);
    context.stroke();
    context.globalAlpha = 1;
  }

  private shape(shape: Shape, radius: number): Path2D {
    const r = Math.round(radius * 2) / 2;
    const name = `${shape} ${r}`;
    let path = this.shapes.get(name);
    if (!path) this.shapes.set(name, (path = new Path2D(shapePath(shape, r))));
    return path;
  }
}
