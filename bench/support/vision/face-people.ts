import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { astronautPhoto } from '../../../test/fixtures/faces/photo.ts';

export type PersonPhoto = { person: string; photo: Buffer };

const SHARED = fileURLToPath(new URL('../../../../shared/faces/', import.meta.url));
const IMAGE_FILE = /[.](jpe?g|png|webp)$/i;

/**
 * Photos by person: a folder for each in `folder`; without one the portrait of the tests, and those beside the
 * project (`person-a-1.jpg`, …), if any.
 */
export async function readPeople(folder?: string): Promise<PersonPhoto[]> {
  if (!folder) return [{ person: 'astronaut', photo: await astronautPhoto() }, ...(await readShared())];
  const people = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const photos: PersonPhoto[] = [];
  for (const { name } of people.sort((a, b) => a.name.localeCompare(b.name)))
    for (const file of (await imagesIn(join(folder, name))).sort())
      photos.push({ person: name, photo: await readFile(join(folder, name, file)) });
  if (photos.length === 0) throw new Error(`${folder} contains no folder with images for each person`);
  return photos;
}

async function readShared(): Promise<PersonPhoto[]> {
  const names = await imagesIn(SHARED).catch(() => []);
  return Promise.all(
    names.sort().map(async (name) => ({
      person: name.replace(/-\d+[.].*$/, ''),
      photo: await readFile(join(SHARED, name)),
    })),
  );
}

async function imagesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => IMAGE_FILE.test(name));
}
