import { IDENTIFIER_KINDS, MIN_NAMES_OF_SHARED_MAILBOX } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';

const { email, written_email, first_name } = IDENTIFIER_KINDS;

/** One look-up by the primary key, whatever the planner's estimates. */
const ownValue = (kind: number) => `(
  select x.value_hash from identifiers x
  where x.project_id = $1 and x.account_id = i.account_id and x.kind = ${kind} order by x.value_hash limit 1
)`;

/**
 * Query for the spellings of an email in a group that have at least `min` different first names: `written` and `names`. Only
 * the newest accounts of a very large mailbox are read, so that the cost of a change is bounded.
 */
export const mailboxNames = (of: { hash: string; group: string; except?: string; min: number }) => `
  select h.written, (array_agg(distinct h.name))[:${MIN_NAMES_OF_SHARED_MAILBOX}] as names from (
    select ${ownValue(written_email)} as written, ${ownValue(first_name)} as name
    from identifiers i
    where i.project_id = $1 and i.kind = ${email} and i.value_hash = ${of.hash} and i.account_group = ${of.group}
      ${of.except ? `and i.account_id is distinct from ${of.except}` : ''}
    order by i.account_id desc limit ${LIMITS.linksPerAccount}
  ) h
  where h.written is not null and h.name is not null
  group by h.written having count(distinct h.name) >= ${of.min}`;

/** Condition that an identifier is an email whose accounts have contradicting first names. */
export const isSharedMailbox = (kind: string, hash: string, group: string) =>
  `(${kind} = ${email} and exists (${mailboxNames({ hash, group, min: MIN_NAMES_OF_SHARED_MAILBOX })}))`;
