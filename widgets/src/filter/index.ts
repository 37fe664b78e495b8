/* The response of a filter at each position of an image, and the colours of signed numbers. */
import { choice, PlayBar, toolbar } from "../common/controls";
import { h, listenKeys, s } from "../common/dom";
import { put, watch, widget } from "../common/widget";

/* Filters to begin with, each [3][3]. */
export const FILTERS: Record<string, number[][]> = {
  "upper edge": [[1, 1, 1], [0, 0, 0], [-1, -1, -1]],
  "left edge": [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]],
  "blur": [[0.111, 0.111, 0.111], [0.111, 0.111, 0.111], [0.111, 0.111, 0.111]],
  "identity": [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
  "spots": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
};

export function productsOf(picture: number[][], weights: number[][], row: number, column: number): number[][] {
  return weights.map((line, i) => line.map((weight, j) => weight * picture[row + i]![column + j]!));
}

export function answersOf(picture: number[][], weights: number[][]): number[][] {
  const size = weights.length;
  const [rows, columns] = [picture.length - size + 1, picture[0]!.length - size + 1];
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) =>
      productsOf(picture, weights, row, column).flat().reduce((sum, value) => sum + value, 0),
    ),
  );
}

/* White for 0, ever redder above and bluer below; `most` and beyond is the full colour. */
export function signed(value: number, most: number): string {
  const share = Math.min(1, Math.abs(value) / most);
  const [red, green, blue] = value > 0 ? [214, 96, 77] : [67, 147, 195];
  const part = (full: number) => Math.round(255 + (full! - 255) * share);
  return `rgb(${part(red!)} ${part(green!)} ${part(blue!)})`;
}

/* A filter that slides over an image: what lies below it, the products, the response so far.
 *
 *   picture [h][w], weights [k][k], place  (Python)  <->  play bar, nine number fields, clicks
 *
 * Everything is computed here, so that it moves without Python; `weights` and `place` go there.
 */

const CELL = 26;

interface Marks {
  format?: (value: number) => string;
  frame?: { row: number; column: number; size: number };
  onpick?: (row: number, column: number) => void;
}

/* A table of colours, with the numbers where there is a format. */
function table(
  values: (number | null)[][],
  colour: (value: number) => string,
  words: string,
  { format, frame, onpick }: Marks = {},
): SVGSVGElement {
  const [rows, columns] = [values.length, values[0]!.length];
  const size = format ? 40 : CELL;
  const made = s("svg", {
    class: "mtff-table", role: "img", "aria-label": words, width: columns * size + 4, height: rows * size + 4,
    viewBox: `-2 -2 ${columns * size + 4} ${rows * size + 4}`,
  });
  values.forEach((row, i) =>
    row.forEach((value, j) => {
      made.append(
        s("rect", {
          x: j * size, y: i * size, width: size, height: size,
          fill: value === null ? "none" : colour(value),
          onclick: onpick && (() => onpick(i, j)),
        }),
      );
      if (format && value !== null)
        made.append(
          s("text", { x: (j + 0.5) * size, y: (i + 0.5) * size + 4, "text-anchor": "middle" }, format(value)),
        );
    }),
  );
  made.append(s("rect", { class: "mtff-edge", width: columns * size, height: rows * size }));
  if (frame)
    made.append(
      s("rect", {
        class: "mtff-frame", x: frame.column * size, y: frame.row * size,
        width: frame.size * size, height: frame.size * size,
      }),
    );
  return made;
}

export default widget("filter", (model, root, signal) => {
  const picture: number[][] = model.get("picture");
  const stage = h("div", { class: "mtfw-flow mtff-stage" });
  const grid = h("div", { class: "mtff-weights", role: "group", "aria-label": "The filter's weights" });
  const heard = h("div", { class: "mtfw-hidden", role: "status" });
  const weights = (): number[][] => model.get("weights");
  const places = () => (picture.length - weights().length + 1) * (picture[0]!.length - weights().length + 1);

  const bar = new PlayBar({
    label: "position of the filter",
    length: places(),
    position: model.get("place"),
    speeds: [1, 2, 4, 8],
    speed: 4,
    describe: (place) => `place ${place + 1} of ${places()}`,
    onmove: (place) => put(model, "place", place),
    signal,
  });
  const names = Object.keys(FILTERS);
  const pick = choice<string>({
    label: "filter",
    value: "",
    options: [["", "your own"], ...names.map((name) => [name, name] as const)],
    onchange: (name) => name && put(model, "weights", FILTERS[name]),
  });
  root.append(toolbar("Filter", [bar.element], [pick.element]), stage, heard);
  listenKeys(stage, bar.keys, signal);

  function fields(): void {
    const shown = weights();
    const same = grid.children.length === shown.length ** 2;
    if (!same) {
      grid.style.gridTemplateColumns = `repeat(${shown.length}, 1fr)`;
      grid.replaceChildren(
        ...shown.flatMap((row, i) =>
          row.map((_, j) => {
            const input: HTMLInputElement = h("input", {
              class: "mtfw-input", inputmode: "decimal",
              "aria-label": `Weight in row ${i + 1}, column ${j + 1}`,
              oninput: () => {
                const value = Number(input.value);
                if (input.value.trim() === "" || !Number.isFinite(value)) return;
                put(model, "weights", weights().map((r, a) => r.map((w, b) => (a === i && b === j ? value : w))));
              },
            });
            return input;
          }),
        ),
      );
    }
    const most = Math.max(...shown.flat().map(Math.abs)) || 1;
    shown.flat().forEach((weight, place) => {
      const input = grid.children[place] as HTMLInputElement;
      if (document.activeElement !== input) input.value = String(Number(weight.toFixed(3)));
      input.style.background = signed(weight, most);
    });
    pick.set(names.find((name) => JSON.stringify(FILTERS[name]) === JSON.stringify(shown)) ?? "");
  }

  /* The grid of fields stays where it is, or it would lose the focus while one types. */
  const parts = ["picture", "weights", "products", "answers", "scale"].map((name) => {
    const [title, body] = [h("figcaption", { class: "mtfw-muted" }), name === "weights" ? grid : h("div")];
    stage.append(h("figure", {}, title, body));
    return { title, body };
  });

  function part(place: number, title: string, body?: Node): void {
    parts[place]!.title.textContent = title;
    if (body) parts[place]!.body.replaceChildren(body);
  }

  function draw(): void {
    const [filter, place] = [weights(), Math.min(model.get("place"), places() - 1)];
    const answers = answersOf(picture, filter);
    const columns = answers[0]!.length;
    const [row, column] = [Math.floor(place / columns), place % columns];
    const products = productsOf(picture, filter, row, column);
    const sum = answers[row]![column]!;
    const most = Math.max(...answers.flat().map(Math.abs)) || 1;
    const size = filter.length;
    const said = `row ${row + 1}, column ${column + 1}: the sum is ${sum.toFixed(2)}`;
    fields();
    const ink = (value: number) => `rgb(${Array(3).fill(Math.round(255 * (1 - value))).join(" ")})`;
    const seen = answers.map((line, i) => line.map((value, j) => (i * columns + j <= place ? value : null)));
    part(0, "the image", table(picture, ink, `The image; the filter is at ${said}`, {
      frame: { row, column, size },
      onpick: (i, j) => bar.go(Math.min(i, answers.length - 1) * columns + Math.min(j, columns - 1)),
    }));
    part(1, "the filter: type into it");
    part(2, `products: sum ${sum.toFixed(2)}`, table(products, (value) => signed(value, 1), `The products; ${said}`, {
      format: (value) => value.toFixed(2),
    }));
    part(3, "response so far", table(seen, (value) => signed(value, most), `The response; ${said}`, {
      frame: { row, column, size: 1 },
      onpick: (i, j) => bar.go(i * columns + j),
    }));
    part(4, "scale", table([1, 0.5, 0, -0.5, -1].map((share) => [share * most]), (value) => signed(value, most),
      `Colours from ${(-most).toFixed(1)}, blue, over 0, white, to ${most.toFixed(1)}, red`, { format: (value) => value.toFixed(1) }));
    if (!bar.playing) heard.textContent = said;
  }

  draw();
  watch(model, ["weights", "place"], () => {
    bar.resize(places(), model.get("place"));
    draw();
  }, signal);
});
