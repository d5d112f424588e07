import type { Mat, MatVector } from '@techstark/opencv-js';
import { type EdgeMap, edgeMap, edgeSupport } from './edge-support.ts';
import { refineQuad } from './fit-sides.ts';
import { cv, scoped } from './opencv.ts';
import { areaOf, CARD_ASPECT, orderQuad, PASSPORT_ASPECT, sidesOf } from './quad-shape.ts';
import type { Point, Quad, Raster } from './raster.ts';

/** Longer side of the image in which the outline is detected, in pixels. */
const SEARCH_SIDE = 800;
/** Minimum share of the image. A smaller document cannot be read. */
const MIN_PART = 0.08;
/** Minimum share of its quadrilateral that a card fills. Its round corners take less than a hundredth. */
const FILLED = 0.92;

type Candidate = { quad: Quad; score: number };

/** Corners of the document in pixels of the image; null without a document. */
export function findOutline(image: Raster): Quad | null {
  return scoped((keep) => {
    const scale = Math.min(1, SEARCH_SIDE / Math.max(image.width, image.height));
    const full = keep(cv.matFromArray(image.height, image.width, cv.CV_8UC3, image.data as never));
    const small = keep(new cv.Mat());
    const size = new cv.Size(Math.round(image.width * scale), Math.round(image.height * scale));
    cv.resize(full, small, size, 0, 0, cv.INTER_AREA);
    const lab = keep(new cv.Mat());
    cv.cvtColor(small, lab, cv.COLOR_RGB2Lab);
    const channels = keep(new cv.MatVector());
    cv.split(lab, channels);
    const soft = keep(new cv.Mat());
    cv.GaussianBlur(lab, soft, new cv.Size(5, 5), 0);
    const edges = edgeMap({ data: soft.data, width: soft.cols, height: soft.rows, channels: 3 });
    let best: Candidate | null = null;
    for (let channel = 0; channel < 3; channel += 1) {
      const plane = keep(channels.get(channel));
      for (const candidate of candidatesOf(plane, edges))
        if (!best || candidate.score > best.score) best = candidate;
    }
    if (!best) return null;
    return best.quad.map(({ x, y }) => ({ x: x / scale, y: y / scale })) as unknown as Quad;
  });
}

function candidatesOf(plane: Mat, edges: EdgeMap): Candidate[] {
  return scoped((keep) => {
    const soft = keep(new cv.Mat());
    cv.GaussianBlur(plane, soft, new cv.Size(5, 5), 0);
    const mask = keep(new cv.Mat());
    const limit = cv.threshold(soft, mask, 0, 255, cv.THRESH_BINARY + cv.THRESH_OTSU);
    const found = quadsOf(mask, cv.RETR_LIST, edges);
    cv.bitwise_not(mask, mask);
    found.push(...quadsOf(mask, cv.RETR_LIST, edges));
    cv.Canny(soft, mask, limit * 0.25, limit * 0.6);
    const kernel = keep(cv.Mat.ones(3, 3, cv.CV_8U));
    cv.dilate(mask, mask, kernel);
    found.push(...quadsOf(mask, cv.RETR_EXTERNAL, edges));
    return found;
  });
}

function quadsOf(mask: Mat, mode: number, edges: EdgeMap): Candidate[] {
  return scoped((keep) => {
    const contours: MatVector = keep(new cv.MatVector());
    const hierarchy = keep(new cv.Mat());
    cv.findContours(mask, contours, hierarchy, mode, cv.CHAIN_APPROX_NONE);
    const found: Candidate[] = [];
    for (let index = 0; index < contours.size(); index += 1) {
      const contour = contours.get(index);
      const candidate = candidateOf(contour, edges);
      contour.delete();
      if (candidate) found.push(candidate);
    }
    return found;
  });
}

function candidateOf(contour: Mat, edges: EdgeMap): Candidate | null {
  if (contour.rows < 100) return null;
  const { width, height } = edges;
  return scoped((keep) => {
    const hull = keep(new cv.Mat());
    cv.convexHull(contour, hull);
    const area = cv.contourArea(hull);
    if (area < MIN_PART * width * height || touchedSides(hull, width, height) >= 3) return null;
    const rough = fourCorners(hull);
    if (!rough) return null;
    const quad = refineQuad(orderQuad(rough), pointsOf(contour));
    const filled = area / areaOf(quad);
    if (!(filled > FILLED && filled < 1.05)) return null;
    // A bright desk often merges with a bright document: such an outline does not lie on edges of the image.
    const support = edgeSupport(quad, edges) ** 2;
    return { quad, score: (area / (width * height)) * Math.min(filled, 1) * shapeScore(quad) * support };
  });
}

/** 1 for the shape of a card or a passport, decreasing with the distance from both. */
function shapeScore(quad: Quad): number {
  const { along, across } = sidesOf(quad);
  const aspect = along / across;
  const off = Math.min(
    Math.abs(Math.log(aspect / CARD_ASPECT)),
    Math.abs(Math.log(aspect / PASSPORT_ASPECT)),
  );
  return Math.exp(-((off / 0.35) ** 2));
}

/** Simplifies the hull to four corners; null if that is not possible. */
function fourCorners(hull: Mat): Point[] | null {
  return scoped((keep) => {
    const length = cv.arcLength(hull, true);
    const corners = keep(new cv.Mat());
    for (let tolerance = 0.01; tolerance <= 0.08; tolerance += 0.01) {
      cv.approxPolyDP(hull, corners, tolerance * length, true);
      if (corners.rows === 4) return pointsOf(corners);
      if (corners.rows < 4) return null;
    }
    return null;
  });
}

function touchedSides(hull: Mat, width: number, height: number): number {
  const points = pointsOf(hull);
  return [
    points.some(({ x }) => x <= 2),
    points.some(({ y }) => y <= 2),
    points.some(({ x }) => x >= width - 3),
    points.some(({ y }) => y >= height - 3),
  ].filter(Boolean).length;
}

function pointsOf(mat: Mat): Point[] {
  const points: Point[] = [];
  for (let at = 0; at < mat.data32S.length; at += 2)
    points.push({ x: mat.data32S[at]!, y: mat.data32S[at + 1]! });
  return points;
}
