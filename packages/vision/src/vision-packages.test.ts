import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isVisionInstalled, VISION_PACKAGES } from './vision-packages.ts';

test('an installation can omit exactly the packages of vision', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(manifest.peerDependencies)).toEqual(VISION_PACKAGES);
  expect(isVisionInstalled()).toBe(true);
});

test('the face of the package loads none of them', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import('@vouchgraph/vision');
    console.log(JSON.stringify(urls));`;
  const args = ['--input-type=module', '--eval', script];
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const urls = JSON.parse(execFileSync(process.execPath, args, options)) as string[];
  expect(urls.some((url) => url.endsWith('/packages/vision/src/index.ts'))).toBe(true);
  const loaded = [...VISION_PACKAGES, 'sharp'].filter((name) =>
    urls.some((url) => url.includes(`/node_modules/${name}/`)),
  );
  expect(loaded).toEqual([]);
});
