import { makePassport } from '../../../fixtures/documents/passport.ts';
import { randomPerson } from '../../../fixtures/documents/person.ts';
import { photograph } from '../../../fixtures/documents/photograph.ts';
import { seededRandom } from '../../../fixtures/documents/random.ts';
import { renderDocument } from '../../../fixtures/documents/render.ts';
import { personFrames } from '../../../fixtures/faces/person.ts';
import { astronautPhoto } from '../../../fixtures/faces/photo.ts';
import { captured, photographedPassport } from '../../../support/image-checks.ts';
import type { Recorder } from './recorder.ts';

/**
 * Results of checks with images: readings of a document, missing readings, and other accounts with the face and
 * the number.
 */
export async function recordPhotographed(recorder: Recorder): Promise<void> {
  const { ask, given, gateway, project, clock } = recorder;
  const frames = await personFrames();
  const portrait = await astronautPhoto();
  const check = (front: Uint8Array) => captured(gateway, project, { frames, front, at: clock.now() });
  const { photo } = await photographedPassport(portrait);
  const [first, second] = [await check(photo), await check(photo)];
  await ask('photographed', { body: { session_id: first } });
  await given('POST', '/liveness/enroll', { session_id: first, account_id: 'first' });
  await given('POST', '/liveness/enroll', { session_id: second, account_id: 'second' });
  await ask('photographed again, by another account', { body: { session_id: second } });

  const random = seededRandom(61);
  const person = randomPerson(random, { country: 'GBR' });
  const born = { year: person.born.year - 11, month: (person.born.month % 12) + 1, day: 17 };
  const forged = makePassport(person, { random, portrait, printed: { born } });
  const side = await renderDocument(forged, { side: 'front' });
  const session_id = await check(await photograph(side, { random: seededRandom(62) }));
  await ask('a document whose print and zone differ', { body: { session_id } });
}
