import {
  type AccountIdentifier,
  BLOCKING_LIST,
  BRIDGE_CAP,
  CAPPED_KINDS,
  COMPARING_NUMBERS,
  FULL_MATCH_KINDS,
  IDENTIFIER_KINDS,
  IDENTIFIER_LIST,
  type IdentifierKey,
  LINK_WEIGHTS,
  LINKING_LIST,
  type MailboxNames,
  type Match,
  MIN_NAMES_OF_SHARED_MAILBOX,
  personTimes,
  rankedIdentifiers,
  type StoredLink,
  unpackBlockingKeys,
  WITHOUT_TIMES,
} from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Call, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { packedBoolean, packedBytes, packedTime, packRows, unpackRows } from '../../storage/packed-rows.ts';
import { mailboxNames } from '../linking/mailbox-names-sql.ts';
import type { PersonRow, ReadPerson } from '../linking/read-persons.ts';

/*
 * Parts of statements that read the inputs of an account's links: its identifiers, those of a request and its session, the other
 * accounts that share one of them, and the stored links. They are parts of a subquery for each row `item`: `session_id` (or null),
 * `account_id` (the client's id), `kinds` and `hashes` of the request's identifiers, `account_group` of the request (or null).
 * $1 is the project. Rows of another subquery are read by lateral subqueries with `offset 0` only, so that each look-up uses all
 * columns of its index, whatever the planner's statistics.
 */

const K = IDENTIFIER_KINDS;
/** Numbers of the kinds with a sharing limit. */
export const ALL_CAPPED = CAPPED_KINDS.map((kind) => K[kind]).join(', ');
const ALL_FULL = FULL_MATCH_KINDS.map((kind) => K[kind]).join(', ');
/** Maximum number of accounts read for a full match: the strongest 1,500 links are stored. */
const FULL_MATCH_LIMIT = LIMITS.linksPerAccount;

/** SQL expression with a number per capped kind, derived from its cap, and one for all other kinds; `w` is the identifier. */
export const byKind = (ofCap: (cap: number) => number, others: number) =>
  `case w.kind ${CAPPED_KINDS.map((kind) => `when ${K[kind]} then ${ofCap(LINK_WEIGHTS[kind].cap)}`).join(' ')} else ${others} end`;

/**
 * For each identifier or blocking key `w` of `kinds`: the other accounts of the group with it, the newest first, only one if it is
 * over its sharing limit, and their number. `holders` reads them in the order of an index.
 */
const matchesOf = (kinds: string, times: string, holders: string) => `
      select w.kind, w.value_hash, o.account_id, ${times}, o.others
      from w cross join me cross join lateral (
        select h.*, count(*) over ()::int as others, row_number() over () as place from (
          ${holders}
            and account_group = me.account_group and account_id is distinct from me.id
          order by account_id desc limit ${byKind((cap) => cap + 1, FULL_MATCH_LIMIT)}
        ) h
      ) o
      where w.kind in (${kinds}) and (o.place = 1 or o.others <= ${byKind((cap) => cap, FULL_MATCH_LIMIT)})`;

/**
 * The rows of the account (`account`) and the session (`s`), if they exist; `me`: the account's id or null, with its group after
 * the request; `own`: the account's identifiers, of each limited kind the newest and one beyond the limit, which an account has
 * only after a limit was lowered.
 */
export const OWN = `account as materialized (
      select * from accounts where project_id = $1 and account_id = item.account_id
    ), s as materialized (
      select * from sessions where project_id = $1 and session_id = item.session_id
    ), me as materialized (
      select (select id from account) as id,
        coalesce(item.account_group, (select account_group from account), '') as account_group
    ), own as materialized (
      select kind, value_hash, first_seen, last_seen, uses from (${rankedIdentifiers('(select id from me)')}) ranked
      where place <= kept + 1
      union all
      select k.kind, k.value_hash, ${WITHOUT_TIMES}
      from account a cross join lateral (${unpackBlockingKeys('a.blocking_keys')}) k
    )`;

/** The identifiers of the request, of the session and of the account. */
export const WANTED = `
  select i.kind, i.value_hash from unnest(item.kinds, item.hashes) as i (kind, value_hash)
  union
  select v.kind, v.value_hash from s cross join lateral (values
    (${K.browser}::smallint, s.browser_hash), (${K.device}::smallint, s.device_hash),
    (${K.network}::smallint, s.network_hash), (${K.subnet}::smallint, s.compared_subnet_hash)
  ) as v (kind, value_hash)
  where v.value_hash is not null
  union
  select ${K.device_part}::smallint, p.value_hash from s cross join lateral unnest(s.device_part_hashes) as p (value_hash)
  union
  select o.kind, o.value_hash from own o where o.kind in (${LINKING_LIST})`;

/**
 * `w`: the wanted identifiers. `matched`: for each of them the other accounts of the group with it, only one if it is over its
 * sharing limit, and their number, at most one more than the limit. `stored`: the account's links. `candidates`: accounts that are
 * compared in clear text, and accounts that can get a new link, whose client ids are needed for events. An account that shares
 * only one identifier, which neither links alone nor compares, cannot become linked.
 */
export const MATCHED = `w as materialized (${WANTED}), matched as materialized (${matchesOf(
  IDENTIFIER_LIST,
  'o.first_seen, o.last_seen, o.uses',
  `select account_id, first_seen, last_seen, uses from identifiers
          where project_id = $1 and kind = w.kind and value_hash = w.value_hash`,
)}
      union all ${matchesOf(
        BLOCKING_LIST,
        WITHOUT_TIMES,
        `select account_id from blocking_keys
          where project_id = $1 and kind = w.kind and value_hash = w.value_hash`,
      )}
    ), stored as materialized (
      select l.linked_account_id, l.score, l.kinds, l.first_seen, l.last_seen, l.bridges from links l
      where l.project_id = $1 and l.account_id = (select id from me)
    ), candidates as (
      select m.account_id, bool_or(m.kind in (${COMPARING_NUMBERS}) and m.others < ${BRIDGE_CAP}) as is_compared
      from matched m
      group by m.account_id
      having bool_or(m.kind in (${COMPARING_NUMBERS}) and m.others < ${BRIDGE_CAP}) or (
        (bool_or(m.kind in (${ALL_FULL})) or count(*) > 1)
        and m.account_id not in (select linked_account_id from stored))
    )`;

/** Columns that `toLinking` reads. */
export const LINKING_COLUMNS = `
    ${packRows(['o.kind', 'o.value_hash', 'o.first_seen', 'o.last_seen', 'o.uses'], 'own o')} as mine,
    ${packRows(['m.kind', 'm.value_hash', 'm.first_seen', 'm.last_seen', 'm.uses', 'm.account_id', 'm.others'], 'matched m')} as matches,
    ${packRows(['l.linked_account_id', 'l.score', 'l.kinds', 'l.first_seen', 'l.last_seen', 'l.bridges'], 'stored l')} as links,
    ${packRows(
      ['w.value_hash', 'n.written', `array_to_string(n.names, ',')`],
      `w cross join me cross join lateral (${mailboxNames({
        hash: 'w.value_hash',
        group: 'me.account_group',
        except: 'me.id',
        min: MIN_NAMES_OF_SHARED_MAILBOX - 1,
      })}) n where w.kind = ${K.email}`,
    )} as mailboxes,
    ${packRows(
      [
        'c.account_id',
        `encode(convert_to(x.account_id, 'UTF8'), 'hex')`,
        `case when c.is_compared then x.personal else '' end`,
        `coalesce(t.first_seen::text, '')`,
        `coalesce(t.last_seen::text, '')`,
      ],
      `candidates c
       cross join lateral (
         select a.account_id, a.personal from accounts a where a.project_id = $1 and a.id = c.account_id offset 0
       ) x
       left join lateral ${personTimes('c.account_id')} t on c.is_compared`,
    )} as persons`;

/** Inputs of an account's links: its identifiers, the accounts that share them, and its stored links. */
export type Linking = {
  mine: AccountIdentifier[];
  matches: Match[];
  links: StoredLink[];
  mailboxes: MailboxNames[];
  /** Encrypted fields of the accounts that the account is compared with. */
  persons: (PersonRow | ReadPerson)[];
  /** The client's ids of accounts that can become linked, by internal id; possibly incomplete. */
  partnerIds: ReadonlyMap<string, string>;
};

/** `row` has LINKING_COLUMNS. */
export function toLinking(row: Row): Linking {
  const candidates = unpackRows(row.persons);
  return {
    mine: unpackRows(row.mine).map(toAccountIdentifier),
    matches: unpackRows(row.matches).map((fields) => ({
      ...toAccountIdentifier(fields),
      accountId: fields[5]!,
      others: Number(fields[6]),
    })),
    links: unpackRows(row.links).map(([accountId, score, kinds, firstSeen, lastSeen, bridges]) => ({
      accountId: accountId!,
      score: Number(score),
      kinds: Number(kinds),
      firstSeen: packedTime(firstSeen!),
      lastSeen: packedTime(lastSeen!),
      bridges: packedBoolean(bridges!),
    })),
    mailboxes: unpackRows(row.mailboxes).map(([email, written, names]) => ({
      email: packedBytes(email!),
      written: packedBytes(written!),
      names: names!.split(',').map(packedBytes),
    })),
    persons: candidates
      .filter(([, , personal]) => personal !== '\\x')
      .map(([id, , personal, firstSeen, lastSeen]) => ({
        id: id!,
        personal: packedBytes(personal!),
        first_seen: firstSeen ? packedTime(firstSeen) : null,
        last_seen: lastSeen ? packedTime(lastSeen) : null,
      })),
    partnerIds: new Map(candidates.map(([id, clientId]) => [id!, Buffer.from(clientId!, 'hex').toString()])),
  };
}

function toAccountIdentifier([kind, hash, firstSeen, lastSeen, uses]: string[]): AccountIdentifier {
  return {
    kind: Number(kind),
    hash: packedBytes(hash!),
    firstSeen: packedTime(firstSeen!),
    lastSeen: packedTime(lastSeen!),
    uses: Number(uses),
  };
}

const READ_LINKING: Statement = {
  name: 'account.read_linking',
  text: `select linking.* from (
      select $2::uuid as session_id, $3::text as account_id, null::text as account_group, $4::smallint[] as kinds, $5::bytea[] as hashes
    ) item cross join lateral (with ${OWN}, ${MATCHED} select ${LINKING_COLUMNS}) linking`,
};

/** Reads the inputs of links without locks, for an account, a session or identifiers. */
export async function readLinking(
  database: ProjectDatabase,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Promise<Linking> {
  const [statement, values] = linkingCall(database.projectId, of);
  const [row] = await database.query<Row>(statement, values);
  return toLinking(row);
}

/** The statement of `readLinking`; `toLinking` parses its row. */
export function linkingCall(
  projectId: string,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Call {
  const { accountId = null, sessionId = null, identifiers = [] } = of;
  const kinds = identifiers.map(({ kind }) => kind);
  const hashes = identifiers.map(({ hash }) => hash);
  return [READ_LINKING, [projectId, sessionId, accountId, kinds, hashes]];
}
