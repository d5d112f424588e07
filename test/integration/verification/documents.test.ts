import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePassport } from '../../fixtures/documents/passport.ts';
import { type Person, randomPerson } from '../../fixtures/documents/person.ts';
import { photograph } from '../../fixtures/documents/photograph.ts';
import { seededRandom } from '../../fixtures/documents/random.ts';
import { renderDocument } from '../../fixtures/documents/render.ts';
import { type Frames, sharedFrame } from '../../fixtures/faces/challenge.ts';
import { personFrames } from '../../fixtures/faces/person.ts';
import { astronautPhoto, toJpeg } from '../../fixtures/faces/photo.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { captured, photographedPassport } from '../../support/image-checks.ts';
import { download } from '../../support/media.ts';
import { enroll, refusal, verifyId, verifyIdentity } from '../../support/verification.ts';

/*
 * ID checks with images: the portrait on an invented passport is that of the person who shows it, or another one.
 * retake.test.ts shows images without a document.
 */
const TIMEOUT = 240_000;
let gateway: Gateway;
let frames: Frames;
let passport: Awaited<ReturnType<typeof photographedPassport>>;
beforeAll(async () => {
  gateway = await startGateway();
  frames = await personFrames();
  passport = await photographedPassport(await astronautPhoto());
}, TIMEOUT);
afterAll(() => gateway.close());

const resultOf = async (project: TestProject, id: string): Promise<Body> => {
  const { status, body } = await verifyId(project, id);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe('an ID check', { timeout: TIMEOUT }, () => {
  it('reads the document, and matches its portrait with the face; a second check repeats both', async () => {
    const project = await gateway.project();
    const session = await captured(gateway, project, { frames, front: passport.photo });
    const result = await resultOf(project, session);
    const { templateInfo, userData } = passport.document.truth;
    expect(result.document_data).toMatchObject({
      template_info: { document_country_code: templateInfo.documentCountryCode, template_type: 'passport' },
      user_data: {
        first_name: userData.firstName,
        last_name: userData.lastName,
        date_of_birth: userData.dateOfBirth,
        date_of_expiration: userData.dateOfExpiration,
        id_number: userData.idNumber,
      },
    });
    const { document_signals: signals } = result;
    expect(signals).toMatchObject({
      id_barcode_status: 'no_barcode_specificed_by_template',
      is_full_id_captured: 'full_id_detected',
      is_id_digital_spoof: 'likely_physical_id',
      name_not_found: false,
      is_digital_id: false,
    });
    expect(signals.id_face_match_score).toBeGreaterThan(0.75);
    const born = Number(userData.dateOfBirth.slice(6));
    expect(new Date().getUTCFullYear() - born - signals.id_age).toBeOneOf([0, 1]);
    expect(result.risk_flags).not.toContain('low_id_face_match_score');
    expect(result.risk_flags.filter((flag: string) => flag.startsWith('repeat'))).toEqual([]);
    // Its zone is valid, print is consistent, the face matches, and there is no negative evidence.
    expect(signals.id_text_status).toBe('likely_original_text');
    expect([result.decision, signals.id_validity]).toEqual(['Real', 'likely_authentic_id']);
    // A passport has no back.
    expect(Object.keys(result.photo_urls)).toEqual(['face', 'id_scan_front']);
    for (const [side, url] of Object.entries<string>(result.photo_urls))
      expect((await download(url)).status, side).toBe(200);

    const again = await captured(gateway, project, { frames, front: passport.photo });
    const repeated = await resultOf(project, again);
    expect(repeated.risk_flags).toEqual(expect.arrayContaining(['repeat_face', 'repeat_id']));
    expect(repeated.risk_score).toBeGreaterThan(result.risk_score);
    // Both are now accounts, linked by their shared identifiers.
    const [one, two] = [unique('one'), unique('two')];
    await enroll(project, session, one);
    await enroll(project, again, two);
    const { matches } = await resultOf(project, again);
    expect(matches).toMatchObject({ num_accounts_linked: 1, accounts_linked: [{ account_id: one }] });
    expect(matches.accounts_linked[0].match_types).toEqual(
      expect.arrayContaining(['face', 'document_number']),
    );
    // After the erasure its face, document and images are gone.
    expect((await project.rest('DELETE', `/account/${one}`)).status).toBe(200);
    expect((await download(result.photo_urls.face)).status).toBe(404);
    expect((await verifyId(project, session)).status).toBe(400);
    expect((await resultOf(project, again)).matches.num_accounts_linked).toBe(0);
  });

  it('reports another face than that on the document', async ({ skip }) => {
    const otherPerson = await sharedFrame('person-b-1');
    if (!otherPerson) return skip();
    const project = await gateway.project();
    const { photo } = await photographedPassport(await toJpeg(otherPerson, 95), { seed: 41 });
    const account = unique('impostor');
    const session = await captured(gateway, project, {
      frames,
      front: photo,
      query: { account_id: account },
    });
    const result = await resultOf(project, session);
    expect(result.document_signals.id_face_match_score).toBeLessThan(0.5);
    expect(result.risk_flags).toContain('low_id_face_match_score');
    expect(result.decision).toBe('Fake');
    expect(result.metadata.account_id).toBe(account);
    // A check that is decided Fake is not enrolled.
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { rawDecision contributions { flag } } }',
      { id: session },
    );
    expect(verification.rawDecision).toBe('FAKE');
    const own = await playedFace(project);
    expect((await verifyIdentity(project, own, account)).body).toEqual(refusal('account_not_enrolled'));
  });

  it('of a document that the frame truncates requires another capture', async () => {
    const project = await gateway.project();
    const { photo } = await photographedPassport(await astronautPhoto(), { seed: 51, cut: 0.2 });
    const result = await resultOf(project, await captured(gateway, project, { frames, front: photo }));
    expect(result.document_signals.is_full_id_captured).toBe(
      'could_not_confidently_determine_full_id_user_needs_to_retry',
    );
    expect(result.document_signals.id_validity).toBe('cannot_confirm_id_is_authentic');
    // The only evidence against it is the missing fields.
    const { riskFlags, contributions, rawDecision } = await assessmentOf(project, result.metadata.session_id);
    expect(riskFlags).toContain('CANNOT_CONFIRM_ID_IS_AUTHENTIC');
    const { value } = contributions.find(({ flag }) => flag === 'CANNOT_CONFIRM_ID_IS_AUTHENTIC')!;
    expect([value, rawDecision]).toBeOneOf([
      [0.05, 'REAL'],
      [0.4, 'SUSPICIOUS'],
    ]);
  });

  it('with different birth dates in print and zone is Fake', async () => {
    const project = await gateway.project();
    const random = seededRandom(61);
    const person = randomPerson(random, { country: 'GBR' });
    const portrait = await astronautPhoto();
    const forged = makePassport(person, { random, portrait, printed: { born: otherBirth(person) } });
    const photo = await photograph(await renderDocument(forged, { side: 'front' }), {
      random: seededRandom(62),
    });
    const result = await resultOf(project, await captured(gateway, project, { frames, front: photo }));
    expect(result.document_signals.id_validity).toBe('likely_fake_id');
    expect([result.decision, result.document_data.user_data.date_of_birth]).toEqual(['Fake', '']);
  });
});

const otherBirth = ({ born }: Person) => ({ year: born.year - 11, month: (born.month % 12) + 1, day: 17 });

type Assessment = {
  riskFlags: string[];
  rawDecision: string;
  contributions: { flag: string; value: number }[];
};
const assessmentOf = async (project: TestProject, id: string): Promise<Assessment> => {
  const { verification } = await project.graphql(
    'query ($id: ID!) { verification(sessionId: $id) { riskFlags rawDecision contributions { flag value } } }',
    { id },
  );
  return verification;
};

const playedFace = (project: TestProject) => captured(gateway, project, { frames });
