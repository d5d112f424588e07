import { Tensor } from 'onnxruntime-node';
import { detectionModel } from './ocr-models.ts';
import { cv, scoped } from './opencv.ts';
import type { Quad, Raster } from './raster.ts';
import { resized } from './rectify.ts';

/** Line of text as a rotated rectangle in pixels of the image; `angle` is in degrees, clockwise, -45 to 45. */
export type TextBox = { x: number; y: number; width: number; height: number; angle: number };

/** Longer side of the network's input, in pixels. */
const DETECTION_SIDE = 960;
/** Threshold of text per pixel, and minimum confidence of a whole line. */
const TEXT_FROM = 0.3;
const LINE_FROM = 0.5;
/** The network detects the inner part of a line. Its frame is larger by area × this / circumference on each side. */
const GROW = 1.6;
/** Minimum height of readable lines, in pixels of the network's input. */
const LOWEST = 4;

/** Means and deviations of the network's training images, for blue, green, red. */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;

/** Lines of text in an image, from top to bottom. */
export async function detectText(image: Raster): Promise<TextBox[]> {
  const scale = Math.min(1, DETECTION_SIDE / Math.max(image.width, image.height));
  const width = Math.max(32, Math.round((image.width * scale) / 32) * 32);
  const height = Math.max(32, Math.round((image.height * scale) / 32) * 32);
  const input = new Tensor('float32', planes(resized(image, width, height)), [1, 3, height, width]);
  const model = await detectionModel();
  const answers = await model.run({ [model.inputNames[0]!]: input });
  const map = answers[model.outputNames[0]!]!.data as Float32Array;
  const boxes = boxesOf(map, width, height);
  const sx = image.width / width;
  const sy = image.height / height;
  return boxes
    .map(({ x, y, width: w, height: h, angle }) => ({
      x: x * sx,
      y: y * sy,
      width: w * sx,
      height: h * sy,
      angle,
    }))
    .toSorted((a, b) => a.y - b.y || a.x - b.x);
}

/** The image as three normalized planes, blue first, for the network. */
function planes({ data, width, height }: Raster): Float32Array {
  const size = width * height;
  const out = new Float32Array(3 * size);
  for (let plane = 0; plane < 3; plane += 1) {
    const factor = 1 / (255 * DEVIATION[plane]!);
    const offset = MEAN[plane]! / DEVIATION[plane]!;
    for (let at = 0, from = 2 - plane; at < size; at += 1, from += 3) {
      out[plane * size + at] = data[from]! * factor - offset;
    }
  }
  return out;
}

function boxesOf(map: Float32Array, width: number, height: number): TextBox[] {
  return scoped((keep) => {
    const mask = keep(new cv.Mat(height, width, cv.CV_8UC1));
    const bits = mask.data;
    for (let at = 0; at < map.length; at += 1) bits[at] = map[at]! > TEXT_FROM ? 255 : 0;
    const contours = keep(new cv.MatVector());
    const hierarchy = keep(new cv.Mat());
    cv.findContours(mask, contours, hierarchy, cv.RETR_LIST, cv.CHAIN_APPROX_SIMPLE);
    const boxes: TextBox[] = [];
    for (let index = 0; index < contours.size(); index += 1) {
      const contour = contours.get(index);
      const rectangle = cv.minAreaRect(contour);
      const frame = cv.boundingRect(contour);
      contour.delete();
      const { center, size, angle } = rectangle;
      if (Math.min(size.width, size.height) < LOWEST) continue;
      if (confidenceOf(map, width, frame) < LINE_FROM) continue;
      boxes.push(grown(upright({ x: center.x, y: center.y, width: size.width, height: size.height, angle })));
    }
    return boxes;
  });
}

/** Mean probability of text within a frame. */
function confidenceOf(
  map: Float32Array,
  width: number,
  frame: { x: number; y: number; width: number; height: number },
): number {
  let sum = 0;
  let count = 0;
  for (let y = frame.y; y < frame.y + frame.height; y += 1) {
    for (let x = frame.x; x < frame.x + frame.width; x += 1) {
      const value = map[y * width + x]!;
      if (value <= TEXT_FROM) continue;
      sum += value;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** The same rectangle with an angle of -45 to 45 degrees. */
function upright(box: TextBox): TextBox {
  let { width, height, angle } = box;
  while (angle > 45) {
    angle -= 90;
    [width, height] = [height, width];
  }
  while (angle < -45) {
    angle += 90;
    [width, height] = [height, width];
  }
  return { ...box, width, height, angle };
}

function grown(box: TextBox): TextBox {
  const by = (box.width * box.height * GROW) / (box.width + box.height);
  return { ...box, width: box.width + by, height: box.height + by };
}

/** Corners of a rotated rectangle, clockwise from its top left. */
export function cornersOf(box: TextBox): Quad {
  const angle = (box.angle * Math.PI) / 180;
  const along = { x: (Math.cos(angle) * box.width) / 2, y: (Math.sin(angle) * box.width) / 2 };
  const down = { x: (-Math.sin(angle) * box.height) / 2, y: (Math.cos(angle) * box.height) / 2 };
  return [
    { x: box.x - along.x - down.x, y: box.y - along.y - down.y },
    { x: box.x + along.x - down.x, y: box.y + along.y - down.y },
    { x: box.x + along.x + down.x, y: box.y + along.y + down.y },
    { x: box.x - along.x + down.x, y: box.y - along.y + down.y },
  ];
}
