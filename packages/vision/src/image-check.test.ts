import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { checkImage, decodeGrayAround, decodeUpright, MAX_IMAGE_BYTES, toGray } from './image-check.ts';

const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });

/** The same PNG with another size in its header, and the correct checksum. */
function withSize(png: Uint8Array, width: number, height: number): Uint8Array {
  const lying = Uint8Array.from(png);
  const view = new DataView(lying.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  view.setUint32(29, crc32(lying.subarray(12, 29)));
  return lying;
}

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('checkImage', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('accepts %s by its content', async (format) => {
    const image = await noise(60, 40).toFormat(format).toBuffer();
    expect(await checkImage(image)).toEqual({
      ok: true,
      contentType: `image/${format}`,
      width: 60,
      height: 40,
    });
  });

  it('returns the size of the upright image', async () => {
    const image = await noise(60, 40).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await checkImage(image)).toMatchObject({ ok: true, width: 40, height: 60 });
  });

  it.each([
    ['nothing', '', 'empty'],
    ['text', 'hello, this is no image at all', 'not_an_image'],
    ['HTML', '<!DOCTYPE html><html><body></body></html>', 'not_an_image'],
    ['SVG', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'svg'],
    ['SVG after a comment', '<!-- a --><svg/>', 'svg'],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'heic'],
    ['AVIF', '\0\0\0\x18ftypavif\0\0\0\0mif1avif', 'unsupported_format'],
    ['a film', '\0\0\0\x18ftypisom\0\0\0\0', 'not_an_image'],
    ['GIF', 'GIF89a\x01\0\x01\0', 'unsupported_format'],
    ['TIFF', 'II*\0\x08\0\0\0', 'unsupported_format'],
    ['a fake JPEG', '\xff\xd8\xff\xe0 and nothing of the kind', 'not_an_image'],
    ['a fake PNG', '\x89PNG\r\n\x1a\n and nothing of the kind', 'not_an_image'],
    ['a fake WebP', 'RIFF\x10\0\0\0WEBPVP8 ', 'not_an_image'],
  ])('rejects %s', async (_, content, problem) => {
    expect(await checkImage(bytes(content))).toEqual({ ok: false, problem });
  });

  it.each(['jpeg', 'png', 'webp'] as const)('rejects a truncated %s', async (format) => {
    const image = await noise(200, 150).toFormat(format).toBuffer();
    const cut = image.subarray(0, Math.floor(image.length * 0.7));
    expect(await checkImage(cut)).toEqual({ ok: false, problem: 'not_an_image' });
    expect(await decodeUpright(cut, 100)).toBeNull();
  });

  it('rejects an image of more pixels than the decoder allows, and a header that claims them', async () => {
    const wide = await sharp({ create: { width: 16_000, height: 4000, channels: 3, background: '#fff' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(await checkImage(wide)).toEqual({ ok: false, problem: 'too_many_pixels' });
    const lying = withSize(await noise(30, 30).png().toBuffer(), 20_000, 20_000);
    expect(await checkImage(lying)).toEqual({ ok: false, problem: 'too_many_pixels' });
  });

  it('rejects a header with another size than the pixels', async () => {
    const lying = withSize(await noise(30, 30).png().toBuffer(), 30, 60);
    expect(await checkImage(lying)).toEqual({ ok: false, problem: 'not_an_image' });
  });

  it('rejects too many bytes before it reads them', async () => {
    expect(await checkImage(new Uint8Array(MAX_IMAGE_BYTES + 1))).toEqual({
      ok: false,
      problem: 'too_large',
    });
  });

  it('rejects animated images', async () => {
    const frames = await sharp(await noise(20, 60).raw().toBuffer(), {
      raw: { width: 20, height: 60, channels: 3, pageHeight: 20 },
    })
      .webp()
      .toBuffer();
    expect(await checkImage(frames)).toEqual({ ok: false, problem: 'animated' });
    const still = await noise(20, 20).png().toBuffer();
    // A chunk with the number of frames, between header and pixels.
    const chunk = bytes('\0\0\0\x08acTL\0\0\0\x02\0\0\0\0\0\0\0\0');
    const moving = Buffer.concat([still.subarray(0, 33), chunk, still.subarray(33)]);
    expect(await checkImage(moving)).toEqual({ ok: false, problem: 'animated' });
  });
});

describe('decodeUpright', () => {
  it('rotates the pixels by EXIF and reduces them', async () => {
    const half = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#000' } })
      .composite([
        {
          input: { create: { width: 100, height: 100, channels: 3, background: '#f00' } },
          left: 0,
          top: 0,
        },
      ])
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toBuffer();
    const image = (await decodeUpright(half, 50))!;
    expect([image.width, image.height, image.data.length]).toEqual([25, 50, 25 * 50 * 3]);
    // Its left half is now above.
    expect(image.data[3 * (10 * 25 + 12)]).toBeGreaterThan(230);
    expect(image.data[3 * (40 * 25 + 12)]).toBeLessThan(25);
  });

  it.each([
    ['gray', noise(20, 20).toColourspace('b-w').png()],
    ['see-through', noise(20, 20).ensureAlpha(0.5).png()],
    ['of 16 bits', noise(20, 20).toColourspace('rgb16').png()],
  ])('returns three bytes per pixel of an image that is %s', async (_, pipeline) => {
    const image = (await decodeUpright(await pipeline.toBuffer(), 100))!;
    expect(image.data).toHaveLength(20 * 20 * 3);
    expect(toGray(image).every((value) => value >= 0 && value <= 255)).toBe(true);
  });

  it('is null for other content', async () => {
    expect(await decodeUpright(bytes('nothing'), 100)).toBeNull();
  });

  it('accepts images with more pixels when it need not decode all of them', async () => {
    const take = async (file: Promise<Buffer>, maxPixels: number) => {
      const image = await decodeUpright(await file, 50, maxPixels);
      return image && [image.width, image.height];
    };
    const [jpeg, png] = [noise(400, 200).jpeg().toBuffer(), noise(400, 200).png().toBuffer()];
    const progressive = noise(400, 200).jpeg({ progressive: true }).toBuffer();
    expect(await take(jpeg, 79_999)).toEqual([50, 25]);
    expect(await take(png, 80_000)).toEqual([50, 25]);
    expect(await take(png, 79_999)).toBeNull();
    expect(await take(progressive, 79_999)).toBeNull();
  });
});

describe('decodeGrayAround', () => {
  it('stays within the image and its size', async () => {
    const image = await noise(1400, 300).jpeg().toBuffer();
    for (const x of [0, 0.5, 1]) {
      const part = (await decodeGrayAround(image, { x, y: 0.5 }))!;
      expect([part.width, part.height, part.data.length]).toEqual([1280, 300, 1280 * 300]);
    }
    const sideways = await noise(1400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await decodeGrayAround(sideways, { x: 0.5, y: 0.9 })).toMatchObject({ width: 300, height: 1280 });
    expect(await decodeGrayAround(bytes('nothing'), { x: 0.5, y: 0.5 })).toBeNull();
  });
});
