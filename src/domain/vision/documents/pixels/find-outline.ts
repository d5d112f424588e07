import type { Mat, MatVector } from '@techstark/opencv-js';
import { type EdgeMap, edgeMap, edgeSupport } from './edge-support.ts';
import { refineQuad } from './fit-sides.ts';
import { cv, scoped } from './opencv.ts';
import { areaOf, CARD_ASPECT, orderQuad, PASSPORT_ASPECT, sidesOf } from './quad-shape.ts';
import type { Point, Quad, Raster } from './raster.ts';

/** Longer side, in pixels, at which the outline is looked for. */
const SEARCH_SIDE = 800;
/** A document smaller than this part of the picture could not be read anyway. */
const MIN_PART = 0.08;
/** How much of its four-cornered frame a card fills; its round corners take less than a hundredth. */
const FILLED = 0.92;

type Candidate = { quad: Quad; score: number };

/** The corners of the document in the picture's own pixels, null when nothing looks like one. */
export function findOutline(picture: Raster): Quad | null {
  return scoped((keep) => {
    const scale = Math.min(1, SEARCH_SIDE / Math.max(picture.width, picture.height));
    const full = keep(cv.matFromArray(picture.height, picture.width, cv.CV_8UC3, picture.data as never));
    const small = keep(new cv.Mat());
    const size = new cv.Size(Math.round(picture.width * scale), Math.round(picture.height * scale));
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
    // The desk often joins the document where both are bright: such an outline runs where the picture has no edge.
    const support = edgeSupport(quad, edges) ** 2;
    return { quad, score: (area / (width * height)) * Math.min(filled, 1) * shapeScore(quad) * support };
  });
}

/** 1 for the shape of a card or a passport, less the further from both. */
function shapeScore(quad: Quad): number {
  const { along, across } = sidesOf(quad);
  const aspect = along / across;
  const off = Math.min(
    Math.abs(Math.log(aspect / CARD_ASPECT)),
    Math.abs(Math.log(aspect / PASSPORT_ASPECT)),
  );
  return Math.exp(-((off / 0.35) ** 2));
}

/** The hull with so few corners that four are left; null when it has no four clear ones. */
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
