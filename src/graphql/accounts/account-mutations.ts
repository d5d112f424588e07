import {
  authenticateSessionShape,
  type Decision,
  deleteAccountShape,
  updateAccountShape,
} from '@vouchgraph/decisions';
import type { Account } from '../../domain/accounts/account.ts';
import type { AuthenticatedSession } from '../../domain/accounts/authenticate-service.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { DecisionNode, DecisionTraceType, findDecision, RuleReferenceType } from '../decisions/decision.ts';
import { RequiredVerificationType } from '../decisions/required-verification.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { globalIdOf } from '../kernel/node-id.ts';
import { payloadType } from '../kernel/payload.ts';
import { DecisionType } from '../kernel/risk.ts';
import { SessionRef } from '../sessions/session.ts';

const AuthenticateSessionInput = inputFrom(authenticateSessionShape);
const UpdateAccountInput = inputFrom(updateAccountShape);
const DeleteAccountInput = inputFrom(deleteAccountShape);

type Decided = AuthenticatedSession['decided'];
type Payload = { account: Account };

const AuthenticateSessionPayload = payloadType<
  Payload & { decision: Decision; session: Session; decided: Decided }
>(
  'AuthenticateSessionPayload',
  'Account and session after the call, and the decision.',
  { subjects: byProperties },
  (t) => ({
    decision: t.expose('decision', { type: DecisionType, description: 'Outcome of the decision.' }),
    decisionId: t.field({
      type: 'UUID',
      description: 'Id of the decision, as in events and logs.',
      resolve: ({ decided }) => decided.decisionId,
    }),
    decisionRecord: t.field({
      type: DecisionNode,
      nullable: true,
      description: 'Stored decision, whose global id replayDecision accepts. Read only if selected.',
      resolve: ({ decided }, _args, { viewer }) => findDecision(viewer, decided.decisionId),
    }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Reasons of the decision: score, thresholds, list and rule.',
      resolve: ({ decided }) => decided.trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description:
        'Rules that matched, in their order. A rule that matched the account with this session before ' +
        'does not act again.',
      resolve: ({ decided }) => [...decided.rules],
    }),
    flags: t.stringList({
      mask: 'none',
      description:
        'Flags that the matched rules raised. The set of flags is open, because rules define them.',
      resolve: ({ decided }) => [...decided.flags],
    }),
    requiredVerification: t.field({
      rest: { unknown: 'absent' },
      type: RequiredVerificationType,
      nullable: true,
      description: 'Check that a rule requires of the account. Null if none is required.',
      resolve: ({ decided }) => decided.trace.requiredVerification ?? null,
    }),
    account: t.expose('account', { type: AccountRef, description: 'Account after the change.' }),
    session: t.expose('session', { type: SessionRef, description: 'Session.' }),
  }),
);

const UpdateAccountPayload = payloadType<Payload>(
  'UpdateAccountPayload',
  'Changed account.',
  { subjects: byProperties },
  (t) => ({
    account: t.expose('account', { type: AccountRef, description: 'Account after the change.' }),
  }),
);

const DeleteAccountPayload = payloadType<{ accountId: string; id: string }>(
  'DeleteAccountPayload',
  'Erased account.',
  // The account no longer exists: the answer contains nothing but the id that the client sent.
  { subjects: () => {} },
  (t) => ({
    deletedId: t.id({
      description: 'Global id of the erased account.',
      resolve: ({ id }) => globalIdOf('Account', id),
    }),
    accountId: t.exposeID('accountId', {
      description: 'Id of the erased account, assigned by the client.',
    }),
  }),
);

builder.mutationFields((t) => ({
  authenticateSession: t.field({
    isIdempotent: true,
    type: AuthenticateSessionPayload,
    nullable: true,
    description:
      'Binds a session to an account, links the account and scores it. A repeated call scores the ' +
      'account again and counts the session once. Errors: `session.not_found`, `session.expired`, ' +
      '`input.invalid`.',
    authScopes: { may: 'session.authenticate' },
    args: {
      input: t.arg({ type: AuthenticateSessionInput, required: true, description: 'Session and account.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const { accountId: id, ...fields } = input.account;
      const { account, session, decision, decided } = await services.accounts.authenticate(
        viewer,
        requestId,
        { id, ...fields },
        input.sessionId,
      );
      return { requestId, decision, account, session, decided };
    },
  }),
  updateAccount: t.field({
    isIdempotent: true,
    type: UpdateAccountPayload,
    nullable: true,
    description:
      'Changes an existing account and updates its links. Errors: `account.not_found`, `input.invalid`.',
    authScopes: { may: 'account.update' },
    args: { input: t.arg({ type: UpdateAccountInput, required: true, description: 'Account and changes.' }) },
    resolve: async (_root, { input: { accountId, ...changes } }, { viewer, services, requestId }) => {
      const { account } = await services.accounts.update(viewer, requestId, accountId, changes);
      return { requestId, account };
    },
  }),
  deleteAccount: t.field({
    isIdempotent: false,
    type: DeleteAccountPayload,
    nullable: true,
    description:
      'Erases an account with its identifiers, links, personal fields and events, and the sessions that ' +
      'are bound to no other account. A pending membership of an account that does not exist is deleted ' +
      'too. Cannot be undone. Errors: `account.not_found`.',
    authScopes: { may: 'account.delete' },
    args: { input: t.arg({ type: DeleteAccountInput, required: true, description: 'Account to erase.' }) },
    resolve: async (_root, { input: { accountId } }, { viewer, services, requestId }) => {
      const id = await services.accounts.remove(viewer, requestId, accountId);
      return { requestId, accountId, id };
    },
  }),
}));
