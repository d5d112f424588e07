import { newId } from '@vouchgraph/platform/ids';
import { describe, expect, it } from 'vitest';
import { generateApiKey, includesRole, projectOfApiKey, visiblePrefix } from './api-key.ts';

describe('an API key', () => {
  it('names its project and environment', () => {
    const projectId = newId();
    const key = generateApiKey(projectId, 'sandbox');
    expect(key).toMatch(/^vg_test_/);
    expect(generateApiKey(projectId, 'production')).toMatch(/^vg_live_/);
    expect(projectOfApiKey(key)).toBe(projectId);
  });

  it('is rejected when one character differs', () => {
    const key = generateApiKey(newId(), 'sandbox');
    const at = key.length - 20;
    const other = key[at] === 'a' ? 'b' : 'a';
    expect(projectOfApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
    expect(projectOfApiKey('')).toBeNull();
    expect(projectOfApiKey(`${key} `)).toBeNull();
  });

  it('shows at most four characters of its secret', () => {
    const key = generateApiKey(newId(), 'sandbox');
    const secret = key.slice(key.lastIndexOf('_') + 1);
    expect(visiblePrefix(key)).not.toContain(secret.slice(0, 5));
  });
});

describe('key roles', () => {
  it('include the lower ones', () => {
    expect(includesRole('operator', 'read')).toBe(true);
    expect(includesRole('server', 'server')).toBe(true);
    expect(includesRole('read', 'server')).toBe(false);
  });
});
