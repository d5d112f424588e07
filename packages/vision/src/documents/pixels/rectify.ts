import { cv, scoped } from './opencv.ts';
import { clamp, type Quad, type Raster } from './raster.ts';

/** Limits of the width of a rectified document, in pixels. Within them it has the resolution of the photograph. */
const MIN_WIDTH = 1000;
const MAX_WIDTH = 2200;

/** Rectified document, seen from above, with its long side horizontal. */
export function rectify(image: Raster, quad: Quad, aspect: number, along: number): Raster {
  const width = Math.round(clamp(along, MIN_WIDTH, MAX_WIDTH));
  const height = Math.round(width / aspect);
  return warp(image, quad, width, height);
}

/** The part of the image between four corners as a rectangle of this size. */
export function warp(image: Raster, quad: Quad, width: number, height: number): Raster {
  return scoped((keep) => {
    const type = image.channels === 3 ? cv.CV_8UC3 : cv.CV_8UC1;
    const source = keep(cv.matFromArray(image.height, image.width, type, image.data as never));
    const corners = quad.flatMap(({ x, y }) => [x, y]);
    const from = keep(cv.matFromArray(4, 1, cv.CV_32FC2, corners));
    const to = keep(cv.matFromArray(4, 1, cv.CV_32FC2, [0, 0, width, 0, width, height, 0, height]));
    const transform = keep(cv.getPerspectiveTransform(from, to));
    const out = keep(new cv.Mat());
    const size = new cv.Size(width, height);
    cv.warpPerspective(source, out, transform, size, cv.INTER_CUBIC, cv.BORDER_REPLICATE, new cv.Scalar());
    return { data: new Uint8Array(out.data), width, height, channels: image.channels };
  });
}

export function resized(image: Raster, width: number, height: number): Raster {
  if (image.width === width && image.height === height) return image;
  return scoped((keep) => {
    const type = image.channels === 3 ? cv.CV_8UC3 : cv.CV_8UC1;
    const source = keep(cv.matFromArray(image.height, image.width, type, image.data as never));
    const out = keep(new cv.Mat());
    const how = width < image.width ? cv.INTER_AREA : cv.INTER_CUBIC;
    cv.resize(source, out, new cv.Size(width, height), 0, 0, how);
    return { data: new Uint8Array(out.data), width, height, channels: image.channels };
  });
}
