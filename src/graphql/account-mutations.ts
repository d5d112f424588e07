import type { Account } from '../domain/accounts/account.ts';
import { accountInputShape, updateAccountShape } from '../domain/accounts/account-input.ts';
import type { AuthenticatedSession } from '../domain/accounts/authenticate-service.ts';
import type { Decision } from '../domain/decisions/decide.ts';
import type { Session } from '../domain/sessions/session.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { DecisionRef, DecisionTraceType, findDecision, RuleReferenceType } from './decision.ts';
import { IdNumberInput } from './id-number.ts';
import { globalIdOf } from './node-id.ts';
import { RequiredVerificationType } from './required-verification.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';

const accountFieldDescriptions = {
  email:
    'Email, at most 320 characters; an invalid one is stored and marked as such. Null or absent: unchanged; empty removes it.',
  phone: 'Phone, E.164 preferred, at most 32 characters. Null or absent: unchanged; empty removes it.',
  firstName: 'First name, at most 256 characters. Null or absent: unchanged; empty removes it.',
  lastName: 'Last name, at most 256 characters. Null or absent: unchanged; empty removes it.',
  username: 'Username, at most 256 characters. Null or absent: unchanged; empty removes it.',
  expectedCountries: 'Countries that replace the stored ones. Null, absent or an empty list: unchanged.',
  metadata: 'Own data, merged key by key: at most 16 KB and 8 levels. Null or absent: unchanged.',
  group:
    'Group; accounts are linked within their group only. Null or absent: unchanged; empty removes it. A change links the account again.',
  // Text rather than Date: messages of a scalar quote the value, and empty removes the date.
  dateOfBirth:
    'Date of birth as YYYY-MM-DD: a date of the calendar from 1900-01-01 to 2099-12-31. Null or absent: unchanged; ' +
    'empty removes it. Errors: input.invalid.',
  identifiers:
    'Government and other id numbers, at most 10; they replace the stored ones. Null or absent: unchanged; ' +
    'an empty list removes them. Errors: input.invalid.',
} as const;

const AccountInput = builder.inputType('AccountInput', {
  description: 'Data of a new or known account. Null and absent fields leave stored data unchanged.',
  fields: (t) => ({
    accountId: t.string({ required: true, description: "The client's own id, 1 to 256 characters." }),
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
    lists: t.stringList({
      description:
        'Names of lists to add the account to; unknown lists are created. It stays on its other lists.',
    }),
  }),
  validate: accountInputShape,
});

const AuthenticateSessionInput = builder.inputType('AuthenticateSessionInput', {
  description: 'A session and the account that it is bound to.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the session.' }),
    account: t.field({ type: AccountInput, required: true, description: 'New or known account.' }),
  }),
});

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'Changes of a known account. Null and absent fields leave stored data unchanged.',
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
    description: 'Account and session after the call, and the decision.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      decision: t.field({
        type: DecisionType,
        description: 'Outcome of the decision.',
        resolve: (payload) => payload.decision,
      }),
      decisionId: t.field({
        type: 'UUID',
        description: 'Id of the decision, as events and logs show it.',
        resolve: ({ decided }) => decided.decisionId,
      }),
      decisionRecord: t.field({
        type: DecisionRef,
        nullable: true,
        description: 'Stored decision, whose global id replayDecision accepts; read when it is selected.',
        resolve: ({ decided }, _args, context) => findDecision(context, decided.decisionId),
      }),
      decisionTrace: t.field({
        type: DecisionTraceType,
        description: 'Reasons of the decision: score, thresholds, list and rule.',
        resolve: ({ decided }) => decided.trace,
      }),
      rules: t.field({
        type: [RuleReferenceType],
        description:
          'Rules that matched, in their order. A rule that matched the account with the session before did not act again.',
        resolve: ({ decided }) => [...decided.rules],
      }),
      flags: t.stringList({
        description: 'Flags that these rules raised. Rules define flags, so that the set is open.',
        resolve: ({ decided }) => [...decided.flags],
      }),
      requiredVerification: t.field({
        type: RequiredVerificationType,
        nullable: true,
        description: 'Check that a rule requires of the account; null when none is required.',
        resolve: ({ decided }) => decided.trace.requiredVerification ?? null,
      }),
      account: t.field({
        type: AccountRef,
        description: 'The account after the change.',
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
  description: 'The changed account.',
  fields: (t) => ({
    requestId: t.field({
      type: 'UUID',
      description: 'Id of this request.',
      resolve: (payload) => payload.requestId,
    }),
    account: t.field({
      type: AccountRef,
      description: 'The account after the change.',
      resolve: (payload) => payload.account,
    }),
  }),
});

const DeleteAccountPayload = builder
  .objectRef<{ requestId: string; accountId: string; id: string }>('DeleteAccountPayload')
  .implement({
    description: 'The erased account.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      deletedId: t.id({
        description: 'Global id of the erased account.',
        resolve: ({ id }) => globalIdOf('Account', id),
      }),
      accountId: t.exposeString('accountId', { description: "The client's own id of the erased account." }),
    }),
  });

builder.mutationFields((t) => ({
  authenticateSession: t.field({
    type: AuthenticateSessionPayload,
    nullable: true,
    description:
      'Binds a session to an account, links the account and scores it. A repeated call scores again and counts the session once. ' +
      'Errors: session.not_found, session.expired, input.invalid.',
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
    type: UpdateAccountPayload,
    nullable: true,
    description: 'Changes a known account and updates its links. Errors: account.not_found, input.invalid.',
    authScopes: { may: 'account.update' },
    args: { input: t.arg({ type: UpdateAccountInput, required: true, description: 'Account and changes.' }) },
    resolve: async (_root, { input: { accountId, ...changes } }, { viewer, services, requestId }) => {
      const { account } = await services.accounts.update(viewer, requestId, accountId, changes);
      return { requestId, account };
    },
  }),
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    nullable: true,
    description:
      'Erases an account with its identifiers, links, personal fields, events, and the sessions of no other account. ' +
      'Cannot be undone. A membership that waits for an unknown account is deleted as well. Errors: account.not_found.',
    authScopes: { may: 'account.delete' },
    args: { input: t.arg({ type: DeleteAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input: { accountId } }, { viewer, services, requestId }) => {
      const id = await services.accounts.remove(viewer, requestId, accountId);
      return { requestId, accountId, id };
    },
  }),
}));
