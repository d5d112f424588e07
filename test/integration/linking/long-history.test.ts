import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { HISTORY_LIMITS } from '@vouchgraph/linking/internals/history-limits';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { addIdentifiers, countIdentifiers } from '../../support/identifiers.ts';
import { connectAs } from '../../support/sql.ts';

/* Accounts that were seen with more browsers, devices and networks than count. */

const masterKey = generateMasterKey();
const MINUTE_MS = 60_000;
const START = Date.parse('2026-01-10T00:00:00Z');
const at = (minute: number) => new Date(START + minute * MINUTE_MS);
const startOf = (minute: number) => ({ start_time: at(minute).toISOString() });
let gateway: Gateway;
let sql: pg.Client;
let closeStorage: () => Promise<void>;
let openCommand: (
  project: TestProject,
) => Promise<Pick<Awaited<ReturnType<typeof openProjectForCommandLine>>, 'rebuilding' | 'viewer'>>;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
  closeStorage = storage.close;
  openCommand = (project) => openProjectForCommandLine(storage, project.projectId);
});
afterAll(async () => {
  await sql.end();
  await closeStorage();
  await gateway.close();
});

async function linksOf(project: TestProject, id: string): Promise<Body[]> {
  const { accounts_linked } = (await project.rest('GET', `/account/${id}/accounts-linked`)).body;
  return accounts_linked.map(({ account_id, score }: Body) => ({ account_id, score }));
}

/** Differences between stored links and a recomputation. */
async function differencesOf(project: TestProject) {
  await gateway.app.recalculateLinks(project.projectId);
  const { rebuilding, viewer } = await openCommand(project);
  const { missing, surplus, different, counters, identities, notCompared } = await rebuilding.check(
    viewer,
    () => {},
  );
  return { missing, surplus, different, counters, identities, notCompared };
}
const NO_DIFFERENCES = {
  missing: [],
  surplus: [],
  different: [],
  counters: [],
  identities: 0,
  notCompared: 0,
};

const ofAccount = ({ projectId }: TestProject, accountId: string) => ({ projectId, accountId });

describe('an account with many networks', () => {
  it('stays linked by its old browser after 5,000 networks, of which the newest count', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'convicted' }, { browser_id: 'old', ...startOf(-1) });
    await project.authenticate({ id: 'rotating' }, { browser_id: 'old', ...startOf(0) });
    const rotating = ofAccount(project, 'rotating');
    for (const kind of ['network', 'subnet'] as const)
      await addIdentifiers(sql, rotating, { kind, count: 5000, from: at(0) });
    for (let index = 0; index < 3; index += 1) {
      const facts = { ip_address: `90.54.${index}.1`, device_id: 'new', ...startOf(6000 + index) };
      expect(await project.authenticate({ id: 'rotating' }, facts)).toMatchObject({ accounts_linked: 1 });
    }
    expect(await linksOf(project, 'convicted')).toEqual([{ account_id: 'rotating', score: 1 }]);
    expect(await countIdentifiers(sql, rotating)).toEqual({
      browser: 1,
      device: 1,
      network: HISTORY_LIMITS.network,
      subnet: HISTORY_LIMITS.subnet,
    });
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });

  it('drops the oldest, and every link by it is recalculated', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    for (const id of ['a', 'b', 'c', 'd']) await project.authenticate({ id }, { ...facts, ...startOf(0) });
    expect((await linksOf(project, 'a')).map(({ score }) => score)).toEqual([0.5136, 0.5136, 0.5136]);
    for (const kind of ['network', 'subnet'] as const)
      await addIdentifiers(sql, ofAccount(project, 'd'), {
        kind,
        count: HISTORY_LIMITS[kind] - 1,
        from: at(0),
      });
    expect(await differencesOf(project)).toMatchObject({ ...NO_DIFFERENCES, counters: ['d'] });
    const next = { ip_address: '86.20.3.4', ...startOf(500) };
    expect(await project.authenticate({ id: 'd' }, next)).toMatchObject({ accounts_linked: 0 });
    // The device is shared by four, the network by three.
    await gateway.app.recalculateLinks(project.projectId);
    expect((await linksOf(project, 'a')).map(({ score }) => score)).toEqual([0.552, 0.552]);
    expect(await linksOf(project, 'd')).toEqual([]);
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });

  it('is not linked by a network of a late session that is older than all kept ones', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    await project.authenticate({ id: 'a' }, { ...facts, ...startOf(0) });
    await project.authenticate({ id: 'd' }, { device_id: 'tablet', ...startOf(900) });
    for (const kind of ['network', 'subnet'] as const)
      await addIdentifiers(sql, ofAccount(project, 'd'), { kind, count: HISTORY_LIMITS[kind], from: at(10) });
    await project.authenticate({ id: 'd' }, { ...facts, ...startOf(5) });
    expect(await linksOf(project, 'd')).toEqual([]);
    await project.authenticate({ id: 'd' }, { ...facts, ...startOf(1000) });
    expect((await linksOf(project, 'd')).map(({ account_id }) => account_id)).toEqual(['a']);
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });

  it('keeps a network beyond the limit that it uses again', async () => {
    const project = await gateway.project();
    const facts = { ip_address: '90.54.1.1' };
    await project.authenticate({ id: 'returning' }, { ...facts, ...startOf(0) });
    const returning = ofAccount(project, 'returning');
    for (const kind of ['network', 'subnet'] as const)
      await addIdentifiers(sql, returning, { kind, count: HISTORY_LIMITS[kind], from: at(10) });
    await project.authenticate({ id: 'returning' }, { ...facts, ...startOf(1000) });
    const { rows } = await sql.query(
      'select uses from identifiers where project_id = $1 and kind = any($2) and last_seen = $3',
      [project.projectId, [IDENTIFIER_KINDS.network, IDENTIFIER_KINDS.subnet], at(1000)],
    );
    expect(rows).toEqual([{ uses: 1 }, { uses: 1 }]);
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });

  it('counts at most as many recent networks as are kept for links', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'busy' }, startOf(0));
    await addIdentifiers(sql, ofAccount(project, 'busy'), { kind: 'network', count: 300, from: at(0) });
    const facts = { ip_address: '90.54.1.1', ...startOf(301) };
    const { account } = await project.authenticate({ id: 'busy' }, facts);
    const counts = { '1_day': HISTORY_LIMITS.network, '7_day': HISTORY_LIMITS.network };
    expect(account.unique_networks).toEqual(counts);
    expect((await project.rest('PUT', '/account/busy', { username: 'busy' })).body.unique_networks).toEqual(
      counts,
    );
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });
});

describe('an account with 50,000 stored identifiers', () => {
  const kinds = ['browser', 'device', 'device_part', 'network', 'subnet'] as const;

  it('is authenticated, updated, read and erased, and keeps the newest of each kind', async () => {
    const project = await gateway.project();
    const facts = { browser_id: 'shared', device_id: 'laptop', ip_address: '90.54.1.1' };
    await project.authenticate({ id: 'other', phone: '+14155552671' }, { ...facts, ...startOf(0) });
    await project.authenticate({ id: 'long', phone: '+14155552671' }, { ...facts, ...startOf(0) });
    const long = ofAccount(project, 'long');
    for (const kind of kinds) await addIdentifiers(sql, long, { kind, count: 10_000, from: at(0) });
    const answer = await project.authenticate(
      { id: 'long' },
      { ip_address: '86.20.3.4', ...startOf(20_000) },
    );
    expect(answer).toMatchObject({ accounts_linked: 1 });
    expect(await linksOf(project, 'other')).toEqual([{ account_id: 'long', score: 1 }]);
    expect(await countIdentifiers(sql, long)).toEqual({ ...HISTORY_LIMITS, phone: 1 });

    const session_id = await project.session({ ip_address: '86.20.3.5', ...startOf(20_001) });
    const sent = await statementsOf(() =>
      project.rest('POST', '/session/authenticate', { session_id, account: { id: 'long' } }),
    );
    const small = await project.session({ ip_address: '86.20.3.6', ...startOf(20_001) });
    const usual = await statementsOf(() =>
      project.rest('POST', '/session/authenticate', { session_id: small, account: { id: 'other' } }),
    );
    // It drops a network and a subnet, and its other identifiers are read as for any account.
    expect(sent.filter((name) => name !== 'identifier.drop')).toEqual(usual);
    expect((await project.rest('PUT', '/account/long', { username: 'long' })).status).toBe(200);
    expect((await project.rest('GET', '/account/long')).body).toMatchObject({ accounts_linked: 1 });
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
    expect((await project.rest('DELETE', '/account/long')).status).toBe(200);
    expect(await linksOf(project, 'other')).toEqual([]);
  });

  it('is trimmed by a rebuild, which recalculates links by the dropped identifiers', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    for (const id of ['a', 'b', 'c', 'd']) await project.authenticate({ id }, { ...facts, ...startOf(0) });
    const long = ofAccount(project, 'd');
    for (const kind of kinds) await addIdentifiers(sql, long, { kind, count: 10_000, from: at(0) });
    const { rebuilding, viewer } = await openCommand(project);
    expect(await rebuilding.rebuild(viewer, () => {})).toBe(4);
    expect(await countIdentifiers(sql, long)).toEqual(HISTORY_LIMITS);
    expect(await linksOf(project, 'd')).toEqual([]);
    // Three accounts still have both.
    expect((await linksOf(project, 'a')).map(({ score }) => score)).toEqual([0.615, 0.615]);
    expect(await differencesOf(project)).toEqual(NO_DIFFERENCES);
  });
});

/** Statements of a request, without those of its authorization. */
async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  gateway.takeStatements();
  await request();
  const own = /^(account|session|identifier|list|link|history|velocity|face|rule)\.|^(begin|commit)$/;
  return gateway.takeStatements().filter((name) => own.test(name));
}
