import { randomBytes, randomUUID } from 'node:crypto';
import { ProjectCipher } from '@vouchgraph/platform/crypto';
import { describe, expect, it } from 'vitest';
import { isValidMediaUrl, type MediaMethod, parseMediaPath, signedMediaUrl } from './media-url.ts';

const projectId = randomUUID();
const objectId = randomUUID();
const cipher = new ProjectCipher(projectId, randomBytes(32));
const now = new Date('2026-11-21T12:00:00Z');
const expiresAt = new Date('2026-11-21T12:15:00Z');

function isValid(address: string, method: MediaMethod = 'GET', at = now, by = cipher): boolean {
  const url = new URL(address, 'http://gateway');
  const ids = parseMediaPath(url.pathname);
  return ids !== null && isValidMediaUrl(by, { method, ...ids, query: url.searchParams }, at);
}

describe('a signed URL', () => {
  const address = signedMediaUrl(cipher, { projectId, objectId, expiresAt });

  it('contains project, object and expiry time, and is valid until then', () => {
    expect(address).toMatch(`/media/${projectId}/${objectId}?expires=1795263300&signature=`);
    expect(isValid(address)).toBe(true);
    expect(isValid(address, 'GET', new Date(expiresAt.getTime() - 1))).toBe(true);
    expect(isValid(address, 'GET', expiresAt)).toBe(false);
  });

  it('starts with the public base URL', () => {
    const whole = signedMediaUrl(cipher, { projectId, objectId, expiresAt, baseUrl: 'https://id.example' });
    expect(whole).toBe(`https://id.example${address}`);
  });

  it('is valid for one method', () => {
    const upload = signedMediaUrl(cipher, { projectId, objectId, expiresAt, method: 'PUT' });
    expect([isValid(upload, 'PUT'), isValid(upload, 'GET'), isValid(address, 'PUT')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is invalid after any modification', () => {
    const signature = new URL(address, 'http://gateway').searchParams.get('signature')!;
    for (const other of [
      address.replace(objectId, randomUUID()),
      address.replace(projectId, randomUUID()),
      address.replace('expires=1795263300', 'expires=1795263301'),
      address.replace('expires=1795263300', 'expires=01795263300'),
      address.replace('expires=1795263300', 'expires=1e12'),
      address.replace('expires=1795263300&', ''),
      address.replace(signature, ''),
      address.replace(signature, signature.toLowerCase()),
      address.replace(signature, `${signature}A`),
    ])
      expect(isValid(other), other).toBe(false);
    expect(isValid(address, 'GET', now, new ProjectCipher(projectId, randomBytes(32)))).toBe(false);
  });
});

describe('a path', () => {
  it.each([
    '/media/',
    `/media/${projectId}`,
    `/media/${projectId}/${objectId}/`,
    `/media/${projectId}/${objectId}/x`,
    `/media/${projectId}/../${objectId}`,
    `/media/${projectId.toUpperCase().replaceAll(/\d/g, 'A')}/${objectId}`,
    `//media/${projectId}/${objectId}`,
  ])('with another form is rejected: %s', (path) => {
    expect(parseMediaPath(path)).toBeNull();
  });
});
