import { decodeUpright } from '../image-check.ts';
import type { DocumentPortrait } from '../readings.ts';
import { cropPortrait } from './crop-portrait.ts';
import { faceDescriptor } from './describe-face.ts';
import { locateFaces } from './locate-faces.ts';

/** Sufficient for a portrait with a tenth of a document's width. */
const MAX_SIDE = 1600;
/** Minimum width of a portrait for its descriptor, in pixels. */
const MIN_WIDTH = 40;

/** Portrait on a document: its largest face; null without a usable one. */
export async function describePortrait(jpeg: Uint8Array): Promise<DocumentPortrait | null> {
  const image = await decodeUpright(jpeg, MAX_SIDE);
  if (!image) return null;
  const [face] = await locateFaces(image, MIN_WIDTH);
  if (!face || face.box.width < MIN_WIDTH) return null;
  const descriptor = await faceDescriptor(image, face.square);
  return { descriptor, image: await cropPortrait(image, face.box) };
}
