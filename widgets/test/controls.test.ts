import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkbox, choice, field, iconButton, PlayBar, slider } from "../src/common/controls";

const type = (input: HTMLInputElement, value: string) => {
  input.value = value;
  input.dispatchEvent(new Event("input"));
};
const input = (control: { element: HTMLElement }) => control.element.querySelector("input")!;

describe("slider", () => {
  it("goes in steps and tells each value", () => {
    const told: number[] = [];
    const made = slider({ label: "n", low: 0, high: 1, step: 0.25, value: 0.5, onchange: (v) => told.push(v) });
    expect(input(made).max).toBe("4");
    expect(input(made).value).toBe("2");
    type(input(made), "3");
    expect(told).toEqual([0.75]);
    expect(made.element.querySelector("output")!.textContent).toBe("0.75");
    expect(input(made).getAttribute("aria-valuetext")).toBe("0.75");
  });

  it("goes by factors on a logarithmic scale, to both ends exactly", () => {
    const made = slider({ label: "rate", low: 0.001, high: 10, log: true, value: 0.1, onchange: () => {} });
    expect(input(made).value).toBe("50");
    for (const [place, value] of [["0", 0.001], ["75", 1], ["100", 10]] as const) {
      type(input(made), place);
      expect(made.value()).toBe(value);
    }
  });

  it("shows what comes from elsewhere and tells nothing", () => {
    const told = vi.fn();
    const made = slider({ label: "n", low: 0, high: 10, value: 1, onchange: told });
    made.set(3.14159);
    expect(made.value()).toBe(3.14159);
    expect(made.element.textContent).toBe("n3.14");
    expect(told).not.toHaveBeenCalled();
  });
});

describe("checkbox, choice, field", () => {
  it("tell their values", () => {
    const told: unknown[] = [];
    const onchange = (value: unknown) => told.push(value);
    const box = checkbox({ label: "log", value: false, onchange });
    input(box).checked = true;
    input(box).dispatchEvent(new Event("change"));
    const pick = choice<number | string>({ label: "m", value: 0.9, options: [[0, "none"], [0.9, "0.9"]], onchange });
    const select = pick.element.querySelector("select")!;
    expect(pick.value()).toBe(0.9);
    select.selectedIndex = 0;
    select.dispatchEvent(new Event("change"));
    const text = field({ label: "slice", value: "x[0]", onchange });
    type(input(text), "x[1:]");
    expect(told).toEqual([true, 0, "x[1:]"]);
    text.enable(false);
    expect(input(text).disabled).toBe(true);
  });

  it("leave names as text", () => {
    const made = choice({ label: "<b>x</b>", value: 0, options: [[0, "<i>y</i>"]], onchange: () => {} });
    expect(made.element.querySelector("b, i")).toBeNull();
  });
});

it("an icon button says what it does now", () => {
  const made = iconButton("play", "Play", () => {});
  made.show("pause", "Pause");
  expect(made.getAttribute("aria-label")).toBe("Pause");
});

describe("play bar", () => {
  const seen: number[] = [];
  const make = (length = 4, speed = 10) =>
    new PlayBar({ label: "run", length, speed, onmove: (at) => seen.push(at), signal: stop.signal });
  let stop: AbortController;
  beforeEach(() => {
    vi.useFakeTimers();
    seen.length = 0;
    stop = new AbortController();
  });
  afterEach(() => void vi.useRealTimers());

  it("plays to the end, stands there, and starts again", () => {
    const bar = make();
    const [, toggle] = bar.element.querySelectorAll("button");
    toggle!.click();
    expect(toggle!.getAttribute("aria-label")).toBe("Pause run");
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual([1, 2, 3]);
    expect(bar.playing).toBe(false);
    bar.play();
    expect(bar.position).toBe(0);
  });

  it("tells screen readers once a second while it plays, and where it stands", () => {
    const bar = new PlayBar({ label: "run", length: 200, speed: 50, onmove: () => {}, signal: stop.signal });
    const range = bar.element.querySelector("input")!;
    const told = [...bar.element.querySelectorAll("*")].flatMap((element) => ["setAttribute", "removeAttribute"].map(
      (name) => vi.spyOn(element, name as "setAttribute")));
    bar.play();
    told.forEach((spy) => spy.mockClear());
    vi.advanceTimersByTime(3000);
    expect(bar.position).toBe(150);
    expect(told.flatMap((spy) => spy.mock.calls).filter(([name]) => /aria|title/.test(name)).length).toBeLessThanOrEqual(3);
    bar.pause();
    expect(range.getAttribute("aria-valuetext")).toBe("151 of 200");
    expect(bar.element.querySelector("[aria-live], output, [role=status]")).toBeNull();
  });

  it("steps, scrubs and follows keys", () => {
    const bar = make();
    const [back, , forth] = bar.element.querySelectorAll("button");
    expect(back!.disabled).toBe(true);
    forth!.click();
    type(bar.element.querySelector("input")!, "3");
    expect(forth!.disabled).toBe(true);
    bar.keys.ArrowLeft!(new KeyboardEvent("keydown"));
    bar.keys.Home!(new KeyboardEvent("keydown"));
    expect(seen).toEqual([1, 3, 2, 0]);
  });

  it("keeps its place in a run that grows, and ends with the widget", () => {
    const bar = make();
    bar.step(2);
    bar.resize(9);
    expect(bar.element.querySelector(".mtfw-play-words")!.textContent).toBe("3 of 9");
    bar.play();
    stop.abort();
    vi.advanceTimersByTime(5000);
    expect(seen).toEqual([2]);
  });
});
