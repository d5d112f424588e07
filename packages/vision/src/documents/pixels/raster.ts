/** An image as rows of bytes: gray (1) or red, green, blue (3). */
export type Raster = { data: Uint8Array; width: number; height: number; channels: 1 | 3 };

export type Point = { x: number; y: number };

/** Four corners of the document, clockwise from the top left. */
export type Quad = readonly [Point, Point, Point, Point];

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Brightness with the color weights of Rec. 601. */
export function toGray(raster: Raster): Raster {
  if (raster.channels === 1) return raster;
  const { data, width, height } = raster;
  const gray = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < gray.length; at += 1, from += 3) {
    gray[at] = (data[from]! * 77 + data[from + 1]! * 150 + data[from + 2]! * 29) >> 8;
  }
  return { data: gray, width, height, channels: 1 };
}

/** Rotated clockwise by multiples of 90 degrees. */
export function turned(raster: Raster, quarters: number): Raster {
  const turns = ((quarters % 4) + 4) % 4;
  if (turns === 0) return raster;
  const { data, width, height, channels } = raster;
  const out = new Uint8Array(data.length);
  const outWidth = turns === 2 ? width : height;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const to = turnedPlace(x, y, width, height, turns, outWidth) * channels;
      const from = (y * width + x) * channels;
      for (let channel = 0; channel < channels; channel += 1) out[to + channel] = data[from + channel]!;
    }
  }
  return { data: out, width: outWidth, height: turns === 2 ? height : width, channels };
}

function turnedPlace(x: number, y: number, width: number, height: number, turns: number, outWidth: number) {
  if (turns === 1) return x * outWidth + (height - 1 - y);
  if (turns === 2) return (height - 1 - y) * outWidth + (width - 1 - x);
  return (width - 1 - x) * outWidth + y;
}
