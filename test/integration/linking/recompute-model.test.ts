import { generateMasterKey } from '@vouchgraph/platform/crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import {
  CONSISTENT,
  checkLinks,
  countStale,
  keysAsWritten,
  type MatchedFields,
  storeStaleKeys,
} from '../../support/stale-match-keys.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let sql: pg.Client;
let storage: Awaited<ReturnType<typeof openForCommandLine>>;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
});
afterAll(async () => {
  await sql.end();
  await storage.close();
  await gateway.close();
});

type Step =
  | { kind: 'add' | 'drop' | 'delete'; account: number }
  | { kind: 'authenticate' | 'update'; account: number; fields: MatchedFields; group?: string };

const maybe = <T>(...values: T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: values.length });
const contacts: fc.Arbitrary<MatchedFields> = fc.record({
  email: maybe(
    'bob@acme-widgets.com',
    'bob@acme-widgets.com',
    'Bob+1@acme-widgets.com',
    'info@acme-widgets.com',
    'none@none.com',
    '',
  ),
  phone: maybe('+44 7700 900302', '+44 (0)7700 900302', '0000000000', '+14155552671', ''),
  username: maybe('n/a', 'N/A', 'ada', ''),
  first_name: maybe('Ada', 'Byron', 'Clara', 'Dora', 'test', ''),
  last_name: maybe('Lovelace', 'test', ''),
});
const ACCOUNTS = 9;
const account = fc.integer({ min: 0, max: ACCOUNTS - 1 });
const request: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('authenticate' as const), account, fields: contacts }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      account,
      fields: contacts,
      group: fc.option(fc.constantFrom('', 'eu'), { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), account }) },
);
const stepsOf = (kind: 'add' | 'drop') =>
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: fc.constant(kind), account }) },
      { weight: 3, arbitrary: request },
    ),
    { minLength: 4, maxLength: 24 },
  );
const idOf = (number: number) => `a${number}`;

async function openStale(first: readonly MatchedFields[]) {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  for (const [number, fields] of first.entries()) await project.authenticate({ id: idOf(number), ...fields });
  const keys = first.map((fields, number) => [idOf(number), keysAsWritten(fields)]);
  await storeStaleKeys(sql, command, Object.fromEntries(keys));
  return { project, command };
}

type Opened = Awaited<ReturnType<typeof openStale>>;

async function runStep({ project, command }: Opened, step: Step): Promise<void> {
  const id = idOf(step.account);
  if (!('fields' in step)) {
    if (step.kind === 'delete') await project.rest('DELETE', `/account/${id}`);
    else await command.accounts.recomputeMatchKeys(command.viewer, id, step.kind);
  } else if (step.kind === 'authenticate') {
    await project.authenticate({ id, ...step.fields });
  } else {
    const group = step.group === undefined ? {} : { group: step.group };
    await project.rest('PUT', `/account/${id}`, { ...step.fields, ...group });
  }
}

async function expectConsistent({ project, command }: Opened): Promise<void> {
  await gateway.app.recalculateLinks(project.projectId);
  expect(await checkLinks(command)).toMatchObject(CONSISTENT);
}

/** Steps one after another with a check after each, or the accounts in parallel with a check at the end. */
async function runAll(opened: Opened, steps: readonly Step[], isParallel: boolean): Promise<void> {
  if (isParallel) {
    const ofAccounts = [...Map.groupBy(steps, (step) => step.account).values()];
    await Promise.all(
      ofAccounts.map(async (own) => {
        for (const step of own) await runStep(opened, step);
      }),
    );
    await expectConsistent(opened);
    return;
  }
  for (const step of steps) {
    await runStep(opened, step);
    await expectConsistent(opened);
  }
}

it('requests at any moment of a recomputation leave links that equal those of a rebuild', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(contacts, { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
      stepsOf('add'),
      stepsOf('drop'),
      fc.boolean(),
      async (first, adding, dropping, isParallel) => {
        const opened = await openStale(first);
        const { project, command } = opened;
        await runAll(opened, adding, isParallel);
        for (let number = 0; number < ACCOUNTS; number++)
          await command.accounts.recomputeMatchKeys(command.viewer, idOf(number), 'add');
        await expectConsistent(opened);
        await runAll(opened, dropping, isParallel);
        await gateway.app.recompute();
        expect(await countStale(sql, project)).toEqual({ stale: 0, holding: 0 });
        await gateway.app.recalculateLinks(project.projectId);
        expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [] });
      },
    ),
    {
      numRuns: Number(process.env.MODEL_RUNS ?? 12),
      seed: Number(process.env.MODEL_SEED ?? 20261124),
      endOnFailure: true,
    },
  );
}, 600_000);
