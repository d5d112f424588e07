import { randomUUID } from 'node:crypto';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { createKeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import { searchDistance } from '@vouchgraph/vision/face-thresholds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountService } from '../../../src/domain/accounts/account-service.ts';
import type { Project } from '../../../src/domain/projects/project.ts';
import type { SeenEvidence } from '../../../src/domain/verification/check/compare-service.ts';
import { createCompleteService } from '../../../src/domain/verification/check/complete-service.ts';
import {
  createFaceSearch,
  encryptDescriptor,
} from '../../../src/domain/verification/faces/face-index-service.ts';
import { bindSessionOfCheck } from '../../../src/domain/verification/result/bind-check-service.ts';
import { createVerificationViews } from '../../../src/domain/verification/result/view-service.ts';
import { findVerification } from '../../../src/domain/verification/verification-store.ts';
import { type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { openProject, setVerificationState } from '../../support/media.ts';
import { connectAs } from '../../support/sql.ts';
import { consentAt, enroll, pagePost, verificationLink } from '../../support/verification.ts';

/* Completions with faces that were already read, over a pool of two connections. */
const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { DATABASE_POOL_SIZE: '2' } });
});
afterAll(() => gateway.close());

/** Faces on a line: the distance of two is the difference of their positions. */
const faceAt = (place: number) => Float32Array.from({ length: 128 }, (_, at) => (at === 0 ? place : 0));
const seenAt = (place: number): SeenEvidence => ({
  face: {
    problem: null,
    descriptor: faceAt(place),
    ageYears: 30,
    bestFrame: 0,
    portrait: null,
    recaptureScore: null,
    challenge: [],
    timings: {},
  },
  document: null,
  isRecaptured: false,
  isVirtualCamera: false,
});

async function setUp() {
  const client = await gateway.project();
  const project = await openProject(gateway, masterKey, client.projectId);
  const faces = createFaceSearch();
  const completing = createCompleteService({
    accounts: createAccountService({
      clock: systemClock,
      bindSessionOfCheck,
      erasures: [],
      mailExchangers: null,
    }),
    faces,
    views: createVerificationViews({ media: gateway.app.media }),
    clock: systemClock,
    mutex: createKeyedMutex(),
  });
  return { client, project, faces, completing };
}
type Set = Awaited<ReturnType<typeof setUp>>;

/** A session whose images were submitted. */
async function waiting({ client, project }: Set, accountId = '') {
  const link = await verificationLink(client, accountId === '' ? {} : { account_id: accountId });
  const input = { secret: link.secret, consent: consentAt(), language: 'en' };
  const { status } = await pagePost(gateway, link.sessionId, 'start', input);
  expect(status).toBe(200);
  await setVerificationState(gateway, client, link.sessionId, 'processing');
  return (await findVerification(project.database, link.sessionId))!;
}

const INSERT = {
  name: 'test.face_template',
  text: `insert into face_templates (project_id, template_id, account_id, session_id, account_group, descriptor,
           created_at, expires_at, pipeline_version) values ($1, $2, $3, $4, $5, $6, now(), $7, $8)`,
};
type Template = {
  place: number;
  account?: string | null;
  group?: string;
  expiresAt?: Date | null;
  version?: number;
};
async function addTemplate(
  { projectId, cipher }: Project,
  { place, account = null, group = '', expiresAt = null, version = FACE_PIPELINE_VERSION }: Template,
) {
  const [templateId, sessionId] = [newId(), randomUUID()];
  const encrypted = encryptDescriptor(cipher, templateId, faceAt(place));
  const values = [projectId, templateId, account, sessionId, group, encrypted, expiresAt, version];
  await gateway.app.database.system.query(INSERT, values);
  return { templateId, sessionId };
}

const resultOf = async ({ project, client }: Set, sessionId: string) => {
  const { verification } = await client.graphql(
    'query ($id: ID!) { verification(sessionId: $id) { state riskFlags } }',
    { id: sessionId },
  );
  expect(verification.state).toBe('COMPLETED');
  return {
    flags: verification.riskFlags as string[],
    row: await findVerification(project.database, sessionId),
  };
};

describe('the faces of a project', () => {
  it('are found behind any number of expired ones and those of other groups', async () => {
    const set = await setUp();
    for (let at = 0; at < 30; at += 1) {
      await addTemplate(set.project, { place: 0.001 * at, group: 'other group' });
      await addTemplate(set.project, { place: 0.001 * at, expiresAt: new Date(Date.now() - 1000) });
    }
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    const alone = await resultOf(set, row.session_id);
    await addTemplate(set.project, { place: 0.2 });
    const next = await waiting(set);
    // Not the previous one, which would be found first.
    await gateway.app.database.system.query(
      {
        name: 'test.forget_template',
        text: 'delete from face_templates where project_id = $1 and session_id = $2',
      },
      [set.client.projectId, row.session_id],
    );
    await set.completing.completeSeen(set.project, next, seenAt(0));
    const repeated = await resultOf(set, next.session_id);
    const fresh = repeated.flags.filter((flag) => !alone.flags.includes(flag));
    expect(fresh).toHaveLength(1);
    expect(fresh[0]).toMatch(/face/i);
  });

  it('are removed from memory when they expired, and with the session that they came from', async () => {
    const set = await setUp();
    const { projectId } = set.client;
    await addTemplate(set.project, { place: 0, expiresAt: new Date(Date.now() - 1000) });
    const erased = await addTemplate(set.project, { place: 5 });
    await set.faces.prepare(set.project);
    expect(set.faces.sizeOf(projectId)).toBe(2);
    await set.completing.completeSeen(set.project, await waiting(set), seenAt(0));
    expect(set.faces.sizeOf(projectId)).toBe(1);
    set.faces.forgetSessions({ projectId }, [erased.sessionId, randomUUID()]);
    expect(set.faces.sizeOf(projectId)).toBe(0);
  });

  it('are removed from memory after their cache time', async () => {
    const { project } = await setUp();
    await addTemplate(project, { place: 0 });
    const [faces, lasting] = [createFaceSearch({ keptMs: 1 }), createFaceSearch()];
    for (const each of [faces, lasting]) await each.prepare(project);
    expect(lasting.countProjects()).toBe(1);
    await expect.poll(() => faces.countProjects()).toBe(0);
  });

  it('that were prepared are not read again, even without memory for them', async () => {
    const { project } = await setUp();
    for (let at = 0; at < 3; at += 1) await addTemplate(project, { place: at });
    const faces = createFaceSearch({ keptMs: 1 });
    const known = await faces.prepare(project);
    await expect.poll(() => faces.sizeOf(project.projectId)).toBe(0);
    const later = await addTemplate(project, { place: 1.1 });
    let read = 0;
    const found = await project.database.transaction((transaction) =>
      known.search(
        {
          ...transaction,
          async run(...calls) {
            const rows = await transaction.run(...calls);
            read += rows[0]!.length;
            return rows;
          },
        },
        faceAt(1),
        '',
      ),
    );
    expect(read).toBe(1);
    expect(found).toHaveLength(2);
    expect(found[1]!.templateId).toBe(later.templateId);
  });
});

describe('the limit of a search', () => {
  /** Whether a face is found at a distance, in a project with this number of other faces. */
  const isFound = async (
    set: Set,
    {
      distance,
      size,
      group = '',
      strangersGroup = group,
    }: Record<'distance' | 'size', number> & {
      group?: string;
      strangersGroup?: string;
    },
  ) => {
    const { project } = set;
    const faces = createFaceSearch();
    const known = await addTemplate(project, { place: 0, group });
    // Beyond the limit of any gallery.
    for (let at = 1; at < size; at += 1)
      await addTemplate(project, { place: 100 + at, group: strangersGroup });
    const prepared = await faces.prepare(project);
    const found = await project.database.transaction(async (transaction) => {
      const hits = await prepared.search(transaction, faceAt(distance), group);
      await transaction.commit();
      return hits;
    });
    return found.some(({ templateId }) => templateId === known.templateId);
  };

  it('decreases with the gallery of the group, and not with other groups', {
    timeout: 60_000,
  }, async () => {
    const [small, large] = [1, 101].map((size) => searchDistance('strict', size)) as [number, number];
    expect(large).toBeLessThan(small);
    const between = (small + large) / 2;
    expect(await isFound(await setUp(), { distance: between, size: 1 })).toBe(true);
    expect(await isFound(await setUp(), { distance: between, size: 101 })).toBe(false);
    expect(await isFound(await setUp(), { distance: large - 0.01, size: 101 })).toBe(true);
    const elsewhere = { distance: between, size: 101, group: 'shop', strangersGroup: 'other shop' };
    expect(await isFound(await setUp(), elsewhere)).toBe(true);
    expect(await isFound(await setUp(), { ...elsewhere, strangersGroup: 'shop' })).toBe(false);
  });

  it('is that of the setting', async () => {
    const set = await setUp();
    const [strict, standard] = (['strict', 'standard'] as const).map((level) => searchDistance(level, 1));
    const between = (strict! + standard!) / 2;
    expect(await isFound(set, { distance: between, size: 1 })).toBe(false);
    const settings = { ...set.project.settings, faceMatching: 'standard' as const };
    expect(
      await isFound({ ...set, project: { ...set.project, settings } }, { distance: between, size: 1 }),
    ).toBe(true);
  });

  it('is that of the group that a face was bound to', async () => {
    const set = await setUp();
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    const account = { id: unique('grouped'), group: 'shop' };
    const bound = await set.client.rest('POST', '/session/authenticate', {
      session_id: row.session_id,
      account,
    });
    expect(bound.status).toBe(200);
    // The cache of this process is updated.
    const prepared = await set.faces.prepare(set.project);
    const find = (group: string) =>
      set.project.database.transaction(async (transaction) => {
        const hits = await prepared.search(transaction, faceAt(0), group);
        await transaction.commit();
        return hits.length;
      });
    expect([await find(''), await find('shop')]).toEqual([0, 1]);
  });
});

describe('a face with a descriptor of another version', () => {
  it('is never found, in memory or in the database', async () => {
    const set = await setUp();
    const version = FACE_PIPELINE_VERSION - 1;
    await addTemplate(set.project, { place: 0, version });
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    expect((await resultOf(set, row.session_id)).flags).not.toContain('repeat_face');
    expect(set.faces.sizeOf(set.client.projectId)).toBe(0);
    // A face in memory that another gateway has replaced since.
    const next = await waiting(set);
    await set.faces.prepare(set.project);
    expect(set.faces.sizeOf(set.client.projectId)).toBe(1);
    await gateway.app.database.system.query(
      {
        name: 'test.other_version',
        text: 'update face_templates set pipeline_version = $2 where project_id = $1',
      },
      [set.client.projectId, FACE_PIPELINE_VERSION + 1],
    );
    await set.completing.completeSeen(set.project, next, seenAt(0));
    expect((await resultOf(set, next.session_id)).flags).not.toContain('repeat_face');
  });

  it('is stored by a completion with the version of its descriptor', async () => {
    const set = await setUp();
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    const templates = await gateway.app.database.system.query(
      {
        name: 'test.versions',
        text: 'select pipeline_version from face_templates where project_id = $1',
      },
      [set.client.projectId],
    );
    expect(templates).toEqual([{ pipeline_version: FACE_PIPELINE_VERSION }]);
  });
});

describe('concurrent completions', () => {
  it('need one connection each, and wait for their turn without one', { timeout: 60_000 }, async () => {
    const set = await setUp();
    const accounts = Array.from({ length: 6 }, () => unique('at once'));
    const rows = [];
    for (const account of accounts) rows.push(await waiting(set, account));
    // The accounts exist, so that each completion has to look one up.
    for (const id of accounts) await set.client.authenticate({ id });
    const completing = rows.map((row, at) => set.completing.completeSeen(set.project, row, seenAt(at * 10)));
    // Another user of the pool is served meanwhile.
    expect((await set.client.rest('GET', `/account/${accounts[0]}`)).status).toBe(200);
    expect(await Promise.all(completing)).toEqual(rows.map(() => true));
  });

  it('of one session that many requests enroll concurrently: each request gets a response', {
    timeout: 60_000,
  }, async () => {
    const set = await setUp();
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => enroll(set.client, row.session_id, unique(`many ${at}`))),
    );
    const errors = answers.map(({ body }) => body.error ?? 'done').sort();
    expect(errors).toEqual(['done', ...Array(7).fill('session_already_tied_to_an_account')]);
  });
});

describe('locks', () => {
  /** Holds a lock, starts an operation that waits for it, and returns the waiting statement. */
  async function whileHeld(sql: string, values: string[], begin: () => Promise<unknown>) {
    const owner = await connectAs(gateway.database, 'owner');
    // The only role that reads the rows of every project.
    const holder = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      await holder.query('begin');
      const { rows: held } = await holder.query(
        `select pg_backend_pid() as pid from (${sql}) as held`,
        values,
      );
      expect(held).toHaveLength(1);
      const work = begin();
      const waiters = async (): Promise<{ pid: number; query: string }[]> =>
        (
          await owner.query('select pid, query from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [
            held[0].pid,
          ])
        ).rows;
      await expect.poll(async () => (await waiters()).length).toBe(1);
      const [{ pid, query }] = (await waiters()) as [{ pid: number; query: string }];
      // Locks of accounts, and others without a row, that it already holds.
      const { rows } = await owner.query(
        `select count(*)::int as count from pg_locks where locktype = 'advisory' and granted and pid = $1`,
        [pid],
      );
      await holder.query('commit');
      return { query, advisory: rows[0].count as number, answer: await work };
    } finally {
      await holder.end();
      await owner.end();
    }
  }

  it('of faces are acquired before that of an account during an erasure', async () => {
    const { client } = await setUp();
    const account = unique('erased');
    await client.authenticate({ id: account });
    const { advisory, answer } = await whileHeld(
      `select pg_advisory_xact_lock(hashtextextended('faces ' || $1::text, 0))`,
      [client.projectId],
      () => client.rest('DELETE', `/account/${account}`),
    );
    expect(advisory).toBe(0);
    expect(answer).toMatchObject({ status: 200 });
  });

  it('of a session are acquired before it is bound, although it has no account yet', async () => {
    const set = await setUp();
    const row = await waiting(set);
    await set.completing.completeSeen(set.project, row, seenAt(0));
    const { query, answer } = await whileHeld(
      'select 1 from verification_sessions where project_id = $1 and session_id = $2 for update',
      [set.client.projectId, row.session_id],
      () => enroll(set.client, row.session_id, unique('bound')),
    );
    expect(query).toContain('for update of v');
    expect(answer).toMatchObject({ status: 200 });
  });
});
