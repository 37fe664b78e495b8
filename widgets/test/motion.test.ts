import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlayBar } from "../src/common/controls";
import { LONG, moveTiles, Track, travel, valueTile } from "../src/common/motion";

/* Whether the reader asks for less movement. */
const reduce = (on: boolean) => vi.stubGlobal("matchMedia", () => ({ matches: on }));

beforeEach(() => {
  vi.useFakeTimers();
  reduce(false);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a track", () => {
  it("gives the point at any share of its length, and the direction there", () => {
    const straight = new Track("M0 0C0 30 0 60 0 90");
    expect(straight.length).toBeCloseTo(90, 9);
    expect(straight.at(0.5).y).toBeCloseTo(45, 9);
    expect(straight.at(0.5).angle).toBeCloseTo(Math.PI / 2, 9);
    expect(straight.at(-1)).toMatchObject({ x: 0, y: 0 });
    expect(straight.at(2)).toMatchObject({ x: 0, y: 90 });
    expect(straight.at(0).angle).toBeCloseTo(Math.PI / 2, 9);
  });

  it("knows the lines and curves that widgets draw, one after another", () => {
    expect(new Track("M10 20V40").at(0.25)).toMatchObject({ x: 10, y: 25 });
    expect(new Track("M0 0L30 40").length).toBe(50);
    expect(new Track("M0 0Q50 100 100 0").at(0.5)).toMatchObject({ x: 50, y: 50 });
    const legs = new Track("M0 0V100.5M0 100.5L1e2 100.5");
    expect(legs.length).toBeCloseTo(200.5, 9);
    expect(legs.at(1)).toMatchObject({ x: 100, y: 100.5 });
  });
});

describe("a tile", () => {
  it("carries its value as a text, where there is room", () => {
    const body = valueTile("<b>3</b>", "mtfr-adds");
    expect(body.textContent).toBe("<b>3</b>");
    expect(body.classList.contains("mtfr-adds")).toBe(true);
    const narrow = valueTile("12345", "", 20);
    expect(narrow.textContent).toBe("");
    expect(narrow.querySelector("rect")!.getAttribute("width")).toBe("20");
  });

  it("is halfway at half of the time, and slow at both ends", () => {
    const tiles = [{ body: valueTile("3", ""), way: new Track("M0 0L100 0") }];
    const x = (share: number) => {
      moveTiles(tiles, share);
      return Number(/translate\((\S+) /.exec(tiles[0]!.body.getAttribute("transform")!)![1]);
    };
    expect([x(0), x(0.5), x(1)]).toEqual([0, 50, 100]);
    expect(x(0.1)).toBeLessThan(5);
    expect(x(0.9)).toBeGreaterThan(95);
  });
});

describe("a move", () => {
  it("takes 600 ms, on and back, and can be stopped", () => {
    const seen: number[] = [];
    travel(2, 3, (at) => seen.push(at));
    vi.advanceTimersByTime(LONG / 2);
    expect(seen.at(-1)).toBeGreaterThan(2.4);
    expect(seen.at(-1)).toBeLessThan(2.6);
    vi.advanceTimersByTime(LONG);
    expect(seen.at(-1)).toBe(3);
    expect(seen.length).toBeGreaterThan(20);
    const stop = travel(3, 2, (at) => seen.push(at));
    vi.advanceTimersByTime(LONG / 2);
    stop();
    vi.advanceTimersByTime(LONG);
    expect(Math.abs(seen.at(-1)! - 2.5)).toBeLessThan(0.1);
  });

  it("is one step where less movement is asked for, or hardly any time is left", () => {
    const seen: number[] = [];
    travel(0, 1, (at) => seen.push(at), 50);
    reduce(true);
    travel(1, 2, (at) => seen.push(at));
    vi.advanceTimersByTime(LONG);
    expect(seen).toEqual([1, 2]);
  });
});

describe("a play bar whose steps travel", () => {
  function made() {
    const [drawn, told]: [number[], number[]] = [[], []];
    const body = valueTile("3", "");
    const way = new Track("M0 0L100 0");
    const bar = new PlayBar({
      label: "it", length: 4, speeds: [1], signal: new AbortController().signal, onmove: (at) => told.push(at),
      draw: (at) => (drawn.push(at), Number.isInteger(at) ? [] : [{ body, way }]),
    });
    const range = bar.element.querySelector<HTMLInputElement>("input")!;
    const scrub = (value: string) => {
      range.value = value;
      range.dispatchEvent(new Event("input"));
    };
    return { bar, drawn, told, range, scrub, place: () => body.getAttribute("transform") };
  }

  it("tells the position at once, and then goes there", () => {
    const { bar, told, range } = made();
    bar.step(1);
    expect([bar.position, ...told, bar.at]).toEqual([1, 1, 0]);
    vi.advanceTimersByTime(LONG / 2);
    expect(Math.abs(Number(range.value) - 0.5)).toBeLessThan(0.1);
    vi.advanceTimersByTime(LONG);
    expect([bar.at, range.value]).toEqual([1, "1"]);
    bar.step(-1);
    vi.advanceTimersByTime(LONG / 2);
    expect(bar.position).toBe(0);
    expect(Math.abs(bar.at - 0.5)).toBeLessThan(0.1);
  });

  it("draws a moment anew for another step, and else moves the tiles alone", () => {
    const { bar, drawn, place } = made();
    bar.step(1);
    vi.advanceTimersByTime(2 * LONG);
    expect(drawn).toHaveLength(3); // as it begins, on the way, and at the end
    expect([drawn[0], drawn[2]]).toEqual([0, 1]);
    expect(Number(/\((\S+) /.exec(place()!)![1])).toBeGreaterThan(95);
  });

  it("is scrubbed: the tiles follow the slider on and back", () => {
    const { bar, told, scrub, place } = made();
    scrub("1.5");
    expect([bar.position, bar.at, place()]).toEqual([2, 1.5, "translate(50.0 0.0)"]);
    scrub("1.9");
    const far = Number(/\((\S+) /.exec(place()!)![1]);
    scrub("1.1");
    expect(Number(/\((\S+) /.exec(place()!)![1])).toBeCloseTo(100 - far, 0);
    scrub("1");
    expect(told).toEqual([2, 1]);
  });

  it("takes its keys on the slider, too", () => {
    reduce(true);
    const { bar, range } = made();
    for (const key of ["ArrowRight", "ArrowUp", "ArrowDown"])
      range.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    expect([bar.position, bar.at, range.step]).toEqual([1, 1, "1"]);
  });

  it("goes on from where it stands when it is hurried", () => {
    const { bar, told } = made();
    bar.step(1);
    vi.advanceTimersByTime(100);
    bar.step(1);
    expect([bar.position, bar.at, ...told]).toEqual([2, 1, 1, 2]);
    bar.resize(4, 0);
    vi.advanceTimersByTime(LONG);
    expect(bar.at).toBe(0);
  });
});
