import * as tf from '@tensorflow/tfjs';
import type { RgbImage } from '../image-check.ts';
import { type Box, detectFaces } from './detect-faces.ts';
import { findFaces } from './find-faces.ts';
import { boundsOf, headPose, type MeshPoint } from './head-pose.ts';
import { loadGraph } from './load-graph.ts';
import { fromSquare, type Square, sampleSquare } from './sample-image.ts';

/** Face found in an image. */
export type FaceMesh = {
  /** The 468 points of MediaPipe's face mesh in pixels of the image; z is smaller nearer to the camera. */
  points: readonly MeshPoint[];
  /** Confidence that the mesh lies on a face, 0 to 1. */
  score: number;
};

/** Pixels of a side of the network's input. */
const SIZE = 192;
/** Minimum confidence. Below it the mesh does not lie on a face, even if the detector found one. */
const MIN_SCORE = 0.5;
/** Maximum number of faces. Two are already too many. */
const MAX_FACES = 4;
/** Side of the square as a multiple of the larger side of its mesh, as in the network's training. */
const ENLARGED = 1.5;
/** The same for the input of the landmark network. */
const LANDMARK_ROOM = 1.1;

/**
 * Every face with its mesh, the largest first. Where BlazeFace finds none, the SSD detector is the second try, unless
 * `secondTry` is false.
 */
export async function findMeshes(image: RgbImage, { secondTry = true } = {}): Promise<FaceMesh[]> {
  const found = await findFaces(image);
  const meshes = await meshesIn(
    image,
    found.map(({ square }) => square),
  );
  if (meshes.length > 0 || !secondTry) return meshes;
  const others = await detectFaces(image);
  return meshesIn(
    image,
    others.map(({ box }) => squareOf(box, 0)),
  );
}

/** Square around the mesh of the face, with the eyes level, for the search of its landmarks. */
export function squareOfMesh(points: readonly MeshPoint[]): Square {
  return squareOf(boundsOf(points), rollOf(points), LANDMARK_ROOM);
}

async function meshesIn(image: RgbImage, squares: readonly Square[]): Promise<FaceMesh[]> {
  const meshes: FaceMesh[] = [];
  for (const square of squares.slice(0, MAX_FACES)) {
    const rough = await meshIn(image, square);
    // Again around the points themselves, since the detector's box is off by a few pixels from frame to frame.
    const mesh = rough.score >= MIN_SCORE ? await meshIn(image, squareAround(rough.points)) : rough;
    if (mesh.score >= MIN_SCORE) meshes.push(mesh);
  }
  return meshes;
}

async function meshIn(image: RgbImage, square: Square): Promise<FaceMesh> {
  const graph = await loadGraph('facemesh');
  const pixels = sampleSquare(image, square, SIZE, { scale: 1 / 255, shift: 0 });
  const { values, logit } = tf.tidy(() => {
    const outputs = [graph.execute(tf.tensor4d(pixels, [1, SIZE, SIZE, 3]))].flat() as tf.Tensor[];
    const ofSize = (size: number) => outputs.find((output) => output.size === size)!.dataSync();
    return { values: ofSize(468 * 3), logit: ofSize(1)[0]! };
  });
  const points = Array.from({ length: 468 }, (_, index): MeshPoint => {
    const [x, y, z] = values.subarray(index * 3, index * 3 + 3);
    return [...fromSquare(square, x! / SIZE, y! / SIZE), (z! * square.side) / SIZE];
  });
  return { points, score: logit };
}

function squareAround(points: readonly MeshPoint[]): Square {
  return squareOf(boundsOf(points), rollOf(points));
}

function squareOf({ x, y, width, height }: Box, angle: number, enlarged = ENLARGED): Square {
  return { x: x + width / 2, y: y + height / 2, side: enlarged * Math.max(width, height), angle };
}

function rollOf(points: readonly MeshPoint[]): number {
  return (headPose(points).roll * Math.PI) / 180;
}
