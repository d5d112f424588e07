import { describe, expect, it } from 'vitest';
import { fileOfKey, mediaKey } from './media-key.ts';

const project = '0190a000-0000-7000-8000-000000000001';
const object = '0190a000-0000-7000-8000-0000000000f7';
const version = '0190a000-0000-7000-8000-000000000abc';

describe('the key of a file', () => {
  it('consists of project, shard, object and version, and can be parsed', () => {
    const key = mediaKey(project, { objectId: object, version });
    expect(key).toBe(`${project}/f7/${object}.${version}`);
    expect(fileOfKey(key)).toEqual({ objectId: object, version, isUnfinished: false });
    expect(fileOfKey(`${key}.0a1b.unfinished`)).toEqual({ objectId: object, version, isUnfinished: true });
  });

  it.each([`${project}/f7/README.md`, `${project}/f7/${object}.jpg`, `${project}/f7/${object}`, object])(
    'cannot be parsed from other files: %s',
    (key) => {
      expect(fileOfKey(key)).toBeNull();
    },
  );
});
