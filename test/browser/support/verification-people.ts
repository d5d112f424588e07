import sharp from 'sharp';
import { makeIdCard } from '../../fixtures/documents/id-card.ts';
import { makeLicense } from '../../fixtures/documents/license.ts';
import { makePassport } from '../../fixtures/documents/passport.ts';
import { randomPerson } from '../../fixtures/documents/person.ts';
import { type PhotoOptions, photograph } from '../../fixtures/documents/photograph.ts';
import { seededRandom } from '../../fixtures/documents/random.ts';
import { renderDocument } from '../../fixtures/documents/render.ts';
import type { Side, Specimen, SpecimenOptions } from '../../fixtures/documents/specimen.ts';
import type { Frames } from '../../fixtures/faces/challenge.ts';
import { personFrames, printFrames } from '../../fixtures/faces/person.ts';
import { astronautPhoto } from '../../fixtures/faces/photo.ts';
import { cameraArguments } from './fake-camera.ts';

/*
 * The person before the camera of a whole verification, and their document. Chromium plays one video in a loop
 * from the start of the camera, so that the shown frame is unknown when an image is captured: the video changes
 * fast enough to show each turn in the time of each step, and a sandbox accepts them in any order.
 */

/** Frames of one view: longer than the interval of the page between two images. */
const VIEW_FRAMES = 12;

/** Arguments for a browser with a person before the camera who turns the head. */
export async function livingCamera(): Promise<string[]> {
  return film(await personFrames());
}

/** Arguments for a browser with a turned print before the camera. */
export async function printedCamera(): Promise<string[]> {
  return film(await printFrames());
}

function film({ center, left, right }: Frames): Promise<string[]> {
  return cameraArguments([center, left, right].flatMap((view) => Array<Buffer>(VIEW_FRAMES).fill(view)));
}

/** Documents of invented people, with the portrait of the person before the camera unless another is given. */
export async function passportOf(options: SpecimenOptions = {}): Promise<Specimen> {
  const random = seededRandom(31);
  const person = randomPerson(random, { country: 'GBR' });
  return makePassport(person, { random, portrait: await astronautPhoto(), ...options });
}

/** A portrait without a face. The default head of a document is a drawing, which may be detected as a face. */
export function blankPortrait(): Promise<Buffer> {
  return sharp({ create: { width: 350, height: 450, channels: 3, background: '#aab2ba' } })
    .jpeg()
    .toBuffer();
}

export async function idCardOf(): Promise<Specimen> {
  const random = seededRandom(39);
  const person = randomPerson(random, { country: 'DEU' });
  return makeIdCard(person, { random, portrait: await astronautPhoto() });
}

export async function licenseOf(): Promise<Specimen> {
  const random = seededRandom(33);
  const person = randomPerson(random, { country: 'USA' });
  return makeLicense(person, { random, portrait: await astronautPhoto() });
}

/** A photograph of a side. */
export async function photoOf(document: Specimen, side: Side, options: PhotoOptions = {}): Promise<Buffer> {
  return photograph(await renderDocument(document, { side }), {
    level: 'mild',
    random: seededRandom(34),
    ...options,
  });
}
