/* TensorView: draws the items that Python places, and lights where a number of a result comes from.
 *
 * Pointing at such a number, or the arrow keys on the picture, choose it. */
import { h, listenKeys, s } from "../common/dom";
import { type Part, partOf } from "../common/export";
import { type Model, widget } from "../common/widget";
import { LivePage } from "../live/index";

interface Item {
  kind: string;
  x: number;
  y: number;
  w: number;
  h: number;
  text: string;
  id?: string;
  said?: string;
  from?: string[];
}

interface Scene {
  items: Item[];
  width: number;
  height: number;
  words: string;
  wrong: string;
}

const BOXES = new Set(["cell", "lit", "ghost", "bad", "frame"]);

class TensorPage extends LivePage {
  private scene: Scene = { items: [], width: 1, height: 1, words: "", wrong: "" };
  private readonly content = s("g");
  private readonly svg = s("svg", { class: "mtfx-svg", role: "img" }, this.content);
  private readonly told = h("div", { class: "mtfx-words", role: "status" });
  private drawn = new Map<string, SVGGElement>();
  private results: Item[] = [];
  private at = -1;

  constructor(model: Model, root: HTMLElement, signal: AbortSignal) {
    super(model, root, signal);
    const floor = h(
      "div",
      { class: "mtfx-floor", tabindex: 0, role: "group", "aria-label": "Tensor: arrow keys walk through the result" },
      this.svg,
    );
    this.stage.append(this.told, floor);
    const walk = (by: number) => () =>
      this.choose((this.at + by + this.results.length) % Math.max(1, this.results.length));
    listenKeys(floor, {
      ArrowRight: walk(1), ArrowDown: walk(1), ArrowLeft: walk(-1), ArrowUp: walk(-1), Escape: () => this.choose(-1),
    }, signal);
    this.svg.addEventListener("pointerover", (event) => {
      const id = (event.target as Element).closest("[data-id]")?.getAttribute("data-id");
      const found = this.results.findIndex((item) => item.id === id);
      if (found >= 0) this.choose(found);
    }, { signal });
    this.svg.addEventListener("pointerleave", () => this.choose(-1), { signal });
    floor.addEventListener("blur", () => this.choose(-1), { signal });
  }

  override parts(): Part[] {
    return [partOf(this.svg, this.content, this.scene.width, this.scene.height)];
  }

  protected override other(content: any): void {
    if (content.type !== "scene") return;
    this.scene = content;
    const { items, width, height, words } = this.scene;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.width = `${width}px`;
    this.svg.setAttribute("aria-label", words);
    this.drawn.clear();
    this.content.replaceChildren(...items.map((item) => this.draw(item)));
    this.results = items.filter((item) => item.from);
    this.choose(-1);
  }

  private draw(item: Item): SVGElement {
    const { kind, x, y, w, h: height, text } = item;
    const box = BOXES.has(kind);
    const middle = box || kind === "dots";
    const made = s(
      "g",
      { class: `mtfx-${kind}`, "data-id": item.id },
      box && s("rect", { x: x + 1, y: y + 1, width: w - 2, height: height - 2, rx: 3 }),
      text && s("text", middle ? { x: x + w / 2, y: y + height / 2 + 4, "text-anchor": "middle" } : { x, y: y + 12 }, text),
    );
    if (item.id) this.drawn.set(item.id, made);
    return made;
  }

  /* Lights a number of the result and what it comes from; none for -1. */
  private choose(at: number): void {
    for (const made of this.drawn.values()) made.classList.remove("mtfx-chosen", "mtfx-source");
    this.at = at;
    const item = this.results[at];
    const { words, wrong } = this.scene;
    this.told.classList.toggle("mtfx-wrong", Boolean(wrong));
    if (!item) {
      this.told.textContent = wrong || words;
      return;
    }
    this.drawn.get(item.id!)?.classList.add("mtfx-chosen");
    const sources = item.from!.map((id) => {
      this.drawn.get(id)?.classList.add("mtfx-source");
      return this.scene.items.find((each) => each.id === id)?.said ?? "one that is not drawn";
    });
    const few = sources.length > 6 ? [...sources.slice(0, 5), `${sources.length - 5} more`] : sources;
    this.told.textContent = `${item.said}, from ${few.join(", ")}`;
  }
}

export default widget("tensor", (model, root, signal) => void new TensorPage(model, root, signal));
