import { describe, expect, it, vi } from "vitest";
import { OfflineModel, type Answers } from "../src/site/offline";

const PICTURES = [
  [[], "closed"],
  [["a"], "a open"],
  [["b"], "b open"],
  [["a", "a/x"], "a and x open"],
] as const;

/* A widget with scopes to open, boxes to select, a search, and a message. */
function made(): { model: OfflineModel; refused: string[] } {
  const pool: string[] = [];
  const put = (value: unknown) => pool.push(JSON.stringify(value)) - 1;
  const answers: Answers = {
    pool,
    tables: [
      { inputs: ["open"], outputs: ["scene"],
        rows: PICTURES.map(([open, scene]) => ({ inputs: [put(open)], outputs: [put(scene)] })) },
      { inputs: ["selected"], outputs: ["details"], rows: [
        { inputs: [put("b")], outputs: [put("about b")] },
        { inputs: [put("a/x")], outputs: [put("about x")], adds: { open: ["a", "a/x"] } },
      ] },
      { inputs: ["guess"], outputs: ["verdict"], rows: [
        { inputs: [put("4")], outputs: [put("right")] },
        { inputs: [put({ any: true })], outputs: [put("it is 4")] },
      ] },
    ],
    said: { '{"do":"all"}': { traits: { scene: put("all") }, replies: put(["hi"]) } },
    search: { query: "query", answer: "matches",
      index: [["grad/relu", "ReluGrad", "relu", 1], ["net/relu", "Relu", "relu", 0], ["net", "scope", "net", 0]] },
    asks: ["run"],
  };
  const refused: string[] = [];
  const state = { open: [], scene: "closed", selected: "", details: "", guess: "", verdict: "", query: "", matches: {}, run: 0, page: 1 };
  return { model: new OfflineModel(state, answers, (why) => refused.push(why)), refused };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
async function put(model: OfflineModel, name: string, value: unknown): Promise<void> {
  model.set(name, value);
  model.save_changes();
  await settle();
}

describe("a widget without Python", () => {
  it("gives the answer that was tried, and tells the view", async () => {
    const { model, refused } = made();
    const heard = vi.fn();
    model.on("change:scene", heard);
    await put(model, "open", ["a"]);
    expect(model.get("scene")).toBe("a open");
    expect(heard).toHaveBeenCalledOnce();
    expect(refused).toEqual([]);
  });

  it("takes the nearest that agrees in what was changed, and says so", async () => {
    const { model, refused } = made();
    await put(model, "open", ["a"]);
    await put(model, "open", ["a", "b"]);
    expect([model.get("scene"), model.get("open")]).toEqual(["b open", ["b"]]);
    expect(refused[0]).toContain("others were closed");
  });

  it("puts back what was never tried", async () => {
    const { model, refused } = made();
    await put(model, "selected", "c");
    expect(model.get("selected")).toBe("");
    await put(model, "run", 1);
    expect(model.get("run")).toBe(0);
    expect(refused).toHaveLength(2);
  });

  it("leaves the page's own traits alone", async () => {
    const { model, refused } = made();
    await put(model, "page", 7);
    expect([model.get("page"), refused]).toEqual([7, []]);
  });

  it("opens the way to what is selected", async () => {
    const { model } = made();
    await put(model, "selected", "a/x");
    expect([model.get("details"), model.get("scene")]).toEqual(["about x", "a and x open"]);
  });

  it("knows an answer to any other choice", async () => {
    const { model } = made();
    await put(model, "guess", "9");
    expect([model.get("guess"), model.get("verdict")]).toEqual(["9", "it is 4"]);
    await put(model, "guess", "4");
    expect(model.get("verdict")).toBe("right");
  });

  it("searches as Python does: the name itself first, what stands aside last", async () => {
    const { model } = made();
    await put(model, "query", "relu");
    expect(model.get("matches")).toEqual({
      query: "relu",
      found: [{ id: "net/relu", op: "Relu" }, { id: "grad/relu", op: "ReluGrad" }],
    });
    await put(model, "query", "");
    expect(model.get("matches").found).toEqual([]);
  });

  it("answers messages that were tried", async () => {
    const { model, refused } = made();
    const heard = vi.fn();
    model.on("msg:custom", heard);
    model.send({ do: "all" });
    await settle();
    expect(model.get("scene")).toBe("all");
    expect(heard.mock.calls[0]![0]).toBe("hi");
    model.send({ do: "train" });
    expect(refused).toHaveLength(1);
  });
});
