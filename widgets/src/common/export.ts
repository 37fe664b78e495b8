/* Saves what a widget shows as an SVG or PNG file, without a kernel or a network. */
import { button, s } from "./dom";

/* Class of what a saved picture has and the screen has not; hidden by theme.css. */
const EXPORT_ONLY = ".mtfw-export-only, .mtfw-export-only *";

const PROPERTIES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight",
  "font-style", "letter-spacing", "text-anchor", "dominant-baseline", "paint-order", "visibility",
  "display", "color",
];

/* Colours as browsers compute mixed ones -> as every SVG viewer reads them:
 * "color(srgb 1 0.5 0)" -> "rgb(255,128,0)". */
export function plainColors(value: string): string {
  return value.replace(
    /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g,
    (_, r: string, g: string, b: string, a?: string) => {
      const parts = [r, g, b].map((part) => Math.round(Number(part) * 255)).join(",");
      return a === undefined ? `rgb(${parts})` : `rgba(${parts},${a})`;
    },
  );
}

/* The ground of the widget around an element. */
const groundOf = (element: Element): string => getComputedStyle(element.closest(".mtfw") ?? element).backgroundColor;

/* A picture of `svg` that stands alone: styles written into the elements, own size and ground.
 *
 * `box` is the part to show, in the units of `content`, the group that holds the drawing and whose
 * zoom is left out. Elements of class "mtfw-screen-only" are left out too, and those of class
 * "mtfw-export-only" are there only in the result.
 */
export function standalone(
  svg: SVGSVGElement,
  content: SVGGElement,
  box: { x: number; y: number; width: number; height: number },
): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [...svg.querySelectorAll("*")];
  const to = [...copy.querySelectorAll("*")];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    const twin = to[index]!;
    for (const property of PROPERTIES) {
      const value = style.getPropertyValue(property);
      if (value) twin.setAttribute(property, plainColors(value.replace(/"/g, "'")));
    }
    for (const name of ["style", "tabindex", "data-lm-suppress-shortcuts"]) twin.removeAttribute(name);
    if (element.matches(EXPORT_ONLY)) twin.removeAttribute("display");
  });
  to[from.indexOf(content)]!.removeAttribute("transform");
  copy.querySelectorAll(".mtfw-screen-only, style").forEach((element) => element.remove());
  copy.querySelectorAll("[class]").forEach((element) => element.removeAttribute("class"));
  for (const name of [...copy.getAttributeNames()]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", [box.x, box.y, box.width, box.height].join(" "));
  copy.setAttribute("width", String(Math.ceil(box.width)));
  copy.setAttribute("height", String(Math.ceil(box.height)));
  copy.prepend(s("rect", { ...box, fill: groundOf(svg) }));
  return new XMLSerializer().serializeToString(copy);
}

/* A part of a picture: the text of an SVG element, and its size. */
export interface Part {
  text: string;
  width: number;
  height: number;
}

/* A drawing as a part, as `standalone` makes it. */
export function partOf(svg: SVGSVGElement, content: SVGGElement, width: number, height: number): Part {
  return { text: standalone(svg, content, { x: 0, y: 0, width, height }), width, height };
}

/* Parts below each other as one SVG document, on the ground of `root`. */
export function stacked(parts: readonly Part[], root: Element): string {
  const gap = 12;
  const width = Math.ceil(Math.max(1, ...parts.map((part) => part.width)) + 2 * gap);
  let y = gap;
  const inner = parts.map(({ text, height }) => {
    const made = `<g transform="translate(${gap} ${y})">${text}</g>`;
    y += height + gap;
    return made;
  });
  const size = `width="${width}" height="${Math.ceil(y)}" viewBox="0 0 ${width} ${Math.ceil(y)}"`;
  const ground = `<rect width="100%" height="100%" fill="${plainColors(groundOf(root))}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${ground}${inner.join("")}</svg>`;
}

/* Offers `blob` to the reader as a file. */
export function download(blob: Blob, filename: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* The buttons that save the `what` which `picture` gives as the text of an SVG document. */
export function saveButtons(file: string, picture: () => string, what = "picture"): HTMLButtonElement[] {
  const svg = () => download(new Blob([picture()], { type: "image/svg+xml" }), `${file}.svg`);
  return [
    button("SVG", `Save the ${what} as SVG`, svg),
    button("PNG", `Save the ${what} as PNG`, () => void savePNG(picture(), `${file}.png`)),
  ];
}

/* Draws the SVG text on a canvas, `scale` pixels a unit (less where the canvas would be too big). */
async function savePNG(text: string, filename: string, scale = 2): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const fit = Math.min(scale, 8000 / image.width, 8000 / image.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * fit);
  canvas.height = Math.ceil(image.height * fit);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) download(blob, filename);
}
