import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import { decodeUpright, type RgbImage } from '@vouchgraph/vision/image-check';
import { faceDescriptor } from '@vouchgraph/vision/internals/faces/describe-face';
import { type LocatedFace, locateFaces } from '@vouchgraph/vision/internals/faces/locate-faces';
import { printTable } from './support/report.ts';
import type { AccuracyFace } from './support/vision/accuracy.ts';
import { type GroupedPhoto, readGroupedPhotos } from './support/vision/accuracy-people.ts';
import { accuracyTables } from './support/vision/accuracy-tables.ts';

const HELP = `Accuracy of face matching on a folder of people.

  npm run bench:faces-accuracy -- DIR [options]

DIR contains person/*.jpg or group/person/*.jpg (also .png, .webp). Groups may instead be listed in DIR/groups.csv as
lines "person,group" below a header line. Each person needs two photographs for missed matches to be measured.

  --gallery N         further gallery size for the 1:N table (repeatable; 42, 442 and 10000 are always shown)
  --photos N          photographs of each person at most, in the order of their names (4)
  --descriptors FILE  keeps descriptors in FILE and reuses those that it contains, so that a stopped run continues.
                      They are biometric data: delete the file afterwards
  --help              this text

Nothing is written but FILE. The same folder gives the same figures.
`;

/** Pixels of the longer side in which faces are searched, as for the frames of a face check. */
const MAX_SIDE = 800;
const GALLERIES = [42, 442, 10_000];
const PROGRESS_EVERY = 50;

type Described = {
  version: number;
  group: string | null;
  person: string;
  file: string;
  detector: LocatedFace['detector'] | null;
  descriptor: number[] | null;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gallery: { type: 'string', multiple: true, default: [] },
    photos: { type: 'string', default: '4' },
    descriptors: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (values.help || !folder) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}
const galleries = [...new Set([...GALLERIES, ...values.gallery.map(positive)])].sort((a, b) => a - b);
const photos = await readGroupedPhotos(folder, positive(values.photos));
const described = await describeAll(photos, values.descriptors);
printCoverage(described);
for (const { title, header, rows } of accuracyTables(facesOf(described), galleries)) {
  console.log(`\n${title}`);
  printTable(header, rows);
}

async function describeAll(all: readonly GroupedPhoto[], cache?: string): Promise<Described[]> {
  const known = new Map(readCache(cache).map((one) => [one.file, one]));
  const done: Described[] = [];
  for (const photo of all) {
    const one = known.get(photo.file) ?? (await describe(photo));
    if (cache && !known.has(photo.file)) appendFileSync(cache, `${JSON.stringify(one)}\n`);
    done.push({ ...one, group: photo.group, person: photo.person });
    if (done.length % PROGRESS_EVERY === 0) console.error(`${done.length} of ${all.length} photographs`);
  }
  return done;
}

function readCache(file?: string): Described[] {
  if (!file || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as Described);
  return all.filter(({ version }) => version === FACE_PIPELINE_VERSION);
}

async function describe({ group, person, file }: GroupedPhoto): Promise<Described> {
  const image = await decodeUpright(await readFile(file), MAX_SIDE);
  const face = image && centralFace(image, await locateFaces(image));
  const descriptor = face ? await faceDescriptor(image, face.square) : null;
  return {
    version: FACE_PIPELINE_VERSION,
    group,
    person,
    file,
    detector: face?.detector ?? null,
    descriptor: descriptor && [...descriptor],
  };
}

/** The face nearest to the middle of the photograph, since bystanders stand at its sides. */
function centralFace({ width, height }: RgbImage, faces: readonly LocatedFace[]): LocatedFace | null {
  const offset = ({ box }: LocatedFace) =>
    Math.hypot(box.x + box.width / 2 - width / 2, box.y + box.height / 2 - height / 2);
  return [...faces].sort((a, b) => offset(a) - offset(b))[0] ?? null;
}

function printCoverage(all: readonly Described[]): void {
  const groups = [...new Set(all.map(({ group }) => group))];
  const row = (name: string, some: readonly Described[]) => {
    const by = (detector: Described['detector']) => some.filter((one) => one.detector === detector).length;
    const people = new Set(some.map(({ person }) => person)).size;
    return [name, `${people}`, `${some.length}`, `${by('first')}`, `${by('second')}`, `${by(null)}`];
  };
  const rows = [row('all', all)];
  if (groups.length > 1)
    for (const group of groups)
      rows.push(
        row(
          group ?? 'no group',
          all.filter((one) => one.group === group),
        ),
      );
  console.log('\nDetector coverage');
  printTable(['group', 'people', 'photographs', 'first detector', 'second detector', 'no face'], rows);
}

function facesOf(all: readonly Described[]): AccuracyFace[] {
  return all.flatMap(({ group, person, descriptor }) =>
    descriptor ? [{ group, person, descriptor: Float32Array.from(descriptor) }] : [],
  );
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} must be a positive whole number`);
  return value;
}
