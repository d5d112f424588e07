import { type Gray, grayOf } from './image-measures.ts';

/*
 * Images from a video or a file, as JPEG. Drawing a file again also removes the location and time of its recording.
 */

const FACE_LONGEST = 1280;
const DOCUMENT_LONGEST = 2400;
const MEASURED_WIDTH = 320;

/** Current frame of the video; null if there is none yet or it cannot be read. */
export function grabFace(video: HTMLVideoElement): Promise<Blob | null> {
  return toJpeg(video, video.videoWidth, video.videoHeight, FACE_LONGEST, 0.9);
}

export function grabDocument(video: HTMLVideoElement): Promise<Blob | null> {
  return toJpeg(video, video.videoWidth, video.videoHeight, DOCUMENT_LONGEST, 0.92);
}

/** File as an upright image with a maximum size in bytes; null if the browser cannot read it. */
export async function imageOfFile(file: Blob, maxBytes: number): Promise<Blob | null> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return null;
  try {
    for (const [longest, quality] of [
      [DOCUMENT_LONGEST, 0.92],
      [DOCUMENT_LONGEST, 0.75],
      [1600, 0.75],
    ] as const) {
      const blob = await toJpeg(bitmap, bitmap.width, bitmap.height, longest, quality);
      if (blob && blob.size <= maxBytes) return blob;
    }
    return null;
  } finally {
    bitmap.close();
  }
}

function toJpeg(
  source: CanvasImageSource,
  width: number,
  height: number,
  longest: number,
  quality: number,
): Promise<Blob | null> {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context || canvas.width === 0 || canvas.height === 0) return Promise.resolve(null);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
}

/** Measures a video repeatedly with one small canvas. */
export function createLook(video: HTMLVideoElement): () => Gray | null {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return () => {
    if (!context || video.videoWidth === 0) return null;
    const height = Math.round((MEASURED_WIDTH * video.videoHeight) / video.videoWidth);
    if (canvas.height !== height) [canvas.width, canvas.height] = [MEASURED_WIDTH, height];
    context.drawImage(video, 0, 0, MEASURED_WIDTH, height);
    return grayOf(context.getImageData(0, 0, MEASURED_WIDTH, height).data, MEASURED_WIDTH, height);
  };
}
