import type { RgbImage } from '../image-check.ts';
import { type Box, detectFaces } from './detect-faces.ts';
import { findMeshes, squareOfMesh } from './face-mesh.ts';
import { boundsOf } from './head-pose.ts';
import type { Square } from './sample-image.ts';

/** A face in an image, wherever it was found. */
export type LocatedFace = {
  box: Box;
  /** The square in which the landmarks are looked for. */
  square: Square;
  /** Which detector found it: BlazeFace, confirmed by the face mesh, or SSD. */
  detector: 'first' | 'second';
};

/**
 * Faces of an image, the largest first: those of BlazeFace whose mesh fits. If none of them is `minWidth` pixels wide,
 * those of the SSD detector, with or without a mesh that fits.
 */
export async function locateFaces(image: RgbImage, minWidth = 0): Promise<LocatedFace[]> {
  const meshes = await findMeshes(image, { secondTry: false });
  const faces = meshes.map(({ points }): LocatedFace => {
    return { box: boundsOf(points), square: squareOfMesh(points), detector: 'first' };
  });
  if (faces.some(({ box }) => box.width >= minWidth)) return faces;
  const found = await detectFaces(image);
  return found.map(({ box }) => ({ box, square: squareOfBox(box), detector: 'second' }));
}

function squareOfBox({ x, y, width, height }: Box): Square {
  return { x: x + width / 2, y: y + height / 2, side: Math.max(width, height), angle: 0 };
}
