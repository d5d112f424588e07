import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { searchDistance, verificationDistance } from '@vouchgraph/vision/face-thresholds';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { openProject } from '../../support/media.ts';
import { faceChecks, seenAt } from '../../support/seen-faces.ts';
import { enroll, verifyFace, verifyIdentity } from '../../support/verification.ts';

/* Effects of the setting `faceMatching`. */
const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());

const between = (distance: typeof verificationDistance) => (distance('strict') + distance('standard')) / 2;

/** A project of a level, with checks that are completed by its settings. */
async function setUp(level: 'STRICT' | 'STANDARD') {
  const checks = await faceChecks(gateway, masterKey);
  const { client, completing, waiting } = checks;
  if (level === 'STANDARD')
    await client.graphql(
      'mutation { updateProjectSettings(input: { faceMatching: STANDARD }) { requestId } }',
    );
  const project = await openProject(gateway, masterKey, client.projectId);
  return {
    client,
    async checked(place: number, query: Record<string, string> = {}): Promise<string> {
      const row = await waiting(query);
      expect(await completing.completeSeen(project, row, seenAt(place))).toBe(true);
      return row.session_id;
    },
  };
}

it.each([
  ['STRICT', false],
  ['STANDARD', true],
] as const)(
  '1:1 comparisons by %s: a face at a distance between both limits is the same: %s',
  async (level, isSame) => {
    const { client, checked } = await setUp(level);
    const account = unique('enrolled');
    await checked(0, { account_id: account });
    const session = await checked(between(verificationDistance));
    expect((await verifyIdentity(client, session, account)).body).toMatchObject({
      success: true,
      match: isSame,
    });
    const own = await checked(between(verificationDistance), { account_id: account });
    const { risk_flags: flags } = (await verifyFace(client, own)).body;
    expect(flags.includes('enrolled_face_mismatch')).toBe(!isSame);
    expect((await enroll(client, session, account)).body).toMatchObject(
      isSame ? { success: true } : { error: 'account_already_enrolled' },
    );
  },
);

it.each([
  ['STRICT', []],
  ['STANDARD', ['repeat_face']],
] as const)('the search by %s: a face at a distance between both limits raises %j', async (level, flags) => {
  const { client, checked } = await setUp(level);
  await checked(0);
  const session = await checked(between((each) => searchDistance(each, 1)));
  expect((await verifyFace(client, session)).body.risk_flags).toEqual(flags);
});
