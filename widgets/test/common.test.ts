import { describe, expect, it, vi } from "vitest";
import { keyName, listenKeys } from "../src/common/dom";
import { plainColors } from "../src/common/export";
import { luminance, swatch } from "../src/common/look";

describe("plainColors", () => {
  it.each([
    ["color(srgb 1 0.5 0)", "rgb(255,128,0)"],
    ["color(srgb 0 0 1 / 0.5)", "rgba(0,0,255,0.5)"],
    ["rgb(1, 2, 3)", "rgb(1, 2, 3)"],
    ["none", "none"],
  ])("%s -> %s", (from, to) => {
    expect(plainColors(from)).toBe(to);
  });
});

describe("keys", () => {
  it.each([
    [{ key: "a" }, "a"],
    [{ key: " " }, "Space"],
    [{ key: "+", shiftKey: true }, "+"],
    [{ key: "Enter", shiftKey: true }, "Shift+Enter"],
    [{ key: "z", metaKey: true }, "Ctrl+z"],
  ])("%o is %s", (init, name) => {
    expect(keyName(new KeyboardEvent("keydown", init))).toBe(name);
  });

  it("takes only the keys of its table, and leaves text fields alone", () => {
    const root = document.createElement("div");
    const input = document.createElement("input");
    root.append(input);
    const plus = vi.fn();
    listenKeys(root, { "+": plus }, new AbortController().signal);
    const press = (target: HTMLElement, key: string) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(press(root, "+")).toBe(true);
    expect(press(root, "x")).toBe(false);
    expect(press(input, "+")).toBe(false);
    expect(plus).toHaveBeenCalledTimes(1);
  });
});

describe("palette", () => {
  it("goes round", () => {
    expect(swatch(7)).toBe(swatch(0));
  });

  it.each([
    ["#ffffff", 1],
    ["rgb(0, 0, 0)", 0],
    ["#56b4e9", 0.4],
  ])("the luminance of %s is %d", (color, value) => {
    expect(luminance(color)).toBeCloseTo(value, 1);
  });
});
