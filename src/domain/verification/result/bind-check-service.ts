import { IDENTIFIER_KINDS, type IdentifierKey } from '@vouchgraph/linking';
import type { DocumentIdentity } from '@vouchgraph/persons';
import type { Facts } from '@vouchgraph/rules';
import {
  decryptResult,
  documentOf,
  encryptResult,
  type FaceMatch,
  type FaceStanding,
  identifiersOf,
  NEW_ACCOUNT,
  reassess,
  type VerificationResult,
  verificationFacts,
} from '@vouchgraph/verification';
import type { Call, Transaction } from '../../../storage/database.ts';
import type { BindingOfCheck, RequestedData } from '../../accounts/change-queue-service.ts';
import { LOCK_FACES } from '../../model/face-lock-store.ts';
import type { Project } from '../../projects/project.ts';
import {
  accountOfCheck,
  LIMIT_LOCK_WAITS,
  type LockedCheck,
  lockCheckCalls,
  toLockedCheck,
} from '../check-lock-store.ts';
import {
  BIND_SIGHTINGS,
  type FaceHolder,
  FIND_OWNER,
  findDocumentSightings,
  readStandingCall,
} from '../faces/face-store.ts';
import { WRITE_REASSESSED } from './reassess-store.ts';
import { secondEvidenceCall, toConfirmed } from './second-evidence-store.ts';

/** Contributions of a check to the account that its session is bound to. */
export type BoundCheck = {
  /** Face and document as keyed hashes; none before the completion. */
  readonly identifiers: readonly IdentifierKey[];
  /** Facts for rules; null before the completion. */
  readonly facts: Facts | null;
  /** Time of the completion; null before. */
  readonly completedAt: Date | null;
  /** Date of birth and number of the document, for linking only; null without a document that has them. */
  readonly document: DocumentIdentity | null;
  /** Statements that write the contributions for the account. */
  callsFor(account: { readonly id: string; readonly account_group: string }): Call[];
};

const NOTHING_REQUESTED: RequestedData = { identifiers: [], fields: {} };

type Binding = BindingOfCheck & {
  readonly locked: LockedCheck;
  /** Facts of the account in the request. */
  readonly requested?: RequestedData;
};

const NO_CHECK: BoundCheck = {
  identifiers: [],
  facts: null,
  completedAt: null,
  document: null,
  callsFor: () => [],
};

/**
 * Binds a session with a check to the account of a request. If the check is not completed, its completion uses the account;
 * otherwise rules and links use the findings of the check. The first account receives the check and its face, without
 * enrollment; for a second account only rules and links are updated.
 */
export function bindSessionOfCheck(project: Project, binding: BindingOfCheck) {
  let check = NO_CHECK;
  return {
    isByCheck: false,
    async begin(transaction: Transaction, requested: RequestedData): Promise<BoundCheck> {
      const { projectId } = project;
      const rows = await transaction.run(
        [LIMIT_LOCK_WAITS, []],
        [LOCK_FACES, [projectId]],
        ...lockCheckCalls(projectId, binding.sessionId),
      );
      const locked = toLockedCheck(rows.at(-1));
      // Erased in the meantime.
      check = locked
        ? await readBoundCheck(project, transaction, { ...binding, requested, locked })
        : NO_CHECK;
      return check;
    },
    finish: ({ account }: { account: { row: { id: string; account_group: string } } }) => ({
      calls: check.callsFor(account.row),
      events: [],
    }),
  };
}

/** Contributions of a locked check to an account. Reassesses its result if the check has no account yet. */
export async function readBoundCheck(
  project: Project,
  transaction: Transaction,
  { locked, ...binding }: Binding,
): Promise<BoundCheck> {
  const { sessionId, accountId } = binding;
  const { projectId, cipher } = project;
  const isOwner = (accountOfCheck(locked) ?? accountId) === accountId;
  const isFirst = isOwner && locked.bound_account_id === null;
  const stored =
    locked.state === 'completed' && locked.result ? decryptResult(cipher, sessionId, locked.result) : null;
  const reassessed = stored && isFirst ? await reassessFor(project, transaction, stored, binding) : null;
  const result = reassessed ?? stored;
  return {
    identifiers: result ? identifiersOf(result) : [],
    facts: result && verificationFacts(result),
    completedAt: result && locked.completed_at,
    document: result && documentOf(cipher, result, binding.now),
    callsFor({ id, account_group }) {
      const calls: Call[] = [];
      if (isOwner) calls.push([BIND_SIGHTINGS, [projectId, sessionId, id, account_group]]);
      if (reassessed) {
        const { decision, riskScore } = reassessed;
        const encryptedResult = encryptResult(cipher, sessionId, reassessed);
        calls.push([WRITE_REASSESSED, [projectId, sessionId, encryptedResult, decision, riskScore]]);
      }
      return calls;
    },
  };
}

/** Result reassessed by the facts of its face and document for the named account; null if nothing changes. */
async function reassessFor(
  project: Project,
  transaction: Transaction,
  result: VerificationResult,
  { sessionId, accountId, group, requested = NOTHING_REQUESTED, now }: Omit<Binding, 'locked'>,
): Promise<VerificationResult | null> {
  const { basis } = result;
  const matches = basis?.faces.matches ?? [];
  const repeatsDocument = typeof basis?.document === 'number' && basis.document > 0;
  if (matches.length === 0 && !repeatsDocument) return null;
  const of = {
    sessionIds: matches.map((match) => match.sessionId),
    accounts: [...new Set(matches.flatMap(({ account }) => account ?? []))],
  };
  const identifiers = [...identifiersOf(result), ...requested.identifiers];
  const [owners, holders, evidence] = await transaction.run(
    [FIND_OWNER, [project.projectId, accountId]],
    readStandingCall(project, of, now),
    secondEvidenceCall(project.projectId, of, { sessionId, accountId, identifiers }),
  );
  const owner = owners![0] as { id: string; account_group: string } | undefined;
  const ownGroup = group ?? owner?.account_group ?? '';
  const confirmed = toConfirmed(project, evidence!, requested.fields);
  const faces: FaceStanding = {
    owner: owner?.id ?? NEW_ACCOUNT,
    matches: currentMatches(matches, holders as FaceHolder[], ownGroup, confirmed),
  };
  const number = identifiersOf(result).find(({ kind }) => kind === IDENTIFIER_KINDS.document_number);
  if (!repeatsDocument || !number) return reassess(result, faces, now);
  const sightings = await findDocumentSightings(project.database, transaction, {
    numberHash: number.hash,
    sessionId,
    group: ownGroup,
    now,
  });
  // The account's own document is not a repeat, whatever the face.
  const isElsewhere = sightings.some(({ account_id }) => account_id === null || account_id !== owner?.id);
  return reassess(result, faces, now, isElsewhere ? basis.document : 0);
}

/** Current matches: includes later bindings of sessions, without accounts that were erased or left the group. */
function currentMatches(
  matches: readonly FaceMatch[],
  holders: readonly FaceHolder[],
  group: string,
  confirmed: ReadonlySet<string>,
): FaceMatch[] {
  const bySession = new Map(holders.flatMap((one) => (one.session_id ? [[one.session_id, one]] : [])));
  const byAccount = new Map(
    holders.flatMap((one) => (one.session_id === null && one.account_id ? [[one.account_id, one]] : [])),
  );
  return matches.flatMap((match) => {
    const holder =
      (match.account === null ? undefined : byAccount.get(match.account)) ?? bySession.get(match.sessionId);
    if (!holder || holder.account_group !== group) return [];
    const { account_id: account, is_fraud: isFraud } = holder;
    return [{ ...match, account, isFraud, isConfirmed: account !== null && confirmed.has(account) }];
  });
}
