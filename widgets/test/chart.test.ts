import { beforeEach, describe, expect, it } from "vitest";
import { Chart, Scale } from "../src/common/chart";
import { formatValue, logTicks, ticks } from "../src/common/look";

describe("numbers", () => {
  it.each([
    [0, "0"], [0.1, "0.1"], [1 / 3, "0.333"], [12345, "12,345"], [-2.5, "−2.5"], [1.5e-5, "1.5e−5"],
    [2e7, "2e7"], [98765.4, "98,765"], [NaN, "NaN"], [-Infinity, "−∞"],
  ])("%d is %s", (value, text) => expect(formatValue(value)).toBe(text));

  it("ticks are round and few", () => {
    expect(ticks(0, 97)).toEqual([0, 20, 40, 60, 80]);
    expect(ticks(-0.3, 0.31)).toEqual([-0.2, 0, 0.2]);
    expect(ticks(3, 3)).toEqual([3]);
    expect(logTicks(0.001, 100)).toEqual([0.001, 0.01, 0.1, 1, 10, 100]);
    expect(logTicks(0.3, 6)).toEqual([0.5, 1, 2, 5]);
    expect(logTicks(1e-9, 1e3).length).toBeLessThan(7);
  });
});

describe("scale", () => {
  it("goes there and back", () => {
    const scale = new Scale([1, 100], 0, 200, true);
    expect(scale.at(10)).toBeCloseTo(100);
    expect(scale.back(100)).toBeCloseTo(10);
  });

  it.each([[[], false], [[5], false], [[0], true], [[NaN, Infinity], true]])("holds for %j", (values, log) => {
    const scale = new Scale(values, 0, 100, log);
    expect(scale.high).toBeGreaterThan(scale.low);
  });
});

describe("chart", () => {
  let chart: Chart;
  beforeEach(() => {
    chart = new Chart({ label: "Loss", x: "step", signal: new AbortController().signal });
  });
  const legend = () => [...chart.element.querySelectorAll(".mtfw-legend-item")].map((item) => item.textContent);
  const press = (key: string) =>
    chart.element
      .querySelector(".mtfw-chart-floor")!
      .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

  it("is there before the first value", () => {
    expect(chart.svg.getAttribute("aria-label")).toBe("Loss. No values yet.");
  });

  it("tells curves apart by colour, dash and mark, with the last values", () => {
    chart.show([
      { name: "train", xs: [0, 1, 2], ys: [3, 2, 1] },
      { name: "<b>test</b>", xs: [0, 2], ys: [3, 1.5] },
    ]);
    const lines = [...chart.svg.querySelectorAll(".mtfw-curve path[stroke]")];
    expect(new Set(lines.map((line) => line.getAttribute("stroke"))).size).toBe(2);
    expect(new Set(lines.map((line) => line.getAttribute("stroke-dasharray"))).size).toBe(2);
    expect(legend()).toEqual(["train 1", "<b>test</b> 1.5"]);
    expect(chart.element.querySelector("b b")).toBeNull();
    expect(chart.svg.getAttribute("aria-label")).toContain("train 1, <b>test</b> 1.5");
  });

  it("reads values off with the arrow keys, and says them", () => {
    chart.show([{ name: "a", xs: [0, 10, 20], ys: [5, 6, 7] }]);
    press("ArrowRight");
    press("ArrowRight");
    expect(legend()).toEqual(["a 6"]);
    expect(chart.element.querySelector("[role=status]")!.textContent).toBe("at step 10: a 6.");
    press("Escape");
    expect(legend()).toEqual(["a 7"]);
  });

  it("leaves a gap at what is not finite, and what a logarithmic axis cannot show", () => {
    chart.show([{ name: "a", xs: [0, 1, 2, 3, 4], ys: [1, NaN, 2, 0, 3] }], { logY: true });
    const path = chart.svg.querySelector(".mtfw-curve path[stroke]")!.getAttribute("d")!;
    expect(path.match(/M/g)).toHaveLength(3);
    expect(path).not.toMatch(/NaN|Infinity/);
  });

  it("draws no more points than a line has pixels", () => {
    const xs = Array.from({ length: 50_000 }, (_, i) => i);
    chart.show([{ name: "a", xs, ys: xs }]);
    const path = chart.svg.querySelector(".mtfw-curve path[stroke]")!.getAttribute("d")!;
    expect(path.match(/[ML]/g)!.length).toBeLessThan(2000);
    expect(chart.svg.querySelectorAll(".mtfw-curve path:not([stroke])")).toHaveLength(1);
  });
});
