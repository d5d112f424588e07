import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { onTestFinished } from 'vitest';
import { removeFolder } from './chromium.ts';

/** Arguments that give Chromium a permitted camera, showing these JPEG frames in a loop. */
export async function cameraArguments(frames: readonly Buffer[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-camera-'));
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'camera.mjpeg');
  await writeFile(file, Buffer.concat(frames));
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${file}`,
  ];
}

/** An image of a card, as an uploaded file. */
export function cardImage(): Promise<Buffer> {
  const card = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="700">
    <rect width="1000" height="700" fill="#3a3f47"/>
    <rect x="80" y="80" width="840" height="530" rx="24" fill="#e7ecf2"/>
    <rect x="130" y="180" width="210" height="280" fill="#9fb2c8"/>
    ${[0, 1, 2, 3, 4].map((row) => `<rect x="390" y="${190 + row * 55}" width="${420 - row * 40}" height="18" fill="#42505f"/>`).join('')}
  </svg>`;
  return sharp(Buffer.from(card)).jpeg({ quality: 90 }).toBuffer();
}
