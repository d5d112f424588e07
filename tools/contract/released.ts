import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from './check.ts';

/** The interfaces of the last release in a folder; null before the first. */
export function readReleased(folder: string): Contract | null {
  const file = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  try {
    const { version } = JSON.parse(file('version.json'));
    return { version, schema: file('schema.graphql'), openapi: JSON.parse(file('openapi.json')) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Keeps interfaces as those of the last release. */
export function writeReleased(folder: string, { version, schema, openapi }: Contract): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'schema.graphql'), schema);
  writeFileSync(path.join(folder, 'openapi.json'), `${JSON.stringify(openapi, null, 2)}\n`);
  writeFileSync(path.join(folder, 'version.json'), `${JSON.stringify({ version })}\n`);
}
