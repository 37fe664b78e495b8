import { describe, expect, it, vi } from "vitest";
import { h, keyName, listenKeys, OWN_KEYS, renew, s } from "../src/common/dom";
import { plainColors } from "../src/common/export";
import { CURVES, lookOf, luminance, mixed, THINGS } from "../src/common/look";

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

describe("renew", () => {
  const item = (key: string, text: string, more = {}) => h("li", { "data-key": key, ...more }, h("b", {}, text));
  const list = (...items: Node[]) => h("ul", { class: "x" }, ...items);

  it("makes an element equal to another and keeps what it has", () => {
    const old = list(item("b", "two", { title: "gone" }), item("d", "four"), item("c", "three"));
    const kept = [...old.children];
    const made = () => h("ul", { id: "y" }, item("a", "one"), item("b", "2"), "text", item("c", "three"), h("i"));
    renew(old, made());
    expect(old.outerHTML).toBe(made().outerHTML);
    expect([old.children[1], old.children[2]]).toEqual([kept[0], kept[2]]);
    expect(old.contains(kept[1]!)).toBe(false);
    renew(old, list());
    expect(old.outerHTML).toBe(list().outerHTML);
  });

  it("keeps the focus where items come, go and change", () => {
    const old = list(item("a", "1", { tabindex: 0 }), item("b", "2", { tabindex: 0 }));
    document.body.append(old);
    (old.lastChild as HTMLElement).focus();
    renew(old, list(item("0", "new"), item("b", "changed", { tabindex: 0 })));
    expect((document.activeElement as HTMLElement).textContent).toBe("changed");
    old.remove();
  });
});

describe("keys", () => {
  it("are kept from JupyterLab by all that takes the focus", () => {
    const focused = [h("button"), h("input"), h("select"), h("summary"), h("div", { tabindex: 0 }), s("g", { tabindex: -1 })];
    expect(focused.map((each) => each.hasAttribute(OWN_KEYS))).toEqual(focused.map(() => true));
    expect(h("div").hasAttribute(OWN_KEYS)).toBe(false);
  });

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

describe("colours", () => {
  it("are those of the things, and of tasks", () => {
    expect(lookOf("ring")).toEqual(THINGS.get("ring"));
    expect(lookOf("worker 6")).toEqual(lookOf("member 0"));
    expect(lookOf("worker 0")).not.toEqual(lookOf("ps 0"));
    expect(lookOf("loss")).toBeUndefined();
    expect(new Set(CURVES.map((each) => each.dash + each.marker)).size).toBe(CURVES.length);
    expect(mixed("#ff0000", "#0000ff")).toBe("#cc0033");
  });

  it.each([
    ["#ffffff", 1],
    ["rgb(0, 0, 0)", 0],
    ["#56b4e9", 0.4],
  ])("the luminance of %s is %d", (color, value) => {
    expect(luminance(color)).toBeCloseTo(value, 1);
  });
});
