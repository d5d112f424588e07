import {
  BLOCKING_KEY_BYTES,
  CONTACT_KINDS,
  IDENTIFIER_KINDS,
  type IdentifierKind,
  isBlockingKind,
  MATCH_KEY_VERSION,
  packBlockingKeys,
} from '@vouchgraph/linking';
import type pg from 'pg';
import type { ProjectForCommandLine } from './command-project.ts';
import type { Body, Gateway, TestProject } from './gateway.ts';

/** Fields of an account by which it is matched. */
export type MatchedFields = {
  email?: string;
  phone?: string;
  username?: string;
  first_name?: string;
  last_name?: string;
};

/** Values of match keys by kind. */
export type MatchKeys = Partial<Record<IdentifierKind, string>>;

/** Match keys by other rules: each field is one kind and matches as it is written. */
export function keysAsWritten({ first_name = '', last_name = '', ...fields }: MatchedFields): MatchKeys {
  return { ...fields, name: `${first_name} ${last_name}`.trim() };
}

const CONTACT_NUMBERS = CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** Replaces the match keys of accounts by those of another version, and their links by the links of these keys. No events. */
export async function storeStaleKeys(
  sql: pg.Client,
  { viewer, accounts, settle }: ProjectForCommandLine,
  keysOf: Readonly<Record<string, MatchKeys>>,
  version = MATCH_KEY_VERSION - 1,
): Promise<void> {
  const { cipher, projectId } = viewer.project;
  for (const [id, values] of Object.entries(keysOf)) {
    const all = Object.entries(values).filter(([, value]) => value) as [IdentifierKind, string][];
    const isBlocking = ([kind]: [IdentifierKind, string]) => isBlockingKind(IDENTIFIER_KINDS[kind]);
    const keys = all.filter((key) => !isBlocking(key));
    const blocking = all.filter(isBlocking).map(([kind, value]) => {
      const hash = cipher.blindIndex(kind, value).subarray(0, BLOCKING_KEY_BYTES);
      return { kind: IDENTIFIER_KINDS[kind], hash };
    });
    await sql.query(
      `with stale as (
         update accounts set match_key_version = $6, blocking_keys = $7 where project_id = $1 and account_id = $2
         returning id, account_group, created_at
       ), gone_keys as (
         delete from blocking_keys b using stale where b.project_id = $1 and b.account_id = stale.id
           and (b.kind, b.value_hash) not in (select * from unnest($8::smallint[], $9::bytea[]))
       ), stale_keys as (
         insert into blocking_keys (project_id, account_id, kind, value_hash, account_group)
         select $1::uuid, stale.id, k.kind, k.value_hash, stale.account_group
         from stale, unnest($8::smallint[], $9::bytea[]) as k (kind, value_hash)
         on conflict do nothing
       ), gone as (
         delete from identifiers i using stale
         where i.project_id = $1 and i.account_id = stale.id and i.kind = any($3::smallint[])
           and (i.kind, i.value_hash) not in (select * from unnest($4::smallint[], $5::bytea[]))
       )
       insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
       select $1::uuid, stale.id, k.kind, k.value_hash, stale.account_group, stale.created_at, stale.created_at, 1
       from stale, unnest($4::smallint[], $5::bytea[]) as k (kind, value_hash)
       on conflict do nothing`,
      [
        ...[projectId, id, CONTACT_NUMBERS],
        keys.map(([kind]) => IDENTIFIER_KINDS[kind]),
        keys.map(([kind, value]) => cipher.blindIndex(kind, value)),
        ...[version, packBlockingKeys(blocking)],
        blocking.map(({ kind }) => kind),
        blocking.map(({ hash }) => hash),
      ],
    );
  }
  for (const id of Object.keys(keysOf)) await accounts.relink(viewer, id);
  await settle();
  await sql.query('delete from outbox_events where project_id = $1', [projectId]);
}

/** Numbers of accounts with stale match keys: alone, and beside the current ones. */
export async function countStale(
  sql: pg.Client,
  { projectId }: TestProject,
): Promise<{ stale: number; holding: number }> {
  const { rows } = await sql.query(
    `select count(*) filter (where match_key_version <> $2)::int as stale,
       count(*) filter (where holds_stale_keys)::int as holding
     from accounts where project_id = $1`,
    [projectId, MATCH_KEY_VERSION],
  );
  return rows[0];
}

/** Linked accounts, once the links between other accounts are recalculated. */
export async function linkedTo(gateway: Gateway, project: TestProject, id: string): Promise<string[]> {
  await gateway.app.recalculateLinks(project.projectId);
  const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((link: Body) => link.account_id).sort();
}

/** Emitted link events as `TYPE account account`, in alphabetical order. */
export async function linkEvents(gateway: Gateway, project: TestProject): Promise<string[]> {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    `{ events(first: 100, types: [ACCOUNT_LINKED, ACCOUNT_UNLINKED]) { edges { node { type data } } } }`,
  );
  return events.edges
    .map(({ node }: Body) =>
      [node.type, ...[node.data.account_id, node.data.linked_account_id].sort()].join(' '),
    )
    .sort();
}

/** Result of a check of consistent links, apart from `keys`. */
export const CONSISTENT = { missing: [], surplus: [], different: [], counters: [], identities: 0 };

export const checkLinks = ({ rebuilding, viewer }: ProjectForCommandLine) =>
  rebuilding.check(viewer, () => {});
