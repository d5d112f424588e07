import { describe, expect, it } from 'vitest';
import {
  areaOf,
  aspectOf,
  CARD_ASPECT,
  canonicalAspect,
  marginOf,
  orderQuad,
  PASSPORT_ASPECT,
} from './quad-shape.ts';
import type { Point, Quad } from './raster.ts';

const WIDTH = 1600;
const HEIGHT = 1200;

/** A card with this aspect ratio, tilted before a camera with this focal length. */
function seen(aspect: number, lean: number, turn: number, focal = 1500): Quad {
  const corner = (x: number, y: number): Point => {
    const tilted = { x, y: y * Math.cos(lean), z: y * Math.sin(lean) };
    const across = tilted.x * Math.cos(turn) + tilted.z * Math.sin(turn);
    const depth = 3 - tilted.x * Math.sin(turn) + tilted.z * Math.cos(turn);
    return { x: WIDTH / 2 + (focal * across) / depth, y: HEIGHT / 2 + (focal * tilted.y) / depth };
  };
  const [w, h] = [aspect / 2, 0.5];
  return [corner(-w, -h), corner(w, -h), corner(w, h), corner(-w, h)];
}

describe('the shape of an outline', () => {
  it('starts at the top left and runs clockwise, for any order of corners', () => {
    const corners: Quad = [
      { x: 10, y: 10 },
      { x: 110, y: 12 },
      { x: 112, y: 70 },
      { x: 8, y: 72 },
    ];
    for (const order of [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
      [2, 3, 0, 1],
    ]) {
      expect(orderQuad(order.map((index) => corners[index]!))).toEqual(corners);
    }
  });

  it('has its long side horizontal for a portrait document', () => {
    const [a, b] = orderQuad([
      { x: 0, y: 0 },
      { x: 50, y: 0 },
      { x: 50, y: 80 },
      { x: 0, y: 80 },
    ]);
    expect(Math.abs(a.y - b.y)).toBe(80);
  });

  it('is determined despite perspective', () => {
    for (const aspect of [CARD_ASPECT, PASSPORT_ASPECT]) {
      for (const [lean, turn] of [
        [0, 0],
        [0.5, 0.35],
        [-0.45, 0.3],
      ] as const) {
        const found = aspectOf(seen(aspect, lean, turn), WIDTH, HEIGHT);
        expect(Math.abs(found / aspect - 1), `${aspect} at ${lean}, ${turn}`).toBeLessThan(0.09);
      }
    }
  });

  it('has the aspect ratio of the nearer of card and passport, or its own for other shapes', () => {
    expect(canonicalAspect(1.56)).toBe(CARD_ASPECT);
    expect(canonicalAspect(1.45)).toBe(PASSPORT_ASPECT);
    expect(canonicalAspect(2.2)).toBe(2.2);
  });

  it('has a margin of at most 0 when it is truncated', () => {
    const quad: Quad = [
      { x: 100, y: 60 },
      { x: 900, y: 60 },
      { x: 900, y: 500 },
      { x: 100, y: 500 },
    ];
    expect(marginOf(quad, 1600, 600)).toBeCloseTo(0.1);
    expect(marginOf(quad.map(({ x, y }) => ({ x: x - 120, y })) as unknown as Quad, 1600, 600)).toBeLessThan(
      0,
    );
    expect(areaOf(quad)).toBe(800 * 440);
  });
});
