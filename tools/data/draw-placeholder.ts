import type { PlaceholderKind } from '@vouchgraph/vision/internals/placeholders';

/*
 * Drawings of the images that a simulated check has in place of photographs: a silhouette, and the two sides of a card.
 * They are labeled, so that they are not mistaken for a person or a document.
 */

/** The size of each image in pixels: a portrait of 4:5, and the card ID-1 at 300 dots an inch. */
export const PLACEHOLDER_SIZES: Readonly<Record<PlaceholderKind, { width: number; height: number }>> = {
  portrait: { width: 480, height: 600 },
  id_front: { width: 1012, height: 638 },
  id_back: { width: 1012, height: 638 },
};

/** The outline of the mark as SVG path data, with the given width. */
export type MarkOutline = (place: { center: number; baseline: number; width: number }) => string;

const INK = '#1f2937';
const SHADE = '#aab4c2';
const PAPER = '#eef1f5';

/** The drawing as SVG. The mark is an outline: the result needs no font. */
export function drawPlaceholder(kind: PlaceholderKind, outline: MarkOutline): string {
  const { width, height } = PLACEHOLDER_SIZES[kind];
  const content = { portrait: drawPortrait, id_front: drawFront, id_back: drawBack }[kind](outline);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<rect width="${width}" height="${height}" fill="${PAPER}"/>${content}</svg>`
  );
}

function drawPortrait(outline: MarkOutline): string {
  return (
    silhouette({ left: 60, top: 60, size: 360 }) +
    rectangle(0, 490, 480, 110, INK) +
    letters(outline({ center: 240, baseline: 567, width: 420 }))
  );
}

function drawFront(outline: MarkOutline): string {
  const lines = [200, 270, 340, 410].map((top, index) =>
    rectangle(420, top, [520, 430, 480, 300][index]!, 30, SHADE),
  );
  return (
    rectangle(0, 0, 1012, 120, INK) +
    letters(outline({ center: 506, baseline: 94, width: 520 })) +
    rectangle(60, 180, 300, 380, '#fff') +
    silhouette({ left: 75, top: 250, size: 270 }) +
    lines.join('')
  );
}

function drawBack(outline: MarkOutline): string {
  const lines = [300, 380, 460].map((top) => rectangle(60, top, 892, 40, SHADE));
  return (
    rectangle(0, 80, 1012, 120, INK) +
    letters(outline({ center: 506, baseline: 174, width: 520 })) +
    lines.join('')
  );
}

/** A head and shoulders inside a square. */
function silhouette({ left, top, size }: { left: number; top: number; size: number }): string {
  const at = (x: number, y: number) => `${left + x * size} ${top + y * size}`;
  return (
    `<g fill="${SHADE}"><ellipse cx="${left + size / 2}" cy="${top + size * 0.34}" rx="${size * 0.22}" ry="${size * 0.28}"/>` +
    `<path d="M${at(0.04, 1)}C${at(0.06, 0.76)} ${at(0.24, 0.68)} ${at(0.5, 0.68)}S${at(0.94, 0.76)} ${at(0.96, 1)}Z"/></g>`
  );
}

function rectangle(x: number, y: number, width: number, height: number, color: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${color}"/>`;
}

function letters(outline: string): string {
  return `<path fill="#fff" d="${outline}"/>`;
}
