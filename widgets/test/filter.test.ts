import { expect, test } from "vitest";
import { answersOf, productsOf, signed } from "../src/filter/index";

const picture = [[0, 1, 0], [1, 1, 0], [0, 1, 1]];

test("each answer is the sum of its products", () => {
  const weights = [[1, 0], [0, -1]];
  expect(productsOf(picture, weights, 1, 1)).toEqual([[1, 0], [0, -1]]);
  expect(answersOf(picture, weights)).toEqual([[-1, 1], [0, 0]]);
});

test("white is 0, red above, blue below, and no more than full", () => {
  expect(signed(0, 2)).toBe("rgb(255 255 255)");
  expect(signed(2, 2)).toBe(signed(5, 2));
  expect(signed(-1, 2)).not.toBe(signed(1, 2));
});
