import { describe, expect, it } from "vitest";
import { bringIn, fit, Minimap, READABLE, seesAll, transformOf, zoomAt } from "../src/graph/camera";
import { box } from "./graph-scene";

const window = { width: 400, height: 300 };

describe("camera", () => {
  it("keeps the point under the pointer when it zooms", () => {
    expect(zoomAt({ x: 10, y: 20, k: 1 }, 2, 110, 120)).toEqual({ x: -90, y: -80, k: 2 });
  });

  it("does not zoom without end", () => {
    expect(zoomAt({ x: 0, y: 0, k: 4 }, 2, 50, 50)).toEqual({ x: 0, y: 0, k: 4 });
  });

  it.each([
    [{ width: 440, height: 200 }, { k: 400 / 440, x: 0, y: (300 - 200 * (400 / 440)) / 2 }],
    [{ width: 100, height: 100 }, { k: 1.15, x: 142.5, y: 92.5 }],
    [{ width: 4000, height: 4000 }, { k: READABLE, x: 0, y: 0 }], // from the left top corner
  ])("fits %o", (drawing, camera) => {
    expect(fit(drawing, window)).toEqual(camera);
  });

  it("moves just so far that a box is in view", () => {
    const camera = { x: 0, y: 0, k: 1 };
    expect(bringIn(camera, { x: 50, y: 50, width: 60, height: 30 }, window)).toEqual(camera);
    expect(bringIn(camera, { x: 390, y: 50, width: 60, height: 30 }, window)).toEqual({ x: -74, y: 0, k: 1 });
    expect(bringIn(camera, { x: 50, y: -90, width: 60, height: 30 }, window)).toEqual({ x: 0, y: 114, k: 1 });
  });

  it("knows whether all is in view", () => {
    expect(seesAll({ x: 0, y: 0, k: 0.5 }, { width: 800, height: 600 }, window)).toBe(true);
    expect(seesAll({ x: 0, y: 0, k: 0.6 }, { width: 800, height: 600 }, window)).toBe(false);
  });

  it("puts the map where it covers no box, and hides it where there is no such place", () => {
    const map = new Minimap(() => {}, new AbortController().signal);
    const shown = (...boxes: [number, number][]) => {
      map.show({ width: 900, height: 600, boxes: boxes.map(([x, y], k) => box(`b${k}`, x, y)) } as never);
      map.follow({ x: 0, y: 0, k: 1 }, window);
      const { display, transform } = map.element.style;
      return display || transform;
    };
    expect(shown([10, 10])).toBe("translate(240px, 190px)"); // below, at the right
    expect(shown([300, 250])).toBe("translate(10px, 190px)");
    expect(shown([10, 10])).toBe("translate(10px, 190px)"); // it stays
    expect(shown([300, 250], [60, 250], [300, 30], [20, 20])).toBe("none");
  });

  it("writes a transform", () => {
    expect(transformOf({ x: 1, y: 2.5, k: 0.5 })).toBe("translate(1.00 2.50) scale(0.5000)");
  });
});
