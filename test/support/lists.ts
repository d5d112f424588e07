import { documentedData } from '@vouchgraph/events/internals/catalogue/documented-data';
import { MasterKey } from '@vouchgraph/platform/crypto';
import { type Body, type Gateway, type TestProject, unique } from './gateway.ts';
import { connectAs } from './sql.ts';

/** Creates accounts and returns their ids. */
export async function accounts(project: TestProject, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${unique('account')}-${index}`);
  await Promise.all(ids.map((id) => project.authenticate({ id })));
  return ids;
}

/** A list of the project, with accounts on it. */
export async function list(project: TestProject, onIt: readonly string[] = []): Promise<string> {
  const name = unique('list');
  const { status, text } = await project.rest('POST', `/list/${name}`, {});
  if (status !== 200) throw new Error(text);
  if (onIt.length > 0) await add(project, name, onIt);
  return name;
}

/** Result of a mutation of lists, without the request's id. */
async function mutate(
  project: TestProject,
  field: string,
  type: string,
  fields: string,
  input: Body,
): Promise<Body> {
  const query = `mutation ($input: ${type}!) { ${field}(input: $input) { ${fields} } }`;
  return (await project.graphql(query, { input }))[field];
}

export const add = (
  project: TestProject,
  name: string,
  accountIds: readonly string[],
  more: { reason?: string; expiresAt?: string } = {},
): Promise<Body> =>
  mutate(
    project,
    'addAccountsToList',
    'AddAccountsToListInput',
    'list { name } results { accountId outcome }',
    {
      list: name,
      accountIds,
      ...more,
    },
  );

export const move = (
  project: TestProject,
  sourceList: string,
  targetList: string,
  accountIds: readonly string[],
): Promise<Body> =>
  mutate(
    project,
    'moveAccounts',
    'MoveAccountsInput',
    'sourceList { name } targetList { name } results { accountId outcome } moved conflict notFound',
    { sourceList, targetList, accountIds },
  );

/** The ids of the accounts on a list, in its order; null for an unknown list. */
export async function membersOf(project: TestProject, name: string): Promise<string[] | null> {
  const { status, body } = await project.rest('GET', `/list/${encodeURIComponent(name)}`);
  return status === 200 ? body.accounts : null;
}

/** The names of the lists of an account. */
export async function listsOf(project: TestProject, id: string): Promise<string[]> {
  return (await project.rest('GET', `/account/${id}`)).body.lists;
}

export type EmittedEvent = { type: string; data: Body };

/** Stored data of a project beside its lists: events and audit entries, the oldest first. */
export async function traces(gateway: Gateway, masterKey: string, { projectId }: TestProject) {
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  try {
    const { rows } = await client.query('select encrypted_key from projects where project_id = $1', [
      projectId,
    ]);
    const cipher = new MasterKey(masterKey).cipherFor(projectId, rows[0].encrypted_key);
    const events = await client.query(
      `select event_id, type, payload, request_id, account_id from outbox_events
       where project_id = $1 and type like 'list.%' order by created_at, event_id`,
      [projectId],
    );
    const audit = await client.query(
      `select action, target, actor, request_id, before, after from audit_log
       where project_id = $1 and action like 'list.%' order by at, audit_id`,
      [projectId],
    );
    return {
      events: events.rows.map(({ event_id, type, payload }): EmittedEvent => {
        const { format: _, ...facts } = cipher.decryptJson<Body>('outbox_events', event_id, payload);
        return { type, data: documentedData(facts) };
      }),
      rows: events.rows,
      audit: audit.rows,
      hashOf: (id: string) => cipher.blindIndex('audit account', id).toString('hex').slice(0, 16),
    };
  } finally {
    await client.end();
  }
}
