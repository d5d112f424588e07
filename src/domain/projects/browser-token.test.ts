import { randomBytes } from 'node:crypto';
import { ProjectCipher } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { describe, expect, it } from 'vitest';
import { projectOfBrowserToken, readBrowserToken, signBrowserToken } from './browser-token.ts';

const project = newId();
const cipher = new ProjectCipher(project, randomBytes(32));
const expiresAt = new Date(60_000);
const claims = { keyId: newId(), scopes: ['LINKS', 'EVENTS'] as const, expiresAt };
const read = (token: string, now = new Date(0)) => readBrowserToken(cipher, token, now);

/** A signed token with any claims. */
function tokenOf(body: object): string {
  const text = Buffer.from(JSON.stringify(body)).toString('base64url');
  return `vgb_${project.replaceAll('-', '')}.${text}.${cipher.sign('browser token', text)}`;
}

describe('a browser token', () => {
  it('contains its scopes and its limit', () => {
    for (const binding of [{ accountId: 'a' }, { sessionId: newId() }, {}]) {
      const token = signBrowserToken(cipher, project, { ...claims, ...binding });
      expect(projectOfBrowserToken(token)).toBe(project);
      expect(read(token)).toEqual({ ...claims, ...binding });
    }
  });

  it('is invalid from its time of expiry, and for another project', () => {
    const token = signBrowserToken(cipher, project, claims);
    expect(read(token, new Date(59_999))).not.toBeNull();
    expect(read(token, expiresAt)).toBeNull();
    expect(readBrowserToken(new ProjectCipher(newId(), randomBytes(32)), token, new Date(0))).toBeNull();
  });

  it.each([
    [undefined],
    [[]],
    [['EVERYTHING']],
    [['LINKS', 'toString']],
    ['LINKS'],
    [{ 0: 'LINKS', length: 1 }],
  ])('with the scopes %j is invalid', (c) => {
    expect(read(tokenOf({ k: claims.keyId, c, e: 60_000 }))).toBeNull();
  });
});
