import type { Account } from '../domain/accounts/account.ts';
import { authenticateAccountShape, updateAccountShape } from '../domain/accounts/account-input.ts';
import type { AuthenticatedSession } from '../domain/accounts/authenticate-service.ts';
import type { Decision } from '../domain/decisions/decide.ts';
import type { Session } from '../domain/sessions/session.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { DecisionTraceType, RuleReferenceType } from './decision.ts';
import { IdNumberInput } from './id-number.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';

const accountFieldDescriptions = {
  email: 'Email, 320 characters at most; an invalid one is stored and described as such. Empty clears it.',
  phone: 'Phone, E.164 preferred, 32 characters at most. Empty clears it.',
  firstName: 'First name, 256 characters at most. Empty clears it.',
  lastName: 'Last name, 256 characters at most. Empty clears it.',
  username: 'Username, 256 characters at most. Empty clears it.',
  expectedCountries: 'Replaces the stored countries; an empty list leaves them.',
  metadata: 'Own data, merged key by key: 16 KB and 8 levels at most.',
  group: 'Links stay inside a group. Absent: unchanged; a change links anew.',
  dateOfBirth:
    'Date of birth as YYYY-MM-DD: a date of the calendar from 1900-01-01 to 2099-12-31. Absent or null: unchanged; ' +
    'empty removes it. Errors: input.invalid.',
  identifiers:
    'Government and other id numbers, at most 10; replaces those that were given before. Absent or null: unchanged; an ' +
    'empty list removes them. Errors: input.invalid.',
} as const;

const AccountInput = builder.inputType('AccountInput', {
  description: 'An account as the client states it. Null and absent fields leave what is stored.',
  fields: (t) => ({
    id: t.string({ required: true, description: "The client's own id, 1 to 256 characters." }),
    email: t.string({ description: accountFieldDescriptions.email }),
    phone: t.string({ description: accountFieldDescriptions.phone }),
    firstName: t.string({ description: accountFieldDescriptions.firstName }),
    lastName: t.string({ description: accountFieldDescriptions.lastName }),
    username: t.string({ description: accountFieldDescriptions.username }),
    expectedCountries: t.field({
      type: ['CountryCode'],
      description: accountFieldDescriptions.expectedCountries,
    }),
    metadata: t.field({ type: 'JSONObject', description: accountFieldDescriptions.metadata }),
    group: t.string({ description: accountFieldDescriptions.group }),
    dateOfBirth: t.string({ description: accountFieldDescriptions.dateOfBirth }),
    identifiers: t.field({ type: [IdNumberInput], description: accountFieldDescriptions.identifiers }),
    lists: t.stringList({ description: 'Lists to add it to; unknown names are created. Nobody is removed.' }),
  }),
  validate: authenticateAccountShape,
});

const AuthenticateSessionInput = builder.inputType('AuthenticateSessionInput', {
  description: 'A session and the account that it belongs to.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the session.' }),
    account: t.field({ type: AccountInput, required: true, description: 'The account, new or known.' }),
  }),
});

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'Fields of a known account. Null and absent fields leave what is stored.',
  fields: (t) => ({
    accountId: t.string({ required: true, description: "The client's own id." }),
    email: t.string({ description: accountFieldDescriptions.email }),
    phone: t.string({ description: accountFieldDescriptions.phone }),
    firstName: t.string({ description: accountFieldDescriptions.firstName }),
    lastName: t.string({ description: accountFieldDescriptions.lastName }),
    username: t.string({ description: accountFieldDescriptions.username }),
    expectedCountries: t.field({
      type: ['CountryCode'],
      description: accountFieldDescriptions.expectedCountries,
    }),
    metadata: t.field({ type: 'JSONObject', description: accountFieldDescriptions.metadata }),
    group: t.string({ description: accountFieldDescriptions.group }),
    dateOfBirth: t.string({ description: accountFieldDescriptions.dateOfBirth }),
    identifiers: t.field({ type: [IdNumberInput], description: accountFieldDescriptions.identifiers }),
  }),
  validate: updateAccountShape.loose(),
});

const DeleteAccountInput = builder.inputType('DeleteAccountInput', {
  description: 'The account to erase.',
  fields: (t) => ({ accountId: t.string({ required: true, description: "The client's own id." }) }),
});

type Decided = AuthenticatedSession['decided'];
type Payload = { requestId: string; account: Account };

const AuthenticateSessionPayload = builder
  .objectRef<Payload & { decision: Decision; session: Session; decided: Decided }>(
    'AuthenticateSessionPayload',
  )
  .implement({
    description: 'The account as it is after the session, and the decision.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      decision: t.field({
        type: DecisionType,
        description: 'The decision.',
        resolve: (payload) => payload.decision,
      }),
      decisionId: t.id({
        description: 'Id of the decision, for decision(id) and replayDecision(id).',
        resolve: ({ decided }) => decided.decisionId,
      }),
      decisionTrace: t.field({
        type: DecisionTraceType,
        description: 'Why: score, threshold, list, rule, and which of them won.',
        resolve: ({ decided }) => decided.trace,
      }),
      rules: t.field({
        type: [RuleReferenceType],
        description:
          'Rules that matched, in their order; one that matched the account with the session before did not act again.',
        resolve: ({ decided }) => [...decided.rules],
      }),
      flags: t.stringList({
        description: 'Flags that rules raised.',
        resolve: ({ decided }) => [...decided.flags],
      }),
      account: t.field({
        type: AccountRef,
        description: 'The account after it.',
        resolve: (payload) => payload.account,
      }),
      session: t.field({
        type: SessionRef,
        description: 'The session.',
        resolve: (payload) => payload.session,
      }),
    }),
  });

const UpdateAccountPayload = builder.objectRef<Payload>('UpdateAccountPayload').implement({
  description: 'The account as it is after the change.',
  fields: (t) => ({
    requestId: t.field({
      type: 'UUID',
      description: 'Id of this request.',
      resolve: (payload) => payload.requestId,
    }),
    account: t.field({
      type: AccountRef,
      description: 'The account after it.',
      resolve: (payload) => payload.account,
    }),
  }),
});

const DeleteAccountPayload = builder
  .objectRef<{ requestId: string; accountId: string }>('DeleteAccountPayload')
  .implement({
    description: 'What was erased.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      accountId: t.exposeString('accountId', { description: "The client's own id of the erased account." }),
    }),
  });

builder.mutationFields((t) => ({
  authenticateSession: t.field({
    type: AuthenticateSessionPayload,
    description:
      'Binds a session to an account, links and scores it. The same pair again is scored again and counted once. ' +
      'Errors: session.not_found, session.expired, input.invalid.',
    authScopes: { may: 'session.authenticate' },
    args: {
      input: t.arg({ type: AuthenticateSessionInput, required: true, description: 'Session and account.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const { account, session, decision, decided } = await services.accounts.authenticate(
        viewer,
        requestId,
        input.account,
        input.sessionId,
      );
      return { requestId, decision, account, session, decided };
    },
  }),
  updateAccount: t.field({
    type: UpdateAccountPayload,
    description: 'Changes a known account; its links follow. Errors: account.not_found, input.invalid.',
    authScopes: { may: 'account.update' },
    args: { input: t.arg({ type: UpdateAccountInput, required: true, description: 'Account and changes.' }) },
    resolve: async (_root, { input: { accountId, ...changes } }, { viewer, services, requestId }) => {
      const { account } = await services.accounts.update(viewer, requestId, accountId, changes);
      return { requestId, account };
    },
  }),
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    description:
      'Erases an account for good: its identifiers, links, personal fields, events, and the sessions that belong to ' +
      'no other account. Errors: account.not_found.',
    authScopes: { may: 'account.delete' },
    args: { input: t.arg({ type: DeleteAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input: { accountId } }, { viewer, services, requestId }) => {
      await services.accounts.remove(viewer, requestId, accountId);
      return { requestId, accountId };
    },
  }),
}));
