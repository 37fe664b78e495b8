/* What a filter answers at each place of a picture, and the colours of signed numbers. */

/* Filters to begin with, each [3][3]. */
export const FILTERS: Record<string, number[][]> = {
  "upper edge": [[1, 1, 1], [0, 0, 0], [-1, -1, -1]],
  "left edge": [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]],
  "mean of nine": [[0.111, 0.111, 0.111], [0.111, 0.111, 0.111], [0.111, 0.111, 0.111]],
  "as it is": [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
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
