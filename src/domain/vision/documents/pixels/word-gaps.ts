/*
 * The recogniser often leaves out the space between words of a Latin script. The paper between two letters shows it.
 */

/** One line of text as a picture, three bytes a pixel. */
export type LinePicture = { pixels: Uint8Array; width: number; height: number };
/** Characters of a line, and where the middle of each is, in pixels. */
export type PlacedText = { characters: readonly string[]; places: readonly number[] };

/** Paper at least this wide, as a part of the line's height, lies between words. */
const WORD_GAP = 0.19;
/** Middles of letters with a space between them are this many times as far apart as the usual ones. */
const FAR_APART = 1.45;
/** Columns with less than this part of the line's usual ink are paper. */
const FAINT = 0.35;

/** Where a space stands already, and around what words hold within them. */
const NEVER_PARTED = /[ '’<]/;

/** The text with a space wherever the picture shows one. */
export function withSpaces(text: PlacedText, picture: LinePicture): string {
  const { characters, places } = text;
  const distances = places.slice(1).map((place, index) => place - places[index]!);
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  const ink = columnInk(picture);
  const sorted = ink.toSorted();
  const limit = FAINT * sorted[Math.floor(sorted.length * 0.8)]!;
  let out = characters[0] ?? '';
  for (const [index, distance] of distances.entries()) {
    const next = characters[index + 1]!;
    const isParted = NEVER_PARTED.test(characters[index]! + next);
    const isFar = distance >= FAR_APART * usual;
    const gap = isFar && !isParted ? widestPaper(ink, places[index]!, places[index + 1]!, limit) : 0;
    out += gap >= WORD_GAP * picture.height ? ` ${next}` : next;
  }
  return out;
}

/** For each column the strongest contrast to the line's background. */
function columnInk({ pixels, width, height }: LinePicture): Float32Array {
  const green = (x: number, y: number) => pixels[(y * width + x) * 3 + 1]!;
  const counts = new Uint32Array(256);
  const top = Math.round(height * 0.2);
  const bottom = Math.round(height * 0.85);
  for (let y = top; y < bottom; y += 1) for (let x = 0; x < width; x += 1) counts[green(x, y)]! += 1;
  let paper = 0;
  for (let level = 1; level < 256; level += 1) if (counts[level]! > counts[paper]!) paper = level;
  return Float32Array.from({ length: width }, (_, x) => {
    let most = 0;
    // Three pixels at once, so that a grain of noise is no ink.
    for (let y = top; y < bottom - 2; y += 1) {
      const mean = (green(x, y) + green(x, y + 1) + green(x, y + 2)) / 3;
      most = Math.max(most, Math.abs(mean - paper));
    }
    return most;
  });
}

function widestPaper(ink: Float32Array, from: number, to: number, limit: number): number {
  let widest = 0;
  let run = 0;
  for (let x = Math.max(0, Math.round(from)); x <= Math.min(ink.length - 1, Math.round(to)); x += 1) {
    run = ink[x]! < limit ? run + 1 : 0;
    widest = Math.max(widest, run);
  }
  return widest;
}
