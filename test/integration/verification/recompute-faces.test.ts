import { rm } from 'node:fs/promises';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { createKeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { createLogger } from '@vouchgraph/platform/logger';
import { FACE_PIPELINE_VERSION, type FaceReading, type FaceTask } from '@vouchgraph/vision';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recomputeLock } from '../../../src/domain/recompute/recompute-store.ts';
import { startRecompute } from '../../../src/domain/recompute/recompute-worker.ts';
import { createFaceRecompute } from '../../../src/domain/verification/faces/face-recompute-service.ts';
import { personFrames } from '../../fixtures/faces/person.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { captured } from '../../support/image-checks.ts';
import { noiseImage, openProject } from '../../support/media.ts';
import { type FaceChecks, faceChecks, seenAt } from '../../support/seen-faces.ts';
import { connectAs } from '../../support/sql.ts';
import { enroll, verifyFace, verifyIdentity } from '../../support/verification.ts';

/* Templates of another version of the face pipeline. */
const masterKey = generateMasterKey();
const TIMEOUT = 180_000;
let gateway: Gateway;
beforeAll(async () => {
  // Templates are recomputed on request of the test.
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
});
afterAll(() => gateway.close());

const sql = (name: string, text: string, values: unknown[]) =>
  gateway.app.database.system.query({ name: `test.${name}`, text }, values);
const OTHER_VERSION = FACE_PIPELINE_VERSION - 1;
const makeStale = ({ projectId }: TestProject, version = OTHER_VERSION) =>
  sql(
    'make_stale',
    'update face_templates set pipeline_version = $2, unreadable_version = $2 where project_id = $1',
    [projectId, version],
  );
const countsOf = async (client: TestProject): Promise<Body> =>
  (
    await client.graphql(
      '{ project { faceTemplates { comparable pending notComparable enrolledNotComparable } } }',
    )
  ).project.faceTemplates;
const counts = (
  comparable: number,
  pending: number,
  notComparable: number,
  enrolledNotComparable: number,
) => ({
  comparable,
  pending,
  notComparable,
  enrolledNotComparable,
});
const NOT_COMPARABLE = {
  error: 'account_not_enrolled',
  message:
    'The enrolled face was stored by an earlier version without an image and cannot be compared: enroll the account again',
};

/** Order in which the templates were written, oldest first. */
const changesOf = ({ projectId }: TestProject) =>
  sql(
    'changes',
    'select template_id, change_number from face_templates where project_id = $1 order by change_number',
    [projectId],
  );

type Read = (task: FaceTask) => Promise<FaceReading>;
/** A reader of images whose result is the face at a position. */
const reads =
  (place: number, before: () => unknown = () => {}): Read =>
  async () => {
    await before();
    return seenAt(place).face;
  };
const READS_NOTHING: Read = async () => ({
  ...seenAt(0).face,
  descriptor: null,
  portrait: null,
  problem: 'no_face',
});

/** Only the recomputation of a gateway, with a reader of the test. */
function recomputing(readFaces: Read) {
  const { media, database } = gateway.app;
  const { recomputation } = createFaceRecompute({ vision: { readFaces }, media, mutex: createKeyedMutex() });
  return startRecompute({
    recomputations: [recomputation],
    system: database.system,
    getProject: (projectId) => openProject(gateway, masterKey, projectId),
    log: createLogger('silent'),
    runsAlone: false,
    onError: () => () => {},
  });
}

async function keepFrame({ project }: FaceChecks, sessionId: string, frame?: Buffer): Promise<void> {
  const slot = { sessionId, kind: 'face_frame', sequence: 0 } as const;
  await gateway.app.media.store(project, slot, 'image/jpeg', frame ?? (await noiseImage()));
}

/** An account with a stale enrolled face. `keepsImage`: whether an image of it is stored. */
async function enrolledStale(keepsImage = true) {
  const checks = await faceChecks(gateway, masterKey);
  const account = unique('enrolled');
  const session = await checks.checked(0, { account_id: account });
  if (keepsImage) await keepFrame(checks, session);
  await makeStale(checks.client);
  return { ...checks, account, session };
}

describe('with the stored images', { timeout: TIMEOUT }, () => {
  it('templates are recomputed, and found and compared from then on', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const frames = await personFrames();
    const account = unique('enrolled');
    const session = await captured(gateway, client, { frames, query: { account_id: account } });
    const other = await checks.checked(9);
    await keepFrame(checks, other, frames.center);
    await makeStale(client);
    await sql(
      'spoil',
      `update face_templates set descriptor = 'spoilt' where project_id = $1 and session_id = $2`,
      [client.projectId, session],
    );
    expect(await countsOf(client)).toEqual(counts(0, 2, 0, 0));
    await gateway.app.recompute();
    expect(await countsOf(client)).toEqual(counts(2, 0, 0, 0));
    expect((await verifyIdentity(client, other, account)).body).toMatchObject({ success: true, match: true });
    const next = await captured(gateway, client, { frames });
    expect((await verifyFace(client, next)).body.risk_flags).toEqual(['repeat_face']);
  });

  it('a portrait replaces frames without a face, and an image without a face is flagged', async () => {
    const client = await gateway.project();
    const frames = await personFrames();
    const project = await openProject(gateway, masterKey, client.projectId);
    const [one, other] = [
      await captured(gateway, client, { frames }),
      await captured(gateway, client, { frames }),
    ];
    const noise = await noiseImage(400);
    const replace = (sessionId: string, kind: 'face_frame' | 'portrait', sequence: number) =>
      gateway.app.media.store(project, { sessionId, kind, sequence }, 'image/jpeg', noise);
    for (const sessionId of [one, other])
      for (const sequence of [0, 1, 2]) await replace(sessionId, 'face_frame', sequence);
    await replace(other, 'portrait', 0);
    await makeStale(client);
    await gateway.app.recompute();
    const versions = await sql(
      'versions_of',
      `select session_id, pipeline_version as made, unreadable_version as unreadable
       from face_templates where project_id = $1 order by created_at`,
      [client.projectId],
    );
    expect(versions).toEqual([
      { session_id: one, made: FACE_PIPELINE_VERSION, unreadable: OTHER_VERSION },
      { session_id: other, made: OTHER_VERSION, unreadable: FACE_PIPELINE_VERSION },
    ]);
  });

  it('a requested one is recomputed before the others', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const account = unique('asked for');
    const session = await checks.checked(0, { account_id: account });
    await keepFrame(checks, session, (await personFrames()).center);
    await makeStale(client);
    expect((await verifyIdentity(client, session, account)).body).toMatchObject({
      success: true,
      match: true,
    });
    expect(await countsOf(client)).toEqual(counts(1, 0, 0, 0));
    await makeStale(client);
    expect((await enroll(client, session, account)).body).toMatchObject({ success: true });
    expect(await countsOf(client)).toEqual(counts(1, 0, 0, 0));
  });
});

describe('without an image', () => {
  it('an enrolled face is flagged, never compared, and reported for another enrollment', async () => {
    const { client, account, checked } = await enrolledStale(false);
    await gateway.app.recompute();
    expect(await countsOf(client)).toEqual(counts(0, 0, 1, 1));
    const session = await checked(0);
    // The same numbers, and no repeat.
    expect((await verifyFace(client, session)).body).toMatchObject({ decision: 'Real', risk_flags: [] });
    const other = await checked(9, { account_id: account });
    expect((await verifyFace(client, other)).body.risk_flags).not.toContain('enrolled_face_mismatch');
    const refused = await verifyIdentity(client, session, account);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ success: false, ...NOT_COMPARABLE });
    // A completion never replaces an enrolled face; an enrollment does.
    expect(await countsOf(client)).toMatchObject({ enrolledNotComparable: 1 });
    expect((await enroll(client, session, account)).body).toMatchObject({ success: true });
    expect(await countsOf(client)).toEqual(counts(2, 0, 1, 0));
    expect((await verifyIdentity(client, session, account)).body).toMatchObject({ match: true });
    expect((await verifyIdentity(client, await checked(7), account)).body).toMatchObject({ match: false });
  });

  it('an image that storage lost counts as missing: the face is flagged, and the account can be enrolled again', async () => {
    const { client, account, checked } = await enrolledStale();
    await rm(path.join(gateway.mediaDir, client.projectId), { recursive: true });
    const session = await checked(0);
    expect((await verifyIdentity(client, session, account)).body).toMatchObject(NOT_COMPARABLE);
    expect(await countsOf(client)).toEqual(counts(1, 0, 1, 1));
    expect((await enroll(client, session, account)).body).toMatchObject({ success: true });
  });

  it('a session with an incomparable face does not verify its identity', async () => {
    const { client, account, session, checked } = await enrolledStale(false);
    await gateway.app.recompute();
    const next = await checked(0);
    expect((await enroll(client, next, account)).body).toMatchObject({ success: true });
    expect((await verifyIdentity(client, session, account)).body.error).toBe(
      'session_not_valid_for_this_endpoint',
    );
  });

  it('an operator can read the numbers, and lower roles cannot', async () => {
    const client = await gateway.project({ role: 'read' });
    const { body } = await client.rawGraphql('{ project { faceTemplates { comparable } } }');
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
  });
});

describe('while templates are recomputed', () => {
  it('one of a greater version is stale too', async () => {
    const { client } = await enrolledStale();
    await makeStale(client, FACE_PIPELINE_VERSION + 1);
    expect(await countsOf(client)).toEqual(counts(0, 1, 0, 0));
    const job = recomputing(reads(0));
    await job.settle();
    expect(await countsOf(client)).toEqual(counts(1, 0, 0, 0));
    await job.close();
  });

  it('an erased account is not restored', async () => {
    const { client, account } = await enrolledStale();
    const job = recomputing(reads(0, () => client.rest('DELETE', `/account/${account}`)));
    await job.settle();
    expect(await countsOf(client)).toEqual(counts(0, 0, 0, 0));
    await job.close();
  });

  it('a face that replaced an enrolled one during recomputation remains', async () => {
    const { client, account, checked } = await enrolledStale();
    const session = await checked(5);
    const replace = () =>
      client.graphql('mutation ($input: EnrollFaceInput!) { enrollFace(input: $input) { requestId } }', {
        input: { sessionId: session, accountId: account, replace: true },
      });
    // The gateway recomputes the enrolled face before it replaces it: the images show no face there.
    let isFirst = true;
    const job = recomputing(
      reads(0, async () => {
        if (isFirst) await replace();
        isFirst = false;
      }),
    );
    await job.settle();
    const enrolled = await sql(
      'enrolled_session',
      'select session_id from face_templates where project_id = $1 and is_enrolled',
      [client.projectId],
    );
    expect(enrolled).toEqual([{ session_id: session }]);
    expect((await verifyIdentity(client, session, account)).body).toMatchObject({ match: true });
    await job.close();
  });

  it('a process that ends in the middle leaves the rest to the next', async () => {
    const { client, checked, project } = await faceChecks(gateway, masterKey);
    for (let at = 0; at < 4; at += 1) await keepFrame({ project } as FaceChecks, await checked(at * 10));
    await makeStale(client);
    let read = 0;
    const ending = recomputing(
      reads(0, () => {
        read += 1;
        // Its lock and its current read end with it.
        if (read === 2) void ending.close();
      }),
    );
    await ending.settle();
    const left = await countsOf(client);
    expect(left).toEqual(counts(2, 2, 0, 0));
    const next = recomputing(reads(0));
    await next.settle();
    expect(await countsOf(client)).toEqual(counts(4, 0, 0, 0));
    await next.close();
  });

  it('a process that is lost in the middle of an image leaves it and the rest to another one', async () => {
    const { client, checked, project } = await faceChecks(gateway, masterKey);
    for (let at = 0; at < 3; at += 1) await keepFrame({ project } as FaceChecks, await checked(at * 10));
    await makeStale(client);
    const [hangs, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let read = 0;
    const lost = recomputing(
      reads(70, () => {
        read += 1;
        if (read < 2) return;
        hangs.resolve();
        return released.promise;
      }),
    );
    const losing = lost.settle();
    await hangs.promise;
    // Its connection ends, and with it the lock.
    const owner = await connectAs(gateway.database, 'owner');
    const { rows: ended } = await owner.query(
      `select pg_terminate_backend(pid) as ended from pg_locks
       where locktype = 'advisory' and objid::bigint = hashtext($1)::bigint & 4294967295
         and database = (select oid from pg_database where datname = current_database())`,
      [recomputeLock('face templates')],
    );
    await owner.end();
    expect(ended).toEqual([{ ended: true }]);
    const next = recomputing(reads(0));
    await next.settle();
    expect(await countsOf(client)).toEqual(counts(3, 0, 0, 0));
    // The current read completes too late to be written.
    const before = await changesOf(client);
    released.resolve();
    await losing;
    expect(await changesOf(client)).toEqual(before);
    await Promise.all([lost.close(), next.close()]);
  });

  it('one of two gateways works, and each template is computed once', async () => {
    const { client, checked, project } = await faceChecks(gateway, masterKey);
    for (let at = 0; at < 5; at += 1) await keepFrame({ project } as FaceChecks, await checked(at * 10));
    await makeStale(client);
    let [read, atOnce, most] = [0, 0, 0];
    const counted: Read = async (task) => {
      read += 1;
      atOnce += 1;
      most = Math.max(most, atOnce);
      const reading = await reads(0)(task);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return reading;
    };
    const jobs = [recomputing(counted), recomputing(counted)];
    await Promise.all(jobs.map((job) => job.settle()));
    expect({ read, most }).toEqual({ read: 5, most: 1 });
    expect(await countsOf(client)).toEqual(counts(5, 0, 0, 0));
    await Promise.all(jobs.map((job) => job.close()));
  });

  it('an image that crashes its reader is skipped, and the others are computed', async () => {
    const { client, checked, project } = await faceChecks(gateway, masterKey);
    for (let at = 0; at < 3; at += 1) await keepFrame({ project } as FaceChecks, await checked(at * 10));
    await makeStale(client);
    let read = 0;
    const job = recomputing(async (task) => {
      read += 1;
      if (read === 1) throw new Error('the reader ended');
      return reads(0)(task);
    });
    await job.settle();
    await job.settle();
    expect(read).toBe(3);
    expect(await countsOf(client)).toEqual(counts(2, 1, 0, 0));
    await job.close();
    const next = recomputing(READS_NOTHING);
    await next.settle();
    expect(await countsOf(client)).toEqual(counts(2, 0, 1, 0));
    await next.close();
  });
});
