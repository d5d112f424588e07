import {
  type DecidingList,
  type DecisionOutcome,
  type DecisionTrace,
  decryptDecision,
  type RuleReference,
} from '@vouchgraph/decisions';
import { isUuid } from '@vouchgraph/platform/ids';
import {
  type DecisionVersions,
  type Replay,
  readDecision,
  replayDecision,
  type StoredDecision,
} from '../../domain/decisions/decision-service.ts';
import type { MemberSource } from '../../domain/model/member-source.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { assertMay, refusalOf } from '../../domain/projects/assert-may.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { PAGE_ARGS, pageCost, rangeOf, selectPage, toConnection } from '../kernel/connection.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import { DecisionType } from '../kernel/risk.ts';
import { ListEffect } from '../lists/list.ts';
import { ListMemberSource } from '../lists/member-source.ts';
import { SessionRef } from '../sessions/session.ts';
import { RequiredVerificationType } from './required-verification.ts';

export const RuleReferenceType = builder.objectRef<RuleReference>('RuleReference').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Rule at the time of a decision.',
  fields: (t) => ({
    ruleId: t.expose('ruleId', { type: 'UUID', description: 'Id of the rule.' }),
    version: t.exposeInt('version', { description: 'Version at the time of the decision.' }),
    name: t.exposeString('name', { description: 'Name at the time of the decision.' }),
  }),
});

const DecidingListType = builder.objectRef<DecidingList>('DecidingList').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'List whose effect decides.',
  fields: (t) => ({
    name: t.exposeString('name', { mask: 'none', description: 'Name of the list.' }),
    effect: t.field({
      type: ListEffect,
      description: 'Effect of the list: BLOCK or ALLOW.',
      resolve: ({ effect }) => effect as 'block' | 'allow',
    }),
    source: t.field({
      type: ListMemberSource,
      description: 'Origin of the membership.',
      resolve: ({ source }) => source as MemberSource,
    }),
    reason: t.string({
      mask: 'text',
      nullable: true,
      description:
        'Reason of the membership, from the request or the name of the rule. Null without a reason.',
      resolve: ({ reason }) => reason || null,
    }),
    actor: t.string({
      mask: 'none',
      nullable: true,
      description: 'Visible prefix of the key that added the account, or rule:NAME. Null if unknown.',
      resolve: ({ actor }) => actor || null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'End of the membership. Null if it has no end.',
      resolve: ({ expiresAt }) => (expiresAt ? new Date(expiresAt) : null),
    }),
  }),
});

const DecisionWinner = builder.enumType('DecisionWinner', {
  description: 'Step that determined a decision.',
  values: {
    SCORE: { description: 'Account score, compared with the thresholds of the project.' },
    LIST: { description: 'List that contains the account.' },
    RULE: {
      description:
        'Rule that added the account to the deciding list, removed it from a list, or made the decision ' +
        'SUSPICIOUS.',
    },
  } as const,
});

export const DecisionTraceType = builder.objectRef<DecisionTrace>('DecisionTrace').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Reasons of a decision: the score first, then lists (block before allow), then rules.',
  fields: (t) => ({
    decision: t.expose('decision', { type: DecisionType, description: 'Decision.' }),
    winner: t.expose('winner', { type: DecisionWinner, description: 'Step that determined the decision.' }),
    score: t.exposeFloat('score', { description: 'Account score, 0 to 1.' }),
    suspiciousFrom: t.exposeFloat('suspiciousFrom', {
      description: 'Minimum score of the decision SUSPICIOUS, 0 to 1.',
    }),
    fakeFrom: t.exposeFloat('fakeFrom', { description: 'Minimum score of the decision FAKE, 0 to 1.' }),
    byScore: t.expose('byScore', { type: DecisionType, description: 'Decision by the score alone.' }),
    list: t.expose('list', {
      type: DecidingListType,
      nullable: true,
      description: 'Deciding list. Null if no list of the account has an effect.',
    }),
    rule: t.expose('rule', {
      type: RuleReferenceType,
      nullable: true,
      description: 'Deciding rule. Null if no rule changed the decision.',
    }),
    requiredVerification: t.field({
      type: RequiredVerificationType,
      nullable: true,
      description: 'Check that a rule requires of the account. Null if none is required.',
      resolve: ({ requiredVerification }) => requiredVerification ?? null,
    }),
  }),
});

const DecisionVersionsType = builder.objectRef<DecisionVersions>('DecisionVersions').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Versions that a decision is based on.',
  fields: (t) => ({
    signals: t.exposeString('signals', { description: 'Version of the weights of the signal codes.' }),
    links: t.exposeString('links', { description: 'Version of the weights of the links.' }),
    account: t.exposeString('account', { description: 'Version of the weights of the account score.' }),
    email: t.exposeString('email', { description: 'Version of the weights of the email score.' }),
    thresholds: t.exposeInt('thresholds', { description: 'Version of the thresholds of the project.' }),
    rules: t.exposeInt('rules', {
      description:
        'Version of the rules of the project, incremented by every change of a rule. 0 before the first ' +
        'rule.',
    }),
  }),
});

const outcomes = new WeakMap<object, DecisionOutcome>();

/** The encrypted part of a decision, which is decrypted when it is first read. */
function outcomeOf({ project }: Viewer, row: Pick<StoredDecision, 'decisionId' | 'inputs'>): DecisionOutcome {
  const known = outcomes.get(row) ?? decryptDecision(project.cipher, row.decisionId, row.inputs).outcome;
  outcomes.set(row, known);
  return known;
}

export const DecisionNode = builder.prismaNode('DecisionRecord', {
  name: 'Decision',
  tokenScopes: 'never',
  subjects: ({ accountId, sessionId }, subjects) => {
    subjects.addAccount(accountId);
    subjects.addSession(sessionId);
  },
  revealedBy: ({ accountId }) => ({ account: accountId }),
  description:
    'Decision on an account, as authenticateSession returned it. Stored with its inputs until the ' +
    'account is erased.',
  include: { account: { select: { accountId: true } } },
  id: { resolve: ({ decisionId }) => decisionId, description: 'Global id.' },
  nullable: true,
  findUnique: (decisionId, { viewer }) => ({
    projectId_decisionId: {
      projectId: viewer.project.projectId,
      decisionId: readableUuid(viewer, 'decision.read', decisionId),
    },
  }),
  fields: (t) => ({
    decisionId: t.expose('decisionId', {
      type: 'UUID',
      description: 'Id of the decision, as in events and logs.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the decision.' }),
    accountId: t.id({
      description: 'Id of the account, assigned by the client.',
      resolve: ({ account }) => account.accountId,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Current state of the account. Null if it was erased.',
      resolve: ({ accountId }, _args, { loaders }) => loaders.account.load(accountId),
    }),
    sessionId: t.expose('sessionId', { type: 'UUID', description: 'Id of the session of the decision.' }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'Session of the decision. Null if it was deleted.',
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId),
    }),
    requestId: t.expose('requestId', {
      type: 'UUID',
      description: 'Id of the request that authenticated the session.',
    }),
    firstSession: t.exposeBoolean('firstSession', {
      description: 'Whether the session was the first session of the account.',
    }),
    decision: t.field({
      type: DecisionType,
      description: 'Outcome of the decision.',
      resolve: (row, _args, { viewer }) => outcomeOf(viewer, row).trace.decision,
    }),
    accountScore: t.exposeFloat('accountScore', { description: 'Account score, 0 to 1.' }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Reasons of the decision: score, thresholds, list and rule.',
      resolve: (row, _args, { viewer }) => outcomeOf(viewer, row).trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description:
        'Rules that matched, in their order. A rule that matched the account with this session before ' +
        'does not act again.',
      resolve: (row, _args, { viewer }) => [...outcomeOf(viewer, row).rules],
    }),
    flags: t.stringList({
      mask: 'none',
      description:
        'Flags that the matched rules raised. The set of flags is open, because rules define them.',
      resolve: (row, _args, { viewer }) => [...outcomeOf(viewer, row).flags],
    }),
    versions: t.field({
      type: DecisionVersionsType,
      description: 'Versions of the weights, thresholds and rules.',
      resolve: ({ versions }) => versions as DecisionVersions,
    }),
  }),
});

/** A decision by its internal id; null when it does not exist, and for viewers that may not read it. */
export function findDecision(viewer: Viewer, decisionId: string): Promise<StoredDecision | null> | null {
  if (!isUuid(decisionId) || refusalOf(viewer, 'decision.read')) return null;
  return readDecision(viewer, decisionId);
}

export const DecisionConnection = builder.connectionObject(
  { type: DecisionNode, name: 'DecisionConnection', description: 'Page of decisions.' },
  { name: 'DecisionEdge', description: 'Decision in a page.' },
);

const DecisionReplay = builder.objectRef<Replay>('DecisionReplay').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description:
    'Decision, computed again from its stored inputs with the rules of its time. Nothing is written.',
  fields: (t) => ({
    decision: t.field({
      type: DecisionType,
      description: 'Decision with the rules, lists and thresholds of its time.',
      resolve: ({ outcome }) => outcome.trace.decision,
    }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Reasons of the decision.',
      resolve: ({ outcome }) => outcome.trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description: 'Rules that matched.',
      resolve: ({ outcome }) => [...outcome.rules],
    }),
    same: t.exposeBoolean('isSame', {
      description: 'Whether the result equals the original: score, deciding list, rules and flags.',
    }),
    otherWeights: t.exposeStringList('otherWeights', {
      description:
        'Weights of the original that this version of the service does not have. If not empty, the ' +
        'score may differ.',
    }),
    original: t.expose('row', { type: DecisionNode, description: 'Original decision.' }),
  }),
});

builder.objectFields(AccountRef, (t) => ({
  decisions: t.field({
    tokenScopes: 'never',
    type: DecisionConnection,
    description: 'Decisions on the account, one per authenticateSession, the newest first.',
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async ({ row: { id } }, args, context) => {
      const { viewer, loaders } = context;
      assertMay(viewer, 'decision.read');
      const page = selectPage(args, ['decisions', id], context);
      return toConnection(await loaders.decisions(rangeOf(page)).load(id), page, {
        context,
        position: ({ decisionId }) => [decisionId],
        edge: (node) => ({ node }),
        total: () => loaders.decisionCount.load(id),
      });
    },
  }),
}));

builder.queryFields((t) => ({
  decision: t.field({
    type: DecisionNode,
    nullable: true,
    description: 'Decision by its id. Null if it does not exist.',
    authScopes: { may: 'decision.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the decision, or its decisionId.' }) },
    resolve: (_root, { id }, { viewer }) => findDecision(viewer, internalIdOf('Decision', id) ?? ''),
  }),
  replayDecision: t.field({
    type: DecisionReplay,
    nullable: true,
    description:
      'Decision, computed again from its stored inputs with the thresholds, lists and rules of its ' +
      'time. Nothing is written. Errors: `decision.not_found`.',
    authScopes: { may: 'decision.replay' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the decision, or its decisionId.' }) },
    resolve: (_root, { id }, { viewer }) => replayDecision(viewer, internalIdOf('Decision', id) ?? ''),
  }),
}));
