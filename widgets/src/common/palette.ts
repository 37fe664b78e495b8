/* Okabe and Ito's colours, which people with any kind of colour vision can tell apart; each comes
 * with a dash and a marker, since colour alone must never carry the meaning. The Python side
 * (minitf_widgets/palette.py) has the same table for the static pictures. */

export interface Swatch {
  name: string;
  color: string;
  dash: string;
  marker: string;
}

export const GREY = "#8a8f98";

export const PALETTE: readonly Swatch[] = [
  { name: "sky blue", color: "#56b4e9", dash: "", marker: "●" },
  { name: "orange", color: "#e69f00", dash: "7 3", marker: "■" },
  { name: "bluish green", color: "#009e73", dash: "2 3", marker: "▲" },
  { name: "reddish purple", color: "#cc79a7", dash: "9 3 2 3", marker: "◆" },
  { name: "vermillion", color: "#d55e00", dash: "4 4", marker: "▼" },
  { name: "blue", color: "#0072b2", dash: "12 4", marker: "★" },
  { name: "yellow", color: "#f0e442", dash: "1 4", marker: "✚" },
];

/* The swatch of the n-th thing, around again after the last. */
export function swatch(index: number): Swatch {
  return PALETTE[index % PALETTE.length]!;
}

/* A colour of `rgb(...)` or `#rrggbb` form -> its relative luminance, 0 (black) to 1 (white). */
export function luminance(color: string): number {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(color);
  const rgb = /^rgba?\(([\d.]+)[ ,]+([\d.]+)[ ,]+([\d.]+)/.exec(color);
  const parts = hex
    ? hex.slice(1, 4).map((part) => parseInt(part, 16))
    : rgb
      ? rgb.slice(1, 4).map(Number)
      : [255, 255, 255];
  const [r, g, b] = parts.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
