import { LIMITS } from '../../platform/limits.ts';
import type { Call, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { packedBoolean, packedBytes, packedTime, packRows, unpackRows } from '../../storage/packed-rows.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import type { IdentifierKey } from '../linking/account-identifiers.ts';
import { rankedIdentifiers } from '../linking/history-limits.ts';
import { COMPARING_NUMBERS, personTimes } from '../linking/known-person.ts';
import {
  BRIDGE_CAP,
  CAPPED_KINDS,
  FULL_MATCH_KINDS,
  LINK_WEIGHTS,
  LINKING_KINDS,
  MIN_NAMES_OF_SHARED_MAILBOX,
} from '../linking/link-weights.ts';
import { mailboxNames } from '../linking/mailbox-names-sql.ts';
import type { AccountIdentifier, Match, StoredLink } from '../linking/plan-links.ts';
import type { PersonRow, ReadPerson } from '../linking/read-persons.ts';
import type { MailboxNames } from '../linking/shared-mailboxes.ts';

/*
 * What an account is linked by, as parts of statements: the identifiers that it holds, those that a request and its session
 * add, the other accounts that hold one of them, and the stored links. Parameters of every statement made of these parts:
 * $1 project, $2 session or null, $3 the client's id of the account, $4 and $5 kinds and hashes of the request, $6 the group
 * that the request gives the account, or null.
 */

const K = IDENTIFIER_KINDS;
/** Numbers of all kinds that link. */
export const ALL_LINKING = LINKING_KINDS.map((kind) => K[kind]).join(', ');
/** Numbers of the kinds that link nobody once too many accounts share them. */
export const ALL_CAPPED = CAPPED_KINDS.map((kind) => K[kind]).join(', ');
const ALL_FULL = FULL_MATCH_KINDS.map((kind) => K[kind]).join(', ');
/** Candidates read for a full match: the strongest 1,500 are stored. */
const FULL_MATCH_LIMIT = LIMITS.linksPerAccount;

/** A number for each capped kind, made of its cap, and one for all others; `w` is the identifier. */
export const byKind = (ofCap: (cap: number) => number, others: number) =>
  `case w.kind ${CAPPED_KINDS.map((kind) => `when ${K[kind]} then ${ofCap(LINK_WEIGHTS[kind].cap)}`).join(' ')} else ${others} end`;

/** Other accounts of the group that hold an identifier `w`. */
const HOLDERS = `from identifiers i
          where i.project_id = $1 and i.kind = w.kind and i.value_hash = w.value_hash
            and i.account_group = me.account_group and i.account_id is distinct from me.id`;

/**
 * The account's row (`account`) and the session's (`s`), each none or one, and `me`: the account's id, or null, with the group
 * that it has or gets by this request. Then what it holds (`own`): of each limited kind the newest, one more than it keeps. Only
 * an account that was stored before the limits has that one. `locking`: how the session's row is locked.
 */
const own = (locking: '' | ' for update') => `account as materialized (
      select * from accounts where project_id = $1 and account_id = $3
    ), s as materialized (
      select * from sessions where project_id = $1 and session_id = $2${locking}
    ), me as materialized (
      select (select id from account) as id,
        coalesce($6::text, (select account_group from account), '') as account_group
    ), own as materialized (
      select * from (${rankedIdentifiers('(select id from me)')}) ranked where place <= kept + 1
    )`;

export const OWN = own('');

/**
 * The same with the session's row locked, before anything of it is read: no facts are added to it between the locks and the reads, and
 * the erasure of another account does not delete it meanwhile.
 */
export const OWN_WITH_SESSION_LOCK = own(' for update');

/** The identifiers of the request, of the session and of the account. */
export const WANTED = `
  select i.kind, i.value_hash from unnest($4::smallint[], $5::bytea[]) as i (kind, value_hash)
  union
  select v.kind, v.value_hash from s cross join lateral (values
    (${K.browser}::smallint, s.browser_hash), (${K.device}::smallint, s.device_hash),
    (${K.network}::smallint, s.network_hash), (${K.neighbourhood}::smallint, s.neighbourhood_hash)
  ) as v (kind, value_hash)
  where v.value_hash is not null
  union
  select ${K.device_part}::smallint, p.value_hash from s cross join lateral unnest(s.device_part_hashes) as p (value_hash)
  union
  select o.kind, o.value_hash from own o where o.kind in (${ALL_LINKING})`;

/**
 * `w`: the wanted identifiers. `is_over_limit`: more accounts share it than may be linked by it; found by an index-only scan, since the
 * rows of their identifiers are not needed. `matched`: for each wanted identifier the other accounts of the group that hold it, of one over
 * its sharing limit a single one, with how many there are, at most one more than the limit. `stored`: the account's links. `candidates`: accounts that are compared with the account
 * by their fields, and those that a link may be new to, whose client ids its events name. An account that shares one identifier that
 * neither links alone nor has accounts compared cannot become linked.
 */
export const MATCHED = `w as materialized (
      select w.kind, w.value_hash, w.kind in (${ALL_CAPPED})
        and exists (select 1 ${HOLDERS} offset ${byKind((cap) => cap, 0)} limit 1) as is_over_limit
      from (${WANTED}) w cross join me
    ), matched as materialized (
      select w.kind, w.value_hash, o.account_id, o.first_seen, o.last_seen, o.uses,
        case when w.is_over_limit then ${byKind((cap) => cap + 1, 0)} else o.others end as others
      from w cross join me cross join lateral (
        select h.*, count(*) over ()::int as others from (
          select i.account_id, i.first_seen, i.last_seen, i.uses ${HOLDERS}
          order by i.account_id desc limit case when w.is_over_limit then 1 else ${FULL_MATCH_LIMIT} end
        ) h
      ) o
      where w.kind in (${ALL_LINKING})
    ), stored as materialized (
      select l.linked_account_id, l.score, l.kinds, l.first_seen, l.last_seen, l.bridges
      from me join links l on l.project_id = $1 and l.account_id = me.id
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

/** What an account is linked by: its identifiers, who else holds them, and its links as they are stored. */
export type Linking = {
  mine: AccountIdentifier[];
  matches: Match[];
  links: StoredLink[];
  mailboxes: MailboxNames[];
  /** Encrypted fields of the accounts that the account is compared with. */
  persons: (PersonRow | ReadPerson)[];
  /** The clients' ids of accounts that may become linked, by their internal ids; possibly not of all. */
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
  text: `with ${OWN}, ${MATCHED} select ${LINKING_COLUMNS}`,
};

/** What a change would read, without locks: of an account, or of whom a session alone points to. */
export async function readLinking(
  database: ProjectDatabase,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Promise<Linking> {
  const [statement, values] = linkingCall(database.projectId, of);
  const [row] = await database.query<Row>(statement, values);
  return toLinking(row);
}

/** The statement behind it, whose row `toLinking` reads. */
export function linkingCall(
  projectId: string,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Call {
  const { accountId = null, sessionId = null, identifiers = [] } = of;
  const kinds = identifiers.map(({ kind }) => kind);
  const hashes = identifiers.map(({ hash }) => hash);
  return [READ_LINKING, [projectId, sessionId, accountId, kinds, hashes, null]];
}
