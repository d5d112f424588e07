import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A photograph of a person with the group of the folder, if any. */
export type GroupedPhoto = { group: string | null; person: string; file: string };

const PHOTO = /[.](jpe?g|png|webp)$/i;

/**
 * Photographs in `folder/person/*.jpg` or `folder/group/person/*.jpg`, in the order of their names, at most `photos` of
 * each person. Groups may also stand in `folder/groups.csv`, as lines `person,group` below a header line.
 */
export async function readGroupedPhotos(folder: string, photos: number): Promise<GroupedPhoto[]> {
  const groups = await readGroups(join(folder, 'groups.csv'));
  const found: GroupedPhoto[] = [];
  const add = async (group: string | null, person: string, path: string) => {
    const files = (await names(path)).filter((name) => PHOTO.test(name)).slice(0, photos);
    for (const file of files)
      found.push({ group: groups.get(person) ?? group, person, file: join(path, file) });
  };
  for (const first of await folders(folder)) {
    const inner = await folders(join(folder, first));
    if (inner.length === 0) await add(null, first, join(folder, first));
    for (const person of inner) await add(first, person, join(folder, first, person));
  }
  if (found.length === 0)
    throw new Error(`${folder} contains no photographs as person/*.jpg or group/person/*.jpg`);
  return found;
}

async function readGroups(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split(/\r?\n/).slice(1);
  return new Map(lines.filter(Boolean).map((line) => line.split(',', 2).map((cell) => cell.trim()) as never));
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

async function folders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
