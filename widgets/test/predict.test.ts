import { expect, test } from "vitest";
import predict from "../src/predict/index";

function shown(traits: Record<string, unknown>) {
  const sent: [string, unknown][] = [];
  const listeners: Record<string, () => void> = {};
  const state: Record<string, unknown> = {
    question: "How often?", choices: [], unit: "", text: false, guess: "", answer: "", verdict: "", votes: [], ...traits,
  };
  const model = {
    get: (name: string) => state[name],
    set: (name: string, value: unknown) => {
      state[name] = value;
      sent.push([name, value]);
      listeners[`change:${name}`]?.();
    },
    save_changes() {},
    on: (event: string, listener: () => void) => (listeners[event] = listener),
    off() {},
    send() {},
  };
  const el = document.createElement("div");
  document.body.replaceChildren(el);
  predict.render({ model: model as never, el });
  return { el, sent, model };
}

test("a choice is kept, and marked when the answer is known", () => {
  const { el, sent, model } = shown({ choices: ["once", "<b>twice</b>"] });
  const [, second] = el.querySelectorAll<HTMLInputElement>("input");
  second.click();
  expect(sent).toEqual([["guess", "<b>twice</b>"]]);
  expect(el.querySelector("b")).toBeNull();
  model.set("answer", "once");
  model.set("verdict", "✗ The answer: once.");
  expect(el.querySelector(".mtfw-right")!.textContent).toBe("once");
  expect(el.querySelector(".mtfw-wrong")!.textContent).toBe("<b>twice</b>");
  expect(el.querySelector("[role=status]")!.textContent).toBe("✗ The answer: once.");
  expect([...el.querySelectorAll("input")].every((input) => input.disabled)).toBe(true);
});

test("a number is kept on Enter", () => {
  const { el, sent } = shown({ unit: "MB" });
  const input = el.querySelector<HTMLInputElement>("input")!;
  expect(input.getAttribute("aria-label")).toBe("Your guess in MB");
  input.value = " 12 ";
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  expect(sent).toEqual([["guess", "12"]]);
});

test("a number is kept when its field is left", () => {
  const { el, sent } = shown({});
  const input = el.querySelector<HTMLInputElement>("input")!;
  input.value = "7";
  input.dispatchEvent(new Event("change"));
  expect(sent).toEqual([["guess", "7"]]);
});

test("only a number is kept where one is asked for, and words where they are", () => {
  const asked = shown({});
  const type = (el: HTMLElement, value: string) => {
    const input = el.querySelector<HTMLInputElement>("input")!;
    input.value = value;
    input.dispatchEvent(new Event("change"));
  };
  type(asked.el, "twelve");
  expect(asked.sent).toEqual([]);
  expect(asked.el.querySelector("[role=status]")!.textContent).toContain("in digits");
  type(asked.el, "-.5");
  expect(asked.sent).toEqual([["guess", "-.5"]]);
  const words = shown({ text: true });
  type(words.el, "(2, 1)");
  expect(words.sent).toEqual([["guess", "(2, 1)"]]);
});
