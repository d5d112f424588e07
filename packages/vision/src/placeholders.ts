/** Images that a simulated check has in place of photographs. */
export type PlaceholderKind = 'portrait' | 'id_front' | 'id_back';

/** The JPEG file of an image, drawn by `npm run build:placeholders`. */
export function placeholderFile(kind: PlaceholderKind): URL {
  return new URL(`../data/placeholders/${kind}.jpg`, import.meta.url);
}
