/* A sparkline as the outline of an area, bottom left to bottom right. No DOM in this file. */
export function sparkPath(
  points: readonly number[],
  peak: number,
  width: number,
  height: number,
): string {
  const step = points.length > 1 ? width / (points.length - 1) : width;
  const round = (value: number) => Math.round(value * 10) / 10;
  const tops = points.map(
    (value, i) => `L${round(i * step)} ${round(height * (1 - Math.min(1, value / peak)))}`,
  );
  return `M0 ${height}${tops.join("")}L${width} ${height}Z`;
}
