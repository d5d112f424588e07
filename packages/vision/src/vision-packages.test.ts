import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isVisionInstalled, VISION_PACKAGES } from './vision-packages.ts';

test('an installation can omit exactly the packages of vision', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(manifest.peerDependencies)).toEqual(VISION_PACKAGES);
  expect(isVisionInstalled()).toBe(true);
});
