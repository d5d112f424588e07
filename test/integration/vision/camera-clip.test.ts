import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { cameraClip } from '../../fixtures/faces/camera-clip.ts';

it('a video for the camera is a sequence of baseline JPEGs with the length of its parts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clip-'));
  try {
    const part = (value: number) => ({
      width: 640,
      height: 480,
      data: new Uint8Array(640 * 480 * 3).fill(value),
    });
    const file = join(folder, 'camera.mjpeg');
    await cameraClip(
      [
        { image: part(20), seconds: 0.1 },
        { image: part(200), seconds: 0.2 },
      ],
      file,
    );
    const frames = (await readFile(file)).toString('latin1').split('\xff\xd9').slice(0, -1);
    expect(frames).toHaveLength(9);
    for (const [at, frame] of frames.entries()) {
      const frameImage = sharp(Buffer.from(`${frame}\xff\xd9`, 'latin1'));
      expect(await frameImage.metadata()).toMatchObject({
        format: 'jpeg',
        width: 640,
        height: 480,
        chromaSubsampling: '4:2:0',
        isProgressive: false,
      });
      expect((await frameImage.stats()).channels[0]!.mean).toBeCloseTo(at < 3 ? 20 : 200, -1);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
