import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createProjectService } from '../../../src/domain/projects/project-service.ts';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { pick, seededRandom } from '../../fixtures/documents/random.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Answer, type Body, projectClient, type TestProject } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * Two gateways change the same accounts, which share identifiers. One is killed inside of a transaction, and its clients repeat
 * their requests at the other one, with the same keys. ACCOUNT_CHANGES extends the run, and ACCOUNT_CHANGES_SEED varies it.
 */
const CHANGES = Number(process.env.ACCOUNT_CHANGES ?? 300);
const SEED = Number(process.env.ACCOUNT_CHANGES_SEED ?? 1);
const ACCOUNTS = Math.ceil(CHANGES / 12);
const CLIENTS = 12;
const TIMEOUT_MS = 240_000 + CHANGES * 500;
/** The account of the request in whose transaction the gateway is killed. */
const HELD = 'held';

const masterKey = generateMasterKey();
let database: TestDatabase;
let sql: pg.Client;
let removeFolder: () => Promise<void>;
let survivor: GatewayProcess;
let projectId: string;
let connect: (baseUrl: string) => TestProject;
/** Clients of the running gateways; that of the surviving one is the first. */
let gateways: TestProject[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = await connectAs(database, 'vouchgraph_system');
  const { folder, remove } = await makeFolder();
  removeFolder = remove;
  survivor = run(['serve'], {
    ...{ DATABASE_URL: database.ownerUrl, MASTER_KEY: masterKey, DATA_DIR: folder },
    ...{ RATE_LIMIT_PER_MINUTE: '0', MX_LOOKUPS: 'off', LOG_LEVEL: 'silent' },
  });
  const findAddress = async () => /answers on (http:\S+)/.exec(survivor.output())?.[1];
  const baseUrl = await until('the address of a gateway', findAddress, TIMEOUT_MS);
  await withStorage(async (storage) => {
    const options = { masterKey: new MasterKey(masterKey), clock: systemClock, actor: 'test' };
    const projects = createProjectService({ database: storage.database, ...options });
    ({ projectId } = await projects.createProject('two gateways', 'sandbox'));
    const { key } = await projects.createKey(projectId, 'operator');
    connect = (url) => projectClient(url, projectId, key);
  });
  gateways = [connect(baseUrl)];
}, TIMEOUT_MS);

afterAll(async () => {
  survivor.signal('SIGKILL');
  await survivor.exited;
  await sql.end();
  await database.drop();
  await removeFolder();
});

type Storage = Awaited<ReturnType<typeof openForCommandLine>>;

/** The database as for commands. */
async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  const config = readConfig({ DATABASE_URL: database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, database.ownerUrl, 4);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** A change and its own entry in the metadata, which an account keeps with those of other changes. */
type Change = {
  kind: 'authenticate' | 'update' | 'erase';
  accountId: string;
  name: string;
  fields: Body;
  facts: Body;
};

function randomChanges(): Change[] {
  const random = seededRandom(SEED);
  const one = <T>(...values: readonly T[]) => pick(random, values);
  return Array.from({ length: CHANGES }, (_, number) => ({
    kind: one('authenticate', 'authenticate', 'authenticate', 'authenticate', 'update', 'update', 'erase'),
    accountId: `account-${Math.floor(random() * ACCOUNTS)}`,
    name: `change-${number}`,
    fields: {
      email: one(null, 'ada.lovelace@example.com', 'ada.lovelacee@example.com', 'bob@example.org', ''),
      phone: one(null, null, '+14155552671', '+14155552672', ''),
      username: one(null, null, 'ada', 'grace'),
      firstName: one(null, 'Anna', 'Hanna', 'Grace'),
      lastName: one(null, 'Hopper', 'Hooper'),
      dateOfBirth: one(null, '1984-05-06', '1984-05-07'),
    },
    facts: {
      device_id: one('terminal', 'laptop', `device-${number}`),
      ip_address: one('90.54.1.1', '90.54.1.2', `90.55.${number % 250}.1`),
    },
  }));
}

/** A change that a gateway executed. `sent` and `answered` count the requests and answers of this process. */
type Executed = Change & { sent: number; answered: number; isApplied: boolean; sessionId: string | null };

let moments = 0;

/** Executes a change. It is applied at some moment between the first request and the answer. */
async function execute(change: Change, turn: number): Promise<Executed> {
  const { kind, accountId, name, fields, facts } = change;
  const account = { accountId, ...fields, metadata: { [name]: true } };
  const opened = kind === 'authenticate' ? await send(turn, '/session', facts) : null;
  const sessionId: string | null = opened?.body.session_id ?? null;
  const [operation, input] = {
    authenticate: ['authenticateSession', { sessionId, account }],
    update: ['updateAccount', account],
    erase: ['deleteAccount', { accountId }],
  }[kind];
  const type = `${operation[0].toUpperCase()}${operation.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${operation}(input: $input) { requestId } }`;
  const sent = ++moments;
  const answer = await send(turn, '/graphql', { query, variables: { input } }, { 'idempotency-key': name });
  // The answer to an applied change is lost with its gateway, or erased with the account.
  const isApplied = codesOf(answer).every((code) => code === 'idempotency.no_answer');
  return { ...change, sent, answered: ++moments, isApplied, sessionId };
}

let interruptions = 0;

/** Sends a request to the gateways in turn, until one has executed it. */
async function send(
  first: number,
  path: string,
  body: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  for (let turn = first; ; turn += 1) {
    const gateway = gateways[turn % gateways.length]!;
    const answer = await gateway.rest('POST', path, body, headers).catch(() => null);
    if (answer === null) interruptions += 1;
    else if (!codesOf(answer).some((code) => NOT_EXECUTED.has(code))) return answer;
  }
}

/** The gateway waited too long for a lock, or an earlier request with the key may still run in the killed gateway. */
const NOT_EXECUTED = new Set(['service.busy', 'service.unavailable', 'idempotency.running']);

const codesOf = ({ body }: Answer): string[] =>
  body.errors?.map(({ extensions }: Body) => extensions.code) ?? (body.code ? [body.code] : []);

/** Executes all changes by several clients, while a gateway is killed inside of one of them. */
async function executeAll(): Promise<Executed[]> {
  const executed: Executed[] = [];
  const middle = Promise.withResolvers<void>();
  const queue = randomChanges().entries();
  const client = async () => {
    for (const [turn, change] of queue) {
      executed.push(await execute(change, turn));
      if (executed.length >= CHANGES / 2) middle.resolve();
    }
  };
  const held: Change = { kind: 'authenticate', accountId: HELD, name: 'create', fields: {}, facts: {} };
  executed.push(await execute(held, 0));
  let clients: Promise<unknown> = Promise.resolve();
  await killInside({
    ...{ database, masterKey, change: { table: 'accounts', when: `new.account_id = '${HELD}'` } },
    async begin(baseUrl) {
      gateways.push(connect(baseUrl));
      const all = Promise.all(Array.from({ length: CLIENTS }, client));
      await Promise.race([middle.promise, all]);
      const last = execute({ ...held, kind: 'update', name: 'change' }, 1).then((one) => executed.push(one));
      clients = Promise.all([all, last]);
      clients.catch(() => {});
    },
    inside: async () => void gateways.pop(),
  });
  await clients;
  return executed;
}

/** The state of all accounts: names of changes in the metadata, and bound sessions, each with the id of the account. */
async function storedState(): Promise<{ names: Set<string>; sessions: Set<string> }> {
  const { rows: sessions } = await sql.query(
    `select a.account_id, s.session_id from account_sessions s join accounts a on a.project_id = s.project_id and a.id = s.account_id
     where s.project_id = $1`,
    [projectId],
  );
  const { rows: accounts } = await sql.query('select account_id from accounts where project_id = $1', [
    projectId,
  ]);
  const names = new Set<string>();
  for (const { account_id } of accounts) {
    const { body } = await gateways[0]!.rest('GET', `/account/${account_id}`);
    for (const name of Object.keys(body.account.metadata)) names.add(`${account_id} ${name}`);
  }
  return { names, sessions: new Set(sessions.map((row) => `${row.account_id} ${row.session_id}`)) };
}

/** Changes whose effect is missing, or still there after an erasure, or there in part. */
async function wrongChanges(executed: readonly Executed[]): Promise<Executed[]> {
  const { names, sessions } = await storedState();
  const erasures = Map.groupBy(
    executed.filter(({ kind }) => kind === 'erase'),
    ({ accountId }) => accountId,
  );
  return executed.filter(({ kind, accountId, name, sessionId, sent, answered, isApplied }) => {
    if (kind === 'erase') return false;
    const all = erasures.get(accountId) ?? [];
    const isErasedLater = all.some((erasure) => erasure.sent > answered);
    const isErasedBefore = all.every((erasure) => erasure.answered < sent);
    const isStored = names.has(`${accountId} ${name}`);
    const isBound = sessionId === null ? isStored : sessions.has(`${accountId} ${sessionId}`);
    // An erasure at the same time also erases the session, with which the account is not created again.
    const isRefused = kind === 'authenticate' && !isApplied && isErasedBefore;
    const isMissing = isApplied && isErasedBefore && !isStored;
    const isLeft = isStored && (isErasedLater || !isApplied);
    return isStored !== isBound || isRefused || isMissing || isLeft;
  });
}

const NO_DIFFERENCE = { missing: [], surplus: [], different: [], counters: [], keys: [], identities: 0 };

async function storedLinks(): Promise<Body[]> {
  const { rows } = await sql.query(
    `select account_id, linked_account_id, score, kinds, bridges, first_seen, last_seen from links
     where project_id = $1 order by account_id, linked_account_id`,
    [projectId],
  );
  return rows;
}

it('two gateways of which one is killed apply every acknowledged change once, and keep the links', {
  timeout: TIMEOUT_MS,
}, async () => {
  const executed = await executeAll();
  expect(executed).toHaveLength(CHANGES + 2);
  expect(interruptions).toBeGreaterThan(0);
  expect(await wrongChanges(executed)).toEqual([]);
  await withStorage(async (storage) => {
    const { rebuilding, viewer } = await openProjectForCommandLine(storage, projectId);
    expect(await rebuilding.check(viewer, () => {})).toMatchObject(NO_DIFFERENCE);
    const links = await storedLinks();
    expect(links.length).toBeGreaterThan(0);
    await rebuilding.rebuild(viewer, () => {});
    expect(await storedLinks()).toEqual(links);
  });
});
