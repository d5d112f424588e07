/*
 * The recognizer often omits the space between words of a Latin script. The paper between two letters shows it.
 */

/** Image of one line of text, with three bytes per pixel. */
export type LineImage = { pixels: Uint8Array; width: number; height: number };
/** Characters of a line, and the middle of each in pixels. */
export type PlacedText = { characters: readonly string[]; places: readonly number[] };

/** Minimum width of paper between words, as a share of the line's height. */
const WORD_GAP = 0.19;
/** Minimum distance of the middles of letters around a space, as a multiple of the median distance. */
const FAR_APART = 1.45;
/** Columns with less than this share of the line's median ink are paper. */
const FAINT = 0.35;

/** Positions without an added space: at existing spaces, and around punctuation within words. */
const NEVER_PARTED = /[ '’<]/;

/** Text with added spaces where the image shows them. */
export function withSpaces(text: PlacedText, image: LineImage): string {
  const { characters, places } = text;
  const distances = places.slice(1).map((place, index) => place - places[index]!);
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  const ink = columnInk(image);
  const sorted = ink.toSorted();
  const limit = FAINT * sorted[Math.floor(sorted.length * 0.8)]!;
  let out = characters[0] ?? '';
  for (const [index, distance] of distances.entries()) {
    const next = characters[index + 1]!;
    const isParted = NEVER_PARTED.test(characters[index]! + next);
    const isFar = distance >= FAR_APART * usual;
    const gap = isFar && !isParted ? widestPaper(ink, places[index]!, places[index + 1]!, limit) : 0;
    out += gap >= WORD_GAP * image.height ? ` ${next}` : next;
  }
  return out;
}

/** For each column the strongest contrast to the line's background. */
function columnInk({ pixels, width, height }: LineImage): Float32Array {
  const green = (x: number, y: number) => pixels[(y * width + x) * 3 + 1]!;
  const counts = new Uint32Array(256);
  const top = Math.round(height * 0.2);
  const bottom = Math.round(height * 0.85);
  for (let y = top; y < bottom; y += 1) for (let x = 0; x < width; x += 1) counts[green(x, y)]! += 1;
  let paper = 0;
  for (let level = 1; level < 256; level += 1) if (counts[level]! > counts[paper]!) paper = level;
  return Float32Array.from({ length: width }, (_, x) => {
    let most = 0;
    // Three pixels together, so that noise is not taken for ink.
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
