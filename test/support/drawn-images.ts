import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder of a run for images that are drawn once (test/fixtures/drawn-once.ts). All projects of the run share it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.DRAWN_IMAGES_DIR) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-drawn-'));
  process.env.DRAWN_IMAGES_DIR = folder;
  return async () => {
    delete process.env.DRAWN_IMAGES_DIR;
    await rm(folder, { recursive: true, force: true });
  };
}
