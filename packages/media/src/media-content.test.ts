import { describe, expect, it } from 'vitest';
import { type CheckImage, contentProblem, videoType } from './media-content.ts';

const WEBM = Buffer.concat([Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex')]);
const MATROSKA = Buffer.concat([
  Buffer.from('1a45dfa3a34286810142f7810142f2810442f38108428288', 'hex'),
  Buffer.from('matroska'),
]);
const MP4 = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1');
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');

describe('a video', () => {
  it.each([
    ['WebM', WEBM, 'video/webm'],
    ['MP4', MP4, 'video/mp4'],
    ['Matroska that is not WebM', MATROSKA, null],
    ['HEIC, which has the container of MP4', HEIC, null],
    ['an image', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), null],
    ['three bytes', WEBM.subarray(0, 3), null],
    ['nothing', Buffer.alloc(0), null],
  ])('is detected by its first bytes: %s', (_name, bytes, type) => {
    expect(videoType(bytes)).toBe(type);
  });

  it('must have the announced type', async () => {
    const never: CheckImage = () => Promise.reject(new Error('no image'));
    expect(await contentProblem(WEBM, 'video/webm', never)).toBeNull();
    expect((await contentProblem(WEBM, 'video/mp4', never))?.code).toBe('media.wrong_type');
    expect((await contentProblem(Buffer.alloc(0), 'video/webm', never))?.code).toBe('media.empty');
  });
});

describe('an image', () => {
  const says =
    (check: Awaited<ReturnType<CheckImage>>): CheckImage =>
    async () =>
      check;
  const JPEG = Buffer.from('\xff\xd8\xff\xe0picture', 'latin1');
  const PNG = Buffer.from('\x89PNG\r\n\x1a\npicture', 'latin1');

  it.each([
    ['the announced type', JPEG, { ok: true, contentType: 'image/jpeg' }, undefined],
    ['another type', PNG, { ok: true, contentType: 'image/png' }, 'media.wrong_type'],
    ['damaged', JPEG, { ok: false, problem: 'not_an_image' }, 'media.unusable'],
    ['too many pixels', JPEG, { ok: false, problem: 'too_many_pixels' }, 'media.unusable'],
    ['a problem without its own text', JPEG, { ok: false, problem: 'new' }, 'media.unusable'],
    ['too large', JPEG, { ok: false, problem: 'too_large' }, 'media.too_large'],
    ['damaged and of another type', PNG, { ok: false, problem: 'not_an_image' }, 'media.wrong_type'],
    ['HEIC', HEIC, { ok: false, problem: 'heic' }, 'media.wrong_type'],
    ['SVG', Buffer.from('<svg/>'), { ok: false, problem: 'svg' }, 'media.wrong_type'],
    ['empty', Buffer.alloc(0), { ok: true, contentType: 'image/jpeg' }, 'media.empty'],
  ] as const)('is validated: %s', async (_name, bytes, check, code) => {
    expect((await contentProblem(bytes, 'image/jpeg', says(check)))?.code).toBe(code);
  });
});
