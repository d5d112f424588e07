import { expect, test } from 'vitest';
import { MasterKey } from '../../platform/crypto.ts';
import { decryptFacts, encryptFacts } from './fact-patches.ts';

const PROJECT = '0198f3c2-7b1a-7c3d-8e4f-5a6b7c8d9e0f';
const SESSION = '0198f3c2-7b1a-7c3d-8e4f-5a6b7c8d9e10';
const observed = { ip: '192.0.2.1', userAgent: '', acceptLanguage: '', browserId: '', device: '' };

test('stored facts keep the key of the sent facts, which every version reads', () => {
  const master = new MasterKey(Buffer.alloc(32, 7).toString('base64'));
  const cipher = master.cipherFor(PROJECT, master.newEncryptedKey(PROJECT));
  const input = { source: 'web' as const, checks: { probe: true } };
  const blob = encryptFacts({ cipher }, SESSION, { input, observed });
  expect(cipher.decryptJson('session facts', SESSION, blob)).toEqual({ told: input, observed });
  expect(decryptFacts({ cipher }, SESSION, blob)).toEqual({ input, observed });
});
