import {
  BRIDGE_CAP,
  comparePersons,
  confirmsFace,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  isLinkingKind,
  kindOfNumber,
  LINK_WEIGHTS,
  LINKING_KINDS,
  type PersonLikeness,
  personOf,
} from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import type { Row, Statement } from '../../../storage/database.ts';
import { isSharedMailbox } from '../../linking/mailbox-names-sql.ts';
import { personOfFields } from '../../linking/read-persons.ts';
import { decryptPersonal } from '../../model/decrypt-personal.ts';
import type { Project } from '../../projects/project.ts';

/* Which accounts that a face search hit share a second piece of evidence with the check, by the rules of links. */

const CONFIRMING = LINKING_KINDS.filter((kind) => confirmsFace({ kind, accounts: 2 }));
const ALL_CONFIRMING = CONFIRMING.map((kind) => IDENTIFIER_KINDS[kind]).join(', ');
/** Holders are counted up to one more than the largest sharing limit. More change nothing. */
const MAX_COUNTED =
  1 +
  Math.max(
    BRIDGE_CAP,
    ...CONFIRMING.map((kind) => LINK_WEIGHTS[kind].cap).filter((cap) => Number.isFinite(cap)),
  );
/** Kinds that a family may share. Their holders are compared by their fields. */
const OF_FAMILIES = `${IDENTIFIER_KINDS.email}, ${IDENTIFIER_KINDS.phone}`;

/**
 * $2 the matched accounts, $3 sessions whose accounts matched, $4 the checked session, $5 the client's id of its account,
 * $6 and $7 kinds and hashes that the check and the request add to those of the account.
 */
const FIND: Statement = {
  name: 'face.find_second_evidence',
  text: `with me as materialized (
           select (select a.id from accounts a where a.project_id = $1 and a.account_id = $5) as id
         ), own as materialized (
           select k.kind, k.value_hash from unnest($6::smallint[], $7::bytea[]) as k (kind, value_hash)
           where k.kind in (${ALL_CONFIRMING})
           union
           select v.kind, v.value_hash from sessions s cross join lateral (values
             (${IDENTIFIER_KINDS.browser}::smallint, s.browser_hash), (${IDENTIFIER_KINDS.device}::smallint, s.device_hash)
           ) as v (kind, value_hash)
           where s.project_id = $1 and s.session_id = $4 and v.value_hash is not null
           union
           select i.kind, i.value_hash from identifiers i
           where i.project_id = $1 and i.account_id = (select id from me) and i.kind in (${ALL_CONFIRMING})
         ), hit as materialized (
           select unnest($2::uuid[]) as id
           union
           select t.account_id from face_templates t
           where t.project_id = $1 and t.session_id = any($3::uuid[]) and t.account_id is not null
         ), shared as materialized (
           select i.account_id, i.kind, i.value_hash, i.account_group
           from hit cross join own
           join identifiers i on i.project_id = $1 and i.account_id = hit.id and i.kind = own.kind
             and i.value_hash = own.value_hash
           where hit.id is distinct from (select id from me)
         )
         select s.account_id, s.kind::int as kind, c.accounts,
           ${isSharedMailbox('s.kind', 's.value_hash', 's.account_group')} as is_shared_mailbox,
           theirs.personal, mine.id as own_id, mine.personal as own_personal
         from shared s cross join lateral (
           select 1 + count(*)::int as accounts from (
             select 1 from identifiers o
             where o.project_id = $1 and o.kind = s.kind and o.value_hash = s.value_hash
               and o.account_group = s.account_group and o.account_id is distinct from (select id from me)
             limit ${MAX_COUNTED}
           ) held
         ) c
         left join accounts theirs
           on theirs.project_id = $1 and theirs.id = s.account_id and s.kind in (${OF_FAMILIES})
         left join accounts mine
           on mine.project_id = $1 and mine.id = (select id from me) and s.kind in (${OF_FAMILIES})`,
};

/** Evidence that a check can share with the accounts matched by its face. */
export type CheckedEvidence = {
  readonly sessionId: string;
  /** Client's id of the account of the check; null for none. */
  readonly accountId: string | null;
  /** Findings of the check, and facts of the account in the request. */
  readonly identifiers: readonly IdentifierKey[];
};

/** Pass its rows to `toConfirmed`. */
export const secondEvidenceCall = (
  projectId: string,
  hit: { accounts: readonly string[]; sessionIds: readonly string[] },
  { sessionId, accountId, identifiers }: CheckedEvidence,
) =>
  [
    FIND,
    [
      projectId,
      hit.accounts,
      hit.sessionIds,
      sessionId,
      accountId,
      identifiers.map(({ kind }) => kind),
      identifiers.map(({ hash }) => hash),
    ],
  ] as const;

/** Fields by which the holders of an email or a phone are compared. */
export type RequestedPerson = {
  readonly [field in 'email' | 'firstName' | 'lastName']?: string | null | undefined;
};

/** Internal ids of the accounts that share a second piece of evidence. `said`: facts of the account in the request. */
export function toConfirmed(
  project: Project,
  rows: readonly Row[],
  said: RequestedPerson = {},
): ReadonlySet<string> {
  const confirming = rows.filter((row) => {
    const kind = kindOfNumber(row.kind);
    const { accounts, is_shared_mailbox: isSharedMailbox } = row;
    const shared = { accounts, isSharedMailbox };
    return isLinkingKind(kind) && confirmsFace({ ...shared, kind }, likenessOf(project, row, said));
  });
  return new Set(confirming.map((row) => row.account_id as string));
}

/** Comparison of the holders of two accounts; null if they share no email or phone, or if fields cannot be decrypted. */
function likenessOf(project: Project, row: Row, said: RequestedPerson): PersonLikeness | null {
  const { account_id: id, personal, own_id: ownId, own_personal: ownPersonal } = row;
  if (personal === null) return null;
  try {
    const own = ownId ? decryptPersonal(project, { id: ownId, personal: ownPersonal }) : NO_PERSONAL_FIELDS;
    const mine = personOf({
      ...own,
      email: said.email ?? own.email,
      firstName: said.firstName ?? own.firstName,
      lastName: said.lastName ?? own.lastName,
    });
    return comparePersons(mine, personOfFields(decryptPersonal(project, { id, personal })));
  } catch {
    return null;
  }
}
