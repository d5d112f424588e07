import { parseEmail } from '@vouchgraph/email';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { createLogger } from '@vouchgraph/platform/logger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAddressHistories } from '../../../src/domain/email-checks/address-history-store.ts';
import { createEmailEraseService } from '../../../src/domain/email-checks/email-erase-service.ts';
import { createAccessService, type Viewer } from '../../../src/domain/projects/access-service.ts';
import type { Project } from '../../../src/domain/projects/project.ts';
import type { Call, ProjectTransaction } from '../../../src/storage/database.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

const masterKey = generateMasterKey();
const logged: string[] = [];
let gateway: Gateway;
let theirs: TestProject;

beforeAll(async () => {
  const write = (line: string) => void logged.push(line);
  gateway = await startGateway({ masterKey, log: createLogger('trace', { write }) });
  theirs = await gateway.project();
});
afterAll(() => gateway.close());

async function asProject({ projectId }: TestProject): Promise<Project> {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  return (await access.findProjectById(projectId))!;
}

const operatorOf = (project: Project): Viewer => ({
  project,
  kind: 'key',
  role: 'operator',
  actor: 'test',
  limitKey: 'test',
});

const query = (name: string, text: string, values: unknown[]) =>
  gateway.app.database.system.query({ name: `test.${name}`, text }, values);

/** The same project on a connection that reads the rows of all projects: only the statements separate them. */
function withoutRowSecurity(project: Project): Project {
  const { system } = gateway.app.database;
  const run = async (...calls: Call[]) => {
    const results = [];
    for (const [statement, values] of calls) results.push(await system.query(statement, values));
    return results;
  };
  const prisma = null as never;
  const transaction: ProjectTransaction = { run, commit: run, prisma };
  const database = {
    ...project.database,
    projectId: project.projectId,
    prisma,
    query: system.query,
    transaction: <T>(work: (transaction: ProjectTransaction) => Promise<T>) => work(transaction),
  };
  return { ...project, database };
}

/**
 * Copies stored data of an address from one project into another: rows with hashes that the key of the other
 * would never create.
 */
async function copyRows(from: TestProject, to: TestProject): Promise<void> {
  const tables = {
    accounts: 'id, account_id, personal, expected_countries, countries, num_sessions, match_key_version',
    identifiers: 'account_id, kind, value_hash, first_seen, last_seen, uses',
    email_checks: 'check_id, address_hash, status, input, result, event_id, request_id, completed_at',
  };
  for (const [table, columns] of Object.entries(tables))
    await query(
      `copy_${table}`,
      `insert into ${table} (project_id, ${columns}) select $2, ${columns} from ${table} where project_id = $1`,
      [from.projectId, to.projectId],
    );
}

describe('stored data of an address in one project', () => {
  it('is excluded from the history in another project, by the statement and by row-level security', async () => {
    const email = `${unique('planted')}@example.org`;
    const [project, other] = [await gateway.project(), await gateway.project()];
    await project.authenticate({ id: unique('account'), email });
    await project.rest('POST', '/email', { email });
    await copyRows(project, other);
    const [full, foreign] = [await asProject(project), await asProject(other)];
    const histories = (of: Project) => findAddressHistories(of, [parseEmail(email)], new Date());
    const known = { accounts: 1, sessions: 1, accountsFromDomain: 1 };
    expect(await histories(full)).toMatchObject([known]);
    // Only by the statement.
    expect(await histories(withoutRowSecurity(full))).toMatchObject([known]);
    const empty = { ...foreign, cipher: full.cipher, projectId: theirs.projectId };
    expect(await histories(withoutRowSecurity(empty))).toMatchObject([{ firstSeen: null, accounts: 0 }]);
    // Only by row-level security: the statement requests rows of a project, and the connection belongs to
    // another one.
    expect(await histories({ ...full, database: (await asProject(theirs)).database })).toMatchObject([
      { firstSeen: null, accounts: 0, accountsFromDomain: 0 },
    ]);
  });

  it('is not erased by another project, by the statement and by row-level security', async () => {
    const email = `${unique('erased')}@example.org`;
    const [project, other] = [await gateway.project(), await gateway.project()];
    await project.rest('POST', '/email', { email });
    await copyRows(project, other);
    const full = await asProject(project);
    const { erase } = createEmailEraseService({ clock: systemClock });
    const left = async () =>
      (
        await query('left', 'select project_id from email_checks where project_id = any($1) order by 1', [
          [project.projectId, other.projectId],
        ])
      ).map(({ project_id }) => project_id);
    const both = [project.projectId, other.projectId].sort();
    const foreign = { ...full, database: (await asProject(theirs)).database };
    expect(await erase(operatorOf(foreign), null, email)).toMatchObject({ checks: 0 });
    expect(await left()).toEqual(both);
    expect(await erase(operatorOf(withoutRowSecurity(full)), null, email)).toEqual({
      checks: 1,
      events: 1,
      deliveries: 0,
    });
    expect(await left()).toEqual([other.projectId]);
  });

  it('has no effect on the responses of another project', async () => {
    const email = `${unique('both')}@example.org`;
    const account = { id: unique('known'), email, first_name: unique('First'), last_name: unique('Last') };
    // Two projects ask for the same address: the signals of a random one can differ from those of another.
    const ask = async () => {
      const asking = await gateway.project();
      const { body } = await asking.rest('POST', '/email?wait=5', { email, identity_intelligence: true });
      return JSON.stringify(body.result.data.result);
    };
    const unknown = await ask();
    await theirs.authenticate(account);
    await theirs.rest('POST', '/list/block/account/' + account.id);
    await theirs.rest('POST', '/email', { email });
    const known = await ask();
    expect(known).toBe(unknown);
    expect(known).toContain('"first_seen_at":null');
  });
});

it('log lines of any level contain no address, claim or batch', async () => {
  const marker = unique('logged').replaceAll('-', '');
  const email = `${marker}@${marker}.com`;
  const claims = {
    name: { first: `First${marker}`, last: `Last${marker}` },
    phone: '+14155550177',
    country: 'FR',
  };
  const project = await gateway.project();
  const headers = { 'idempotency-key': unique('key') };
  const path = (wait: string) => `/email${wait}`;
  await project.rest('POST', path('?wait=5'), { email, claims, identity_intelligence: true }, headers);
  await project.rest('POST', path(''), {
    emails: [{ email, claims }, { email: `not ${marker}` }],
    batch_name: marker,
  });
  await project.rest('POST', path(''), { email: `${marker}@${'x'.repeat(400)}.com` });
  await project.rest('POST', path(''), { emails: [{ claims, marker: email }] });
  await gateway.app.settleEmailChecks(project.projectId);
  // Internal errors are logged, with the message of the database.
  await query(
    'spoil',
    `update email_checks set input = '\\x01', status = 'pending', result = null where project_id = $1`,
    [project.projectId],
  );
  await query(
    'spoil_batches',
    `update email_batches set status = 'pending', completed_count = 0, claimable_at = now() where project_id = $1`,
    [project.projectId],
  );
  await gateway.app.settleEmailChecks(project.projectId);
  await project.graphql('mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks } }', {
    email,
  });
  await gateway.app.purge();
  const lines = logged.join('\n').toLowerCase();
  expect(lines).toContain('completing email checks failed');
  for (const planted of [marker, '4155550177']) expect(lines).not.toContain(planted.toLowerCase());
});
