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
import type { Row } from '../../../storage/database.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
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
 * `accounts`: the matched accounts; `sessionIds`: sessions whose accounts matched; `sessionId`: the checked session; `accountId`: the
 * client's id of its account. `kinds` and `hashes` are what the check and the request add to those of the account.
 */
const FIND = namedStatement(
  'face.find_second_evidence',
  `with me as materialized (
           select (select a.id from accounts a where a.project_id = :projectId and a.account_id = :accountId) as id
         ), own as materialized (
           select k.kind, k.value_hash from unnest(:kinds::smallint[], :hashes::bytea[]) as k (kind, value_hash)
           where k.kind in (${ALL_CONFIRMING})
           union
           select v.kind, v.value_hash from sessions s cross join lateral (values
             (${IDENTIFIER_KINDS.browser}::smallint, s.browser_hash), (${IDENTIFIER_KINDS.device}::smallint, s.device_hash)
           ) as v (kind, value_hash)
           where s.project_id = :projectId and s.session_id = :sessionId and v.value_hash is not null
           union
           select i.kind, i.value_hash from identifiers i
           where i.project_id = :projectId and i.account_id = (select id from me) and i.kind in (${ALL_CONFIRMING})
         ), hit as materialized (
           select unnest(:accounts::uuid[]) as id
           union
           select t.account_id from face_templates t
           where t.project_id = :projectId and t.session_id = any(:sessionIds::uuid[]) and t.account_id is not null
         ), shared as materialized (
           select i.account_id, i.kind, i.value_hash, i.account_group
           from hit cross join own
           join identifiers i on i.project_id = :projectId and i.account_id = hit.id and i.kind = own.kind
             and i.value_hash = own.value_hash
           where hit.id is distinct from (select id from me)
         )
         select s.account_id, s.kind::int as kind, c.accounts,
           ${isSharedMailbox('s.kind', 's.value_hash', 's.account_group')} as is_shared_mailbox,
           theirs.personal, mine.id as own_id, mine.personal as own_personal
         from shared s cross join lateral (
           select 1 + count(*)::int as accounts from (
             select 1 from identifiers o
             where o.project_id = :projectId and o.kind = s.kind and o.value_hash = s.value_hash
               and o.account_group = s.account_group and o.account_id is distinct from (select id from me)
             limit ${MAX_COUNTED}
           ) held
         ) c
         left join accounts theirs
           on theirs.project_id = :projectId and theirs.id = s.account_id and s.kind in (${OF_FAMILIES})
         left join accounts mine
           on mine.project_id = :projectId and mine.id = (select id from me) and s.kind in (${OF_FAMILIES})`,
);

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
  FIND.call({
    projectId,
    accounts: hit.accounts,
    sessionIds: hit.sessionIds,
    sessionId,
    accountId,
    kinds: identifiers.map(({ kind }) => kind),
    hashes: identifiers.map(({ hash }) => hash),
  });

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
