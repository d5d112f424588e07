import { pipeline } from 'node:stream/promises';
import {
  eventTypeOf as actionOf,
  eventTypeValue as actionValue,
  noneText,
  print,
  printable,
  printJson,
  printTable,
  UsageError,
} from '@vouchgraph/terminal';
import { writeCompleteFile } from '@vouchgraph/terminal/write-file';
import { AUDIT_ACTIONS } from '../../domain/audit/audit-action.ts';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { NEWEST_ENTRIES, OLDEST_ENTRIES } from './documents.ts';

type Entry = {
  auditId: string;
  at: string;
  actor: string;
  role: string | null;
  address: string | null;
  action: string;
  target: string;
  requestId: string | null;
  before: object | null;
  after: object | null;
  reason: string | null;
};
type EntryEdge = { readonly node: Entry };

const ACTIONS = Object.keys(AUDIT_ACTIONS);

/** An entry for scripts, with the names of the REST interface. */
const shown = ({ auditId, action, requestId, ...entry }: Entry) => ({
  id: auditId,
  at: entry.at,
  actor: entry.actor,
  role: entry.role,
  address: entry.address,
  action: actionOf(action, ACTIONS),
  target: entry.target,
  request_id: requestId,
  before: entry.before,
  after: entry.after,
  reason: entry.reason,
});

/** The enum values of the actions that begin with a text. Throws a UsageError if there are none. */
function actionsOf(prefix: string | undefined): string[] | undefined {
  if (prefix === undefined) return undefined;
  const actions = ACTIONS.filter((action) => action.startsWith(prefix));
  if (actions.length > 0) return actions.map(actionValue);
  throw new UsageError(
    `--action: must be one of ${ACTIONS.join(', ')}, or the beginning of one: ${JSON.stringify(prefix)}`,
    'action',
  );
}

/** Conditions of both commands. */
type Conditions = {
  account?: string;
  action?: string;
  actor?: string;
  actorKind?: string;
  role?: string;
  address?: string;
  request?: string;
  target?: string;
  since?: Date;
  until?: Date;
};

/** The conditions as variables of the documents. */
function variablesOf({ account: accountId, ...options }: Conditions) {
  const { action, actor, actorKind, role, address, request: requestId, target, since, until } = options;
  const filter = {
    ...{ actor, actorRole: role, address, requestId, target, actions: actionsOf(action) },
    actorKind: actorKind?.toUpperCase(),
    since: since?.toISOString(),
    until: until?.toISOString(),
  };
  return { accountId, filter };
}

type ListOptions = Conditions & { number: number; json?: boolean };

/** Prints the newest entries as a table, or as JSON. */
export async function listAudit(api: Api, options: ListOptions): Promise<void> {
  const { number, json, ...conditions } = options;
  const { accountId, filter } = variablesOf(conditions);
  const edges = await readEdges<EntryEdge>(number, async (page) => {
    const variables = { accountId, filter, ...page };
    return (await api.run<{ auditLog: Connection<EntryEdge> }>(NEWEST_ENTRIES, variables)).auditLog;
  });
  const entries = edges.map(({ node }) => shown(node));
  if (json) return printJson(entries);
  if (entries.length === 0) return print(noneText('audit entries', conditions));
  printTable(
    ['TIME', 'ACTOR', 'ACTION', 'TARGET'],
    entries.map(({ at, actor, action, target }) => [at, actor, action, target]),
  );
}

type ExportOptions = Conditions & { out?: string; replace?: boolean };

/**
 * Writes entries as NDJSON, the oldest first, to standard output or into a file, which gets its name once it is complete.
 * Entries written meanwhile are part of the next export.
 */
export async function exportAudit(api: Api, options: ExportOptions): Promise<void> {
  const { out, replace, until = new Date(), ...conditions } = options;
  const lines = linesOf(oldestEntries(api, variablesOf({ ...conditions, until })));
  await (out === undefined ? toStandardOutput(lines) : writeCompleteFile(out, lines, { replace }));
}

const PAGE = 100;

async function* oldestEntries(api: Api, variables: object): AsyncGenerator<Entry> {
  for (let before: string | null = null; ; ) {
    const page: { auditLog: OldestPage } = await api.run(OLDEST_ENTRIES, {
      ...variables,
      last: PAGE,
      before,
    });
    const { edges, pageInfo } = page.auditLog;
    yield* edges.map(({ node }) => node).reverse();
    if (!pageInfo.hasPreviousPage) return;
    before = pageInfo.startCursor;
  }
}

type OldestPage = {
  readonly edges: readonly EntryEdge[];
  readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
};

async function* linesOf(entries: AsyncIterable<Entry>): AsyncGenerator<string> {
  for await (const entry of entries) yield printable(`${JSON.stringify(shown(entry))}\n`);
}

/** A reader that closes the pipe early is no error. */
async function toStandardOutput(lines: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(lines, process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
