import { describe, expect, it } from "vitest";
import { bringIn, fit, seesAll, transformOf, zoomAt } from "../src/graph/camera";

const window = { width: 400, height: 300 };

describe("camera", () => {
  it("keeps the point under the pointer when it zooms", () => {
    expect(zoomAt({ x: 10, y: 20, k: 1 }, 2, 110, 120)).toEqual({ x: -90, y: -80, k: 2 });
  });

  it("does not zoom without end", () => {
    expect(zoomAt({ x: 0, y: 0, k: 4 }, 2, 50, 50)).toEqual({ x: 0, y: 0, k: 4 });
  });

  it.each([
    [{ width: 800, height: 300 }, { k: 0.5, x: 0, y: 75 }],
    [{ width: 100, height: 100 }, { k: 1.15, x: 142.5, y: 92.5 }],
    [{ width: 4000, height: 4000 }, { k: 0.5, x: 0, y: 0 }], // from the left top corner
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

  it("writes a transform", () => {
    expect(transformOf({ x: 1, y: 2.5, k: 0.5 })).toBe("translate(1.00 2.50) scale(0.5000)");
  });
});
