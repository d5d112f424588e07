import { afterEach, expect, it } from 'vitest';
import { type GatewayProcess, makeFolder, start } from './gateway-process.ts';

const MB = 1024 * 1024;

/** Packages that a gateway loads on demand: buckets, image checks, the build, the page of REST. */
const NOT_AT_START =
  /^(@aws-sdk\/|@smithy\/|flydrive$|sharp$|@img\/|onnxruntime|@tensorflow\/|@vladmandic\/|@techstark\/|@gutenye\/|zxing-wasm$|@prisma\/internals$|@prisma\/client-generator|@graphql-codegen\/|vite$|rolldown$|typescript$)/;

type Report = { packages: string[]; arrayBuffers: number; young: number };

/** Prints the loaded packages and the memory by kind at the end of the process. */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { getHeapSpaceStatistics } from 'node:v8';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    const { arrayBuffers } = process.memoryUsage();
    process.stderr.write('REPORT' + JSON.stringify({ packages: [...packages], arrayBuffers, young }) + '\\n');
  });
`)}`;

const started: { gateway: GatewayProcess; remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { gateway, remove } of started.splice(0)) {
    gateway.signal('SIGTERM');
    await gateway.exited;
    await remove();
  }
});

it('a started gateway has loaded neither rarely used packages nor its location databases', async () => {
  const { folder, remove } = await makeFolder();
  const { gateway } = await start(folder, { NODE_OPTIONS: `--import=${REPORT}` });
  started.push({ gateway, remove });
  gateway.signal('SIGTERM');
  await gateway.exited;
  const { packages, arrayBuffers, young } = JSON.parse(/^REPORT(.*)$/m.exec(gateway.errors())![1]!) as Report;
  expect(packages).toContain('pg');
  expect(packages.filter((name) => NOT_AT_START.test(name))).toEqual([]);
  // The three location databases are 142 MB.
  expect(arrayBuffers).toBeLessThan(64 * MB);
  expect(young).toBeLessThanOrEqual(32 * MB);
});
