import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { ModelAccount } from '../linking/model-account.ts';
import type { People } from './load-people.ts';
import { unpackBytes } from './packed-accounts.ts';

/* Files of the people of a stored database. */

const ARRIVALS = 'arrivals';
const ENDS = 'ends';
const CHUNK = 'chunk';

const folderOf = (dataDir: string) => join(dataDir, 'people');

export async function writePeople(dataDir: string, { known, arrivals }: People): Promise<void> {
  const folder = folderOf(dataDir);
  await mkdir(folder);
  await writeFile(join(folder, ARRIVALS), serialize(arrivals));
  const { chunks, ends } = known.bytes;
  await writeFile(join(folder, ENDS), ends);
  for (const [index, chunk] of chunks.entries()) await writeFile(join(folder, `${CHUNK}${index}`), chunk);
}

export async function readPeople(dataDir: string): Promise<People> {
  const folder = folderOf(dataDir);
  const read = (name: string) => readFile(join(folder, name));
  const count = (await readdir(folder)).filter((name) => name.startsWith(CHUNK)).length;
  const chunks = await Promise.all(Array.from({ length: count }, (_, index) => read(`${CHUNK}${index}`)));
  const ends = new Uint32Array(new Uint8Array(await read(ENDS)).buffer);
  const arrivals = deserialize(await read(ARRIVALS)) as ModelAccount[];
  return { known: unpackBytes({ chunks, ends }), arrivals };
}
