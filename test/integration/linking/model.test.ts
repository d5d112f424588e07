import { componentsOf, contactValues, type IdentifierKind, personOf } from '@vouchgraph/linking';
import { HISTORY_LIMITS } from '@vouchgraph/linking/internals/history-limits';
import { type LinkableAccount, linkAll } from '@vouchgraph/linking/internals/link-all';
import { networkPrefixes } from '@vouchgraph/platform/ip/ip-address';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { addIdentifiers } from '../../support/identifiers.ts';

/*
 * Compares stored links and identities after random concurrent changes with a model: linkAll over all identifiers of the
 * accounts. The model does not use the stored state.
 */

const START = new Date('2026-03-01T12:00:00.000Z');
const DAY = 86_400_000;
/** MODEL_DEPTH tries that many times as many random changes, and MODEL_SEED others. */
const DEPTH = Number(process.env.MODEL_DEPTH ?? 1);
let gateway: Gateway;
let sql: pg.Client;

beforeAll(async () => {
  gateway = await startGateway({ clock: new TestClock(new Date(START.getTime() + 90 * DAY)) });
  sql = new pg.Client({ connectionString: gateway.database.ownerUrl });
  await sql.connect();
  await sql.query('set role vouchgraph_system');
});
afterAll(async () => {
  await sql.end();
  await gateway.close();
});

type Fields = {
  email?: string;
  phone?: string;
  username?: string;
  first_name?: string;
  last_name?: string;
  date_of_birth?: string;
  identifiers?: readonly StatedNumber[];
};
type StatedNumber = { type: 'passport'; country: string; value: string };
type Step =
  | { kind: 'authenticate'; id: string; fields: Fields; facts: Facts; day: number }
  | { kind: 'update'; id: string; fields: Fields; group?: string }
  | { kind: 'delete'; id: string };
type Facts = { device_id?: string; ip_address?: string; browser_id?: string };

const PASSPORTS: readonly StatedNumber[] = ['C01X00T47', 'C01X00T48'].map((value) => ({
  type: 'passport',
  country: 'DE',
  value,
}));
const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const fields: fc.Arbitrary<Fields> = fc.record({
  email: maybe([
    'ada.lovelace@example.com',
    'ada.lovelacee@example.com',
    'ada.lovelace7@example.com',
    'ada.lovelace@exmaple.com',
    'ada.lovelaceexample.com',
    'bob@example.org',
    'bob@example.org',
    'Bob+1@example.org',
    'info@example.org',
    'none@none.com',
    '',
  ]),
  phone: fc.option(fc.constantFrom('+14155552671', '+4930123456', ''), { nil: undefined, freq: 9 }),
  username: fc.option(fc.constantFrom('ada', 'Ada', 'grace', ''), { nil: undefined, freq: 9 }),
  first_name: maybe(['Ada', 'Álvaro', 'Grace', 'Adda', 'Emil', 'test', '']),
  last_name: maybe(['Lovelace', 'Hopper', 'Lovelave', '']),
  identifiers: fc.option(fc.subarray([...PASSPORTS]), { nil: undefined, freq: 7 }),
  date_of_birth: maybe(['1984-05-06', '1984-05-07', '1984-06-05', '1971-11-23', '1900-01-01', '']),
});
const facts: fc.Arbitrary<Facts> = fc.record({
  device_id: maybe(['terminal', 'laptop']),
  ip_address: maybe(['90.54.1.1', '90.54.1.2', '90.54.2.1', '2a01:cb00:1:2::5', '2a01:cb00:1:3::5']),
  browser_id: fc.option(fc.constantFrom('b1', 'b2'), { nil: undefined, freq: 12 }),
});
/** Few mailboxes with many first names, which become shared and no longer shared. */
const mailboxFields: fc.Arbitrary<Fields> = fc.record({
  email: fc.constantFrom(
    undefined,
    'bob@example.org',
    'bob@example.org',
    'bob@example.org',
    'Bob+1@example.org',
    'info@example.org',
  ),
  first_name: fc.constantFrom(
    undefined,
    undefined,
    'Ada',
    'ADA',
    'Álvaro',
    'Grace',
    'Emil',
    'Fay',
    'test',
    '',
  ),
  last_name: fc.constantFrom(undefined, undefined, 'Lovelace'),
});
const stepOf = (accounts: number, stated: fc.Arbitrary<Fields> = fields): fc.Arbitrary<Step> => {
  const ids = fc.integer({ min: 0, max: accounts - 1 }).map((number) => `account-${number}`);
  return fc.oneof(
    {
      weight: 14,
      arbitrary: fc.record({
        kind: fc.constant('authenticate' as const),
        id: ids,
        fields: stated,
        facts,
        day: fc.constantFrom(0, 0, 0, 3, 20, 60),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('update' as const),
        id: ids,
        fields: stated,
        group: fc.option(fc.constantFrom('', 'eu'), { nil: undefined, freq: 4 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: ids }) },
  );
};

type Known = {
  group: string;
  fields: Required<Fields>;
  sightings: { kind: IdentifierKind; value: string; firstSeen: Date; lastSeen: Date; uses: number }[];
};

/** Identifiers of the accounts in the model: a field is replaced, a session adds. */
class Model {
  readonly accounts = new Map<string, Known>();

  apply(step: Step): void {
    if (step.kind === 'delete') {
      this.accounts.delete(step.id);
      return;
    }
    const before = this.accounts.get(step.id);
    if (!before && step.kind === 'update') return;
    const known = before ?? {
      group: '',
      fields: {
        ...{ email: '', phone: '', username: '', first_name: '', last_name: '', date_of_birth: '' },
        identifiers: [],
      },
      sightings: [],
    };
    this.accounts.set(step.id, known);
    const seen =
      step.kind === 'authenticate'
        ? new Date(START.getTime() + step.day * DAY)
        : new Date(START.getTime() + 90 * DAY);
    if (step.kind === 'update' && step.group !== undefined) known.group = step.group;
    const stated = Object.entries(step.fields).filter(([, value]) => value !== undefined);
    Object.assign(known.fields, Object.fromEntries(stated));
    this.#seeContacts(known, new Set(stated.map(([name]) => name)), seen);
    if (step.kind === 'authenticate') this.#seeSession(known, step.facts, seen);
    for (const [kind, limit] of Object.entries(HISTORY_LIMITS)) {
      const ofKind = known.sightings.filter((one) => one.kind === kind);
      const newest = ofKind.toSorted((a, b) => b.lastSeen.getTime() - a.lastSeen.getTime()).slice(0, limit);
      known.sightings = known.sightings.filter((one) => one.kind !== kind || newest.includes(one));
    }
  }

  /** What `addIdentifiers` stores. */
  fill(id: string, { kind, count, from }: { kind: IdentifierKind; count: number; from: Date }): void {
    for (let index = 1; index <= count; index += 1) {
      const seen = new Date(from.getTime() + index * 60_000);
      this.#see(this.accounts.get(id)!, kind, `${id} own ${index}`, seen);
    }
  }

  #seeContacts(known: Known, stated: ReadonlySet<string>, seen: Date): void {
    const values = contactValues(fieldsOf(known), []);
    const source: Record<string, string[]> = {
      email: ['email'],
      role_email: ['email'],
      written_email: ['email'],
      email_block: ['email'],
      phone: ['phone'],
      username: ['username'],
      name: ['first_name', 'last_name'],
      first_name: ['first_name'],
      birth_date: ['date_of_birth'],
      birth_block: ['date_of_birth'],
      id_number: ['identifiers'],
    };
    for (const [kind, current] of values) {
      if (!source[kind]?.some((name) => stated.has(name))) continue;
      known.sightings = known.sightings.filter((one) => one.kind !== kind || current.includes(one.value));
      for (const value of current) this.#see(known, kind, value, seen);
    }
  }

  #seeSession(known: Known, { device_id, ip_address, browser_id }: Facts, seen: Date): void {
    if (device_id) this.#see(known, 'device', device_id, seen);
    if (browser_id) this.#see(known, 'browser', browser_id, seen);
    if (!ip_address) return;
    const { address, subnet } = networkPrefixes(ip_address);
    this.#see(known, 'network', address, seen);
    this.#see(known, 'subnet', subnet, seen);
  }

  #see(known: Known, kind: IdentifierKind, value: string, seen: Date): void {
    const one = known.sightings.find((other) => other.kind === kind && other.value === value);
    if (!one) known.sightings.push({ kind, value, firstSeen: seen, lastSeen: seen, uses: 1 });
    else {
      if (seen < one.firstSeen) one.firstSeen = seen;
      if (seen > one.lastSeen) one.lastSeen = seen;
      one.uses += 1;
    }
  }

  linkable(): LinkableAccount[] {
    return [...this.accounts].map(([id, known]) => ({
      ...{ id, group: known.group, identifiers: known.sightings },
      person: personOf(fieldsOf(known)),
    }));
  }
}

function fieldsOf({ fields }: Known) {
  const { email, phone, username, first_name: firstName, last_name: lastName } = fields;
  // The model knows no keys: a number stands for its hash.
  const idNumbers = fields.identifiers.map(({ type, country, value }) => ({ type, country, hash: value }));
  return { email, phone, username, firstName, lastName, dateOfBirth: fields.date_of_birth, idNumbers };
}

async function run(project: TestProject, step: Step): Promise<number> {
  if (step.kind === 'delete') return (await project.rest('DELETE', `/account/${step.id}`)).status;
  if (step.kind === 'update') {
    const body = { ...step.fields, ...(step.group === undefined ? {} : { group: step.group }) };
    return (await project.rest('PUT', `/account/${step.id}`, body)).status;
  }
  const start_time = new Date(START.getTime() + step.day * DAY).toISOString();
  const session_id = await project.session({ ...step.facts, start_time });
  const answer = await project.rest('POST', '/session/authenticate', {
    session_id,
    account: { id: step.id, ...step.fields },
  });
  return answer.status;
}

async function storedLinks(projectId: string): Promise<string[]> {
  const { rows } = await sql.query(
    `select a.account_id as a, b.account_id as b, l.score, l.kinds, l.bridges, l.first_seen, l.last_seen from links l
     join accounts a on a.project_id = l.project_id and a.id = l.account_id
     join accounts b on b.project_id = l.project_id and b.id = l.linked_account_id where l.project_id = $1`,
    [projectId],
  );
  return rows
    .map((row) => shown(row.a, row.b, { ...row, firstSeen: row.first_seen, lastSeen: row.last_seen }))
    .sort();
}

function shown(
  a: string,
  b: string,
  link: { score: number; kinds: number; bridges: boolean; firstSeen: Date; lastSeen: Date },
): string {
  return `${a} ${b} ${link.score} ${link.kinds} ${link.bridges} ${link.firstSeen.toISOString()} ${link.lastSeen.toISOString()}`;
}

async function storedIdentities(projectId: string): Promise<string[]> {
  const { rows } = await sql.query(
    `select string_agg(a.account_id, ' ' order by a.account_id collate "C") as accounts, max(g.size) as size, count(*)::int as count
     from identity_members m join identity_groups g on g.project_id = m.project_id and g.group_id = m.group_id
     join accounts a on a.project_id = m.project_id and a.id = m.account_id
     where m.project_id = $1 group by m.group_id`,
    [projectId],
  );
  for (const { size, count } of rows) expect(size).toBe(count);
  return rows.map(({ accounts }) => accounts).sort();
}

/** The differences, instead of two long lists. */
function expectSame(stored: readonly string[], expected: readonly string[]): void {
  expect({
    missing: expected.filter((each) => !stored.includes(each)),
    wrong: stored.filter((each) => !expected.includes(each)),
  }).toEqual({ missing: [], wrong: [] });
}

/** Steps of one account run in order; steps of different accounts run concurrently. */
async function runRound(project: TestProject, model: Model, steps: readonly Step[]): Promise<void> {
  const byAccount = Map.groupBy(steps, ({ id }) => id);
  await Promise.all(
    [...byAccount.values()].map(async (own) => {
      for (const step of own) {
        const isKnown = model.accounts.has(step.id);
        model.apply(step);
        const status = await run(project, step);
        expect(status).toBe(step.kind === 'authenticate' || isKnown ? 200 : 400);
      }
    }),
  );
}

/** Compares the stored links and identities with the model, once nothing is pending. */
async function expectRecomputed(project: TestProject, model: Model): Promise<void> {
  await gateway.app.recalculateLinks(project.projectId);
  const links = linkAll(model.linkable());
  const expected = links.flatMap((link) => [shown(link.a, link.b, link), shown(link.b, link.a, link)]);
  expectSame(await storedLinks(project.projectId), expected);
  const identities = componentsOf(links.filter(({ bridges }) => bridges)).map((each) => each.join(' '));
  expectSame(await storedIdentities(project.projectId), identities);
}

it('links and identities equal a recomputation from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(stepOf(28), { minLength: 8, maxLength: 24 }), { minLength: 3, maxLength: 6 }),
      async (rounds) => {
        const project = await gateway.project();
        const model = new Model();
        for (const round of rounds) {
          await runRound(project, model, round);
          await expectRecomputed(project, model);
        }
      },
    ),
    { numRuns: 12 * DEPTH, seed: Number(process.env.MODEL_SEED ?? 20261121), endOnFailure: true },
  );
}, 300_000);

it('links by mailboxes that become shared, or no longer shared, equal a recomputation', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Single changes are mostly recalculated in their own transaction, concurrent changes mostly by the worker.
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.array(stepOf(9, mailboxFields), { minLength: 1, maxLength: 1 }) },
          { weight: 1, arbitrary: fc.array(stepOf(9, mailboxFields), { minLength: 4, maxLength: 12 }) },
        ),
        { minLength: 10, maxLength: 24 },
      ),
      async (rounds) => {
        const project = await gateway.project();
        const model = new Model();
        for (const round of rounds) {
          await runRound(project, model, round);
          await expectRecomputed(project, model);
        }
      },
    ),
    { numRuns: 8 * DEPTH, seed: Number(process.env.MODEL_SEED ?? 20261123), endOnFailure: true },
  );
}, 300_000);

const ACCOUNTS = 8;
/** Each account starts with nearly as many identifiers of these kinds as are kept, so that new ones displace others. */
const FILLED = [
  ['browser', 1],
  ['device', 1],
  ['network', 2],
  ['subnet', 1],
] as const;

it('links of accounts beyond the history limits equal a recomputation within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(stepOf(ACCOUNTS), { minLength: 8, maxLength: 16 }), { minLength: 3, maxLength: 5 }),
      async (rounds) => {
        const project = await gateway.project();
        const model = new Model();
        for (let number = 0; number < ACCOUNTS; number += 1) {
          const id = `account-${number}`;
          const facts = { device_id: 'terminal', ip_address: '90.54.1.1', browser_id: `b${number % 2}` };
          const first = { kind: 'authenticate' as const, id, fields: {}, facts, day: number / 1000 };
          await runRound(project, model, [first]);
          for (const [kind, room] of FILLED) {
            const fill = {
              kind,
              count: HISTORY_LIMITS[kind] - room - 1,
              from: new Date(START.getTime() + 2 * DAY),
            };
            await addIdentifiers(sql, { projectId: project.projectId, accountId: id }, fill);
            model.fill(id, fill);
          }
        }
        // No equal times: the kept identifier would depend on the hashes.
        let moments = 0;
        for (const round of rounds) {
          const apart = round.map((step) =>
            step.kind === 'authenticate' ? { ...step, day: step.day + ++moments / 100 } : step,
          );
          await runRound(project, model, apart);
          await expectRecomputed(project, model);
        }
      },
    ),
    { numRuns: 5 * DEPTH, seed: Number(process.env.MODEL_SEED ?? 20261122), endOnFailure: true },
  );
}, 300_000);
