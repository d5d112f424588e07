import { describe, expect, it } from 'vitest';
import { mediaKey, objectOfKey } from './media-key.ts';

const project = '0190a000-0000-7000-8000-000000000001';
const object = '0190a000-0000-7000-8000-0000000000f7';

describe('the key of a file', () => {
  it('is project, shard and object, and tells them again', () => {
    const key = mediaKey(project, object);
    expect(key).toBe(`${project}/f7/${object}`);
    expect(objectOfKey(key)).toEqual({ objectId: object, isUnfinished: false });
    expect(objectOfKey(`${key}.0a1b.unfinished`)).toEqual({ objectId: object, isUnfinished: true });
  });

  it.each([`${project}/f7/README.md`, `${project}/f7/${object}.jpg`, `${project}/f7/x${object}`, object])(
    'is none of other files: %s',
    (key) => {
      expect(objectOfKey(key)).toBeNull();
    },
  );
});
