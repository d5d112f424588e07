import { type AccountChanges, type KnownEmail, parseAggregates } from '@vouchgraph/decisions';
import { parseEmail } from '@vouchgraph/email';
import { type AccountIdentifier, IDENTIFIER_KINDS } from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import type { AccountRow } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
import { Account } from './account.ts';
import type { ChangeContext } from './account-change-store.ts';
import type { ChangeRequest } from './change-request.ts';
import { withFound } from './known-email.ts';

export function knownEmail(
  { project, answers, changes, options }: ChangeRequest,
  {
    before,
    personal: { email },
    identifiers,
    seen,
  }: { before: AccountRow; personal: PersonalFields; identifiers: readonly AccountIdentifier[]; seen: Date },
  context: ChangeContext,
): KnownEmail | undefined {
  const address = identifiers.find(({ kind }) => EMAIL_KINDS.includes(kind));
  if (!address) return undefined;
  const owner = { project, rowId: before.id };
  const stored = parseAggregates(before.aggregates).email;
  const known = isOtherEmail(project, context.account, changes) ? undefined : stored;
  if (options.learned && known) {
    const { firstSeen, sightings } = known;
    return { firstSeen, sightings, ...withFound(owner, known, options.learned) };
  }
  // A placeholder belongs to no person, so its age carries no information.
  const isPlaceholder = address.kind === IDENTIFIER_KINDS.placeholder_email;
  const same = [...context.mine, ...context.matches].filter(
    (one) => !isPlaceholder && one.kind === address.kind && one.hash.equals(address.hash),
  );
  return {
    firstSeen: Math.min(seen.getTime(), ...same.map(({ firstSeen }) => firstSeen.getTime())),
    sightings: same.reduce((sum, { uses = 0 }) => sum + uses, 0),
    ...withFound(owner, known ?? {}, {
      mail: answers.mailOf(parseEmail(email).domain),
      providers: answers.providers,
    }),
  };
}

/** Whether a change sets a different email. */
export function isOtherEmail(
  project: Project,
  account: AccountRow | null,
  { email }: AccountChanges,
): boolean {
  if (!account) return true;
  return email !== undefined && email !== null && email !== decryptPersonal(project, account).email;
}

/** Whether an account's email facts differ from those with the earlier evidence. */
export function changesBlock({ project, row, emailFacts }: Account, before: AccountRow): boolean {
  const earlier = new Account(project, { ...row, aggregates: before.aggregates });
  return JSON.stringify(emailFacts) !== JSON.stringify(earlier.emailFacts);
}

export function isOtherKnowledge({ aggregates }: Account, before: AccountRow): boolean {
  return JSON.stringify(aggregates.email) !== JSON.stringify(parseAggregates(before.aggregates).email);
}

/** Kinds of emails; an account with an email has one of them. */
const EMAIL_KINDS: readonly number[] = [
  IDENTIFIER_KINDS.email,
  IDENTIFIER_KINDS.role_email,
  IDENTIFIER_KINDS.placeholder_email,
];
