import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountExports } from '../../../src/app/account-exports.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { playedVerification } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const EXPORT = `mutation ($input: ExportAccountInput!) { exportAccount(input: $input) {
  requestId accountId endCursor records { section data } } }`;
const page = async (input: Body, by = project): Promise<Body> =>
  (await by.graphql(EXPORT, { input })).exportAccount;
async function whole(accountId: string, first = 100): Promise<{ records: Body[]; pages: number }> {
  const records: Body[] = [];
  let pages = 0;
  let after: string | null = null;
  do {
    const read: Body = await page({ accountId, first, after });
    expect(read.records.length).toBeLessThanOrEqual(first);
    records.push(...read.records);
    pages += 1;
    after = read.endCursor;
  } while (after !== null);
  return { records, pages };
}
const sectionsOf = (records: Body[]) => Map.groupBy(records, ({ section }: Body) => section as string);
const refused = async (input: Body, by = project): Promise<string> =>
  (await by.rawGraphql(EXPORT, { input })).body.errors[0].extensions.code;

/** Columns that name accounts and are not exported, with the reason. */
const NOT_EXPORTED: Record<string, string> = {
  'account_standing.account_id': 'Copies of fields of the account and of its last decision, for searches.',
  'identity_recalculations.account_id': 'A recalculation that is due, without data.',
  'standing_flags.account_id': 'A recalculation that is due, without data.',
};

it('an export contains every table that has a column for accounts', async () => {
  const owner = await connectAs(gateway.database, 'owner');
  const { rows } = await owner.query(
    `select c.table_name || '.' || c.column_name as name
     from information_schema.columns c join pg_class t on t.relname = c.table_name
     where c.table_schema = 'public' and t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
       and not t.relispartition and c.table_name <> 'accounts' and c.column_name ~ '(^|_)account_id$'`,
  );
  await owner.end();
  const exported = accountExports({ media: gateway.app.media }).flatMap(({ columns }) => columns);
  expect([...exported, ...Object.keys(NOT_EXPORTED)].toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
});

describe('the export of an account', () => {
  const [id, other] = [unique('exported'), unique('secret-linked')];
  const email = `${unique('mine')}@example.com`;
  const theirEmail = `${unique('theirs')}@example.com`;
  let check: string;
  beforeAll(async () => {
    const device = unique('device');
    const phone = '+14155550123';
    await project.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId } }', {
      input: {
        name: 'seen by rule',
        state: 'ENABLED',
        trigger: 'ANY_SESSION',
        expression: `account.id = "${id}"`,
        actions: [{ raiseFlag: 'seen' }],
      },
    });
    await project.authenticate(
      { id: other, phone, email: theirEmail, first_name: 'Nobodyelse' },
      { device_id: device, ip_address: '8.8.8.8' },
    );
    await project.authenticate(
      { id, phone, email, first_name: 'Ada', metadata: { plan: 'free' }, lists: ['regulars'] },
      { device_id: device, ip_address: '8.8.8.8' },
    );
    await project.authenticate({ id });
    await project.graphql(
      'mutation ($input: BlockAccountInput!) { blockAccount(input: $input) { requestId } }',
      {
        input: { accountId: id, reason: 'a stolen card' },
      },
    );
    await project.authenticate({ id }, { ip_address: '8.8.8.8' });
    check = await playedVerification(gateway, project, {
      ...{ id: 'true', simulate: 'success', simulate_decision: 'Suspicious', account_id: id },
    });
    await project.graphql(
      'mutation ($input: ApproveVerificationInput!) { approveVerification(input: $input) { requestId } }',
      { input: { id: globalIdOf('Verification', check), reason: 'called the person' } },
    );
    await project.rest('POST', '/email?wait=1', { email });
    await gateway.app.recalculateLinks(project.projectId);
    await gateway.app.settleEvents();
  });

  it('contains the stored data, decrypted, with reasons, inputs, images and checks', async () => {
    const sections = sectionsOf((await whole(id)).records);
    const one = (section: string) => sections.get(section)![0].data;
    expect(one('ACCOUNT')).toMatchObject({
      accountId: id,
      personalFields: { email, firstName: 'Ada', metadata: { plan: 'free' } },
    });
    expect(one('IDENTIFIERS')).toMatchObject({ keyedHash: expect.stringMatching(/^[0-9a-f]+$/) });
    const visits = sections.get('SESSIONS')!.map(({ data }: Body) => data);
    expect(visits.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(visits)).toContain('8.8.8.8');
    expect(
      sections
        .get('LIST_MEMBERSHIPS')!
        .map(({ data }: Body) => [data.list, data.reason])
        .toSorted(),
    ).toEqual([
      ['block', 'a stolen card'],
      ['regulars', null],
    ]);
    expect(one('FRAUD_SIGHTINGS').keyedHashOfNetwork).toMatch(/^[0-9a-f]+$/);
    expect(one('DECISIONS')).toMatchObject({ inputs: { facts: { 'account.id': id } } });
    expect(one('RULE_MATCHES')).toMatchObject({ rule: 'seen by rule', ruleVersion: expect.any(Number) });
    const verification = one('VERIFICATIONS');
    expect(verification).toMatchObject({
      sessionId: check,
      accountId: id,
      result: { decision: 'Suspicious', document: { data: expect.anything() } },
      reviews: [{ decision: 'approved', reason: 'called the person' }],
    });
    for (const { url } of verification.media) expect((await fetch(url)).status).toBe(200);
    expect(sections.get('EMAIL_CHECKS')!.map(({ data }: Body) => data.input.email)).toContain(email);
    expect(sections.get('EVENTS')!.map(({ data }: Body) => data.type)).toEqual(
      expect.arrayContaining([
        'account.authenticated',
        'list.account_added',
        'verification.id_check.completed',
      ]),
    );
  });

  it('contains only a pseudonym of a linked account', async () => {
    const { records } = await whole(id);
    const [link] = sectionsOf(records).get('LINKS')!;
    expect(link.data).toMatchObject({
      linkedAccount: expect.stringMatching(/^[0-9a-f]{16}$/),
      score: expect.any(Number),
    });
    const text = JSON.stringify(records);
    const linked = records.find(({ data }) => data.type === 'account.linked');
    expect(JSON.stringify(linked)).toContain(link.data.linkedAccount);
    for (const theirs of [other, theirEmail, 'Nobodyelse']) expect(text).not.toContain(theirs);
  });

  it('is the same in pages of any size, and each page is audited', async () => {
    const names = ({ records }: { records: Body[] }) =>
      // The signed URLs of images differ on every page.
      records.map(({ section, data }) => JSON.stringify([section, { ...data, media: null }]));
    const large = await whole(id);
    const small = await whole(id, 3);
    expect(names(small)).toEqual(names(large));
    expect(small.pages).toBe(Math.ceil(large.records.length / 3) + (large.records.length % 3 === 0 ? 1 : 0));
    const { auditLog } = await project.graphql(
      'query ($id: ID) { auditLog(accountId: $id, first: 1, filter: { actions: [ACCOUNT_EXPORT] }) { edges { node { after } } } }',
      { id },
    );
    expect(auditLog.edges[0].node.after).toMatchObject({ isFirstPage: false, isLastPage: true });
  });

  it('is rejected with another cursor, for other roles and projects, and for unknown ids', async () => {
    const { endCursor } = await page({ accountId: id, first: 1 });
    expect(await refused({ accountId: other, first: 1, after: endCursor })).toBe('input.invalid');
    expect(await refused({ accountId: id, first: 101 })).toBe('input.invalid');
    expect(await refused({ accountId: id, first: 0 })).toBe('input.invalid');
    expect(await refused({ accountId: unique('unknown') })).toBe('account.not_found');
    expect(await refused({ accountId: id }, await gateway.project())).toBe('account.not_found');
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    expect(await refused({ accountId: id }, project.withKey(key))).toBe('auth.forbidden');
  });

  it('is never stored for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const ask = async () =>
      (await project.rawGraphql(EXPORT, { input: { accountId: id, first: 1 } }, headers)).body;
    const [first, second] = [await ask(), await ask()];
    expect(second.data.exportAccount.requestId).not.toBe(first.data.exportAccount.requestId);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rowCount } = await client.query('select 1 from idempotency_keys where project_id = $1', [
      project.projectId,
    ]);
    await client.end();
    expect(rowCount).toBe(0);
  });
});

it('an export of an unknown id contains its pending data', async () => {
  const accountId = unique('waiting');
  await project.graphql(
    'mutation ($input: AllowAccountInput!) { allowAccount(input: $input) { requestId } }',
    {
      input: { accountId, reason: 'a partner' },
    },
  );
  expect((await whole(accountId)).records).toMatchObject([
    { section: 'PENDING_LIST_MEMBERSHIPS', data: { list: 'allow', reason: 'a partner' } },
  ]);
});
