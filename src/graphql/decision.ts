import type { DecidingList, DecisionTrace } from '../domain/decisions/decide.ts';
import { type DecisionOutcome, openDecision } from '../domain/decisions/decision-inputs.ts';
import {
  type DecisionRow,
  type DecisionVersions,
  type Replay,
  replayDecision,
} from '../domain/decisions/decision-service.ts';
import type { MemberSource } from '../domain/model/member-source.ts';
import { assertMay, refusalOf } from '../domain/projects/assert-may.ts';
import type { RuleReference } from '../domain/rules/rule.ts';
import type { ProjectCipher } from '../platform/crypto.ts';
import { isUuid } from '../platform/ids.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { ListEffect } from './list.ts';
import { ListMemberSource } from './member-source.ts';
import { internalIdOf } from './node-id.ts';
import { RequiredVerificationType } from './required-verification.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';

export const RuleReferenceType = builder.objectRef<RuleReference>('RuleReference').implement({
  description: 'A rule as it was at the time.',
  fields: (t) => ({
    ruleId: t.field({ type: 'UUID', description: 'Id of the rule.', resolve: ({ ruleId }) => ruleId }),
    version: t.exposeInt('version', { description: 'Its version at the time.' }),
    name: t.exposeString('name', { description: 'Its name at the time.' }),
  }),
});

const DecidingListType = builder.objectRef<DecidingList>('DecidingList').implement({
  description: 'A list whose effect decides.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the list.' }),
    effect: t.field({
      type: ListEffect,
      description: 'Effect of the list: BLOCK or ALLOW.',
      resolve: ({ effect }) => effect as 'block' | 'allow',
    }),
    source: t.field({
      type: ListMemberSource,
      nullable: true,
      description: 'Origin of the membership; null for decisions of versions that did not store it.',
      resolve: ({ source }) => (source || null) as MemberSource | null,
    }),
    reason: t.string({
      nullable: true,
      description: "Reason of the membership from the request, or the rule's name; null without a reason.",
      resolve: ({ reason }) => reason || null,
    }),
    actor: t.string({
      nullable: true,
      description: 'Visible prefix of the key that added the account, or rule:NAME. Null if unknown.',
      resolve: ({ actor }) => actor || null,
    }),
  }),
});

const DecisionWinner = builder.enumType('DecisionWinner', {
  description: 'Step that made a decision.',
  values: {
    SCORE: { description: 'The account score, by the thresholds of the project.' },
    LIST: { description: 'A list that the account was on.' },
    RULE: {
      description:
        'A rule that put the account on the list that decides, or took it off one, or that made the decision SUSPICIOUS.',
    },
  } as const,
});

export const DecisionTraceType = builder.objectRef<DecisionTrace>('DecisionTrace').implement({
  description: 'Reasons of a decision: first the score, then lists (block before allow), then rules.',
  fields: (t) => ({
    decision: t.field({ type: DecisionType, description: 'The decision.', resolve: (d) => d.decision }),
    winner: t.field({
      type: DecisionWinner,
      description: 'Step that made the decision.',
      resolve: (d) => d.winner,
    }),
    score: t.exposeFloat('score', { description: 'The account score, 0 to 1.' }),
    suspiciousFrom: t.exposeFloat('suspiciousFrom', {
      description: 'Threshold: from this score on an account is Suspicious.',
    }),
    fakeFrom: t.exposeFloat('fakeFrom', { description: 'Threshold: from this score on it is Fake.' }),
    byScore: t.field({
      type: DecisionType,
      description: 'Decision by the score alone.',
      resolve: (d) => d.byScore,
    }),
    list: t.field({
      type: DecidingListType,
      nullable: true,
      description: 'The list that decides. Null if the account is on none with an effect.',
      resolve: (d) => d.list,
    }),
    rule: t.field({
      type: RuleReferenceType,
      nullable: true,
      description: 'The rule that made the difference. Null if none did.',
      resolve: (d) => d.rule,
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
  description: 'Versions of what a decision followed.',
  fields: (t) => ({
    signals: t.exposeString('signals', { description: 'Weights of the signal codes.' }),
    links: t.exposeString('links', { description: 'Weights of the links.' }),
    account: t.exposeString('account', { description: 'Weights of the account score.' }),
    email: t.exposeString('email', { description: 'Weights of the email score.' }),
    thresholds: t.exposeInt('thresholds', { description: 'Thresholds of the project.' }),
    rules: t.int({
      description: 'Rules of the project, raised with every change of one; 0 before the first.',
      resolve: ({ rules }) => rules ?? 0,
    }),
  }),
});

/** A decision with its decrypted part, which is decrypted when it is first read. */
export class StoredDecision {
  readonly row: DecisionRow;
  readonly #cipher: ProjectCipher;
  #outcome: DecisionOutcome | undefined;

  constructor(cipher: ProjectCipher, row: DecisionRow) {
    this.row = row;
    this.#cipher = cipher;
  }

  get outcome(): DecisionOutcome {
    const { decision_id, inputs } = this.row;
    this.#outcome ??= openDecision(this.#cipher, decision_id, inputs).outcome;
    return this.#outcome;
  }
}

export const DecisionRef = builder.objectRef<StoredDecision>('Decision');

builder.node(DecisionRef, {
  description:
    'Decision on an account, as it was answered to authenticateSession. Kept with its inputs until the account is erased.',
  id: { resolve: ({ row }) => row.decision_id, description: 'Global id.' },
  isTypeOf: (value) => value instanceof StoredDecision,
  loadMany: (ids, context) => Promise.all(ids.map((id) => findDecision(context, id))),
  fields: (t) => ({
    decisionId: t.field({
      type: 'UUID',
      description: 'Id of the decision, as events and logs show it.',
      resolve: ({ row }) => row.decision_id,
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the decision.', resolve: ({ row }) => row.at }),
    accountId: t.string({
      description: "The client's own id of the account.",
      resolve: ({ row }) => row.account_id,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'The account as it is now; null once it is erased.',
      resolve: ({ row }, _args, { loaders }) => loaders.account.load(row.account),
    }),
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the session that the decision was made on.',
      resolve: ({ row }) => row.session_id,
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'The session that the decision was made on; null once it is deleted.',
      resolve: ({ row }, _args, { loaders }) => loaders.session.load(row.session_id),
    }),
    requestId: t.field({
      type: 'UUID',
      description: 'Id of the request that authenticated the session.',
      resolve: ({ row }) => row.request_id,
    }),
    firstSession: t.boolean({
      description: 'Whether the session was the first of its account.',
      resolve: ({ row }) => row.first_session,
    }),
    decision: t.field({
      type: DecisionType,
      description: 'Outcome of the decision.',
      resolve: ({ outcome }) => outcome.trace.decision,
    }),
    accountScore: t.float({
      description: 'The account score, 0 to 1.',
      resolve: ({ row }) => row.account_score,
    }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Reasons: score, thresholds, list and rule.',
      resolve: ({ outcome }) => outcome.trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description:
        'Rules that matched, in their order. A rule that matched the account with the session before did not act again.',
      resolve: ({ outcome }) => [...outcome.rules],
    }),
    flags: t.stringList({
      description: 'Flags that these rules raised. Rules define flags, so that the set is open.',
      resolve: ({ outcome }) => [...outcome.flags],
    }),
    versions: t.field({
      type: DecisionVersionsType,
      description: 'Versions of the weights, thresholds and rules.',
      resolve: ({ row }) => row.versions,
    }),
  }),
});

/** A decision by its internal id; null when it does not exist, and for viewers that may not read it. */
export async function findDecision(
  { viewer, loaders }: GraphQLContext,
  decisionId: string,
): Promise<StoredDecision | null> {
  if (!isUuid(decisionId) || refusalOf(viewer, 'decision.read')) return null;
  const row = await loaders.decision.load(decisionId);
  return row && new StoredDecision(viewer.project.cipher, row);
}

export const DecisionConnection = builder.connectionObject(
  { type: DecisionRef, name: 'DecisionConnection', description: 'A page of decisions.' },
  { name: 'DecisionEdge', description: 'A decision in a page.' },
);

const DecisionReplay = builder.objectRef<Replay>('DecisionReplay').implement({
  description:
    'A decision made again from what is stored of it, by the rules of its time. Nothing is written.',
  fields: (t) => ({
    decision: t.field({
      type: DecisionType,
      description: 'Decision with the current rules, lists and thresholds.',
      resolve: ({ outcome }) => outcome.trace.decision,
    }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Reasons of the decision.',
      resolve: ({ outcome }) => outcome.trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description: 'Rules that match.',
      resolve: ({ outcome }) => [...outcome.rules],
    }),
    same: t.boolean({
      description: 'Whether it is what was answered: score, deciding list, rules and flags alike.',
      resolve: ({ isSame }) => isSame,
    }),
    otherWeights: t.stringList({
      description:
        'Weights of its time that this version of the service no longer has; with one, the score may differ.',
      resolve: ({ otherWeights }) => otherWeights,
    }),
    original: t.field({
      type: DecisionRef,
      description: 'The decision as it was answered.',
      resolve: ({ row }, _args, { viewer }) => new StoredDecision(viewer.project.cipher, row),
    }),
  }),
});

builder.objectFields(AccountRef, (t) => ({
  decisions: t.field({
    type: DecisionConnection,
    description: 'Decisions on the account, one for each authenticateSession, the newest first.',
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async ({ row: { id } }, args, context) => {
      const { viewer, loaders } = context;
      assertMay(viewer, 'decision.read');
      const page = selectPage(args, ['decisions', id], context);
      return toConnection(await loaders.decisions(page).load(id), page, {
        context,
        position: ({ decision_id }) => [decision_id],
        edge: (row) => ({ node: new StoredDecision(viewer.project.cipher, row) }),
        total: () => loaders.decisionCount.load(id),
      });
    },
  }),
}));

builder.queryFields((t) => ({
  decision: t.field({
    type: DecisionRef,
    nullable: true,
    description: 'A decision by its global id. Null if it does not exist.',
    authScopes: { may: 'decision.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the decision.' }) },
    resolve: (_root, { id }, context) => findDecision(context, internalIdOf('Decision', id) ?? ''),
  }),
  replayDecision: t.field({
    type: DecisionReplay,
    nullable: true,
    description:
      'Makes a decision again from its stored inputs, by the thresholds, lists and rules of its time. ' +
      'Nothing is written. Errors: `decision.not_found`.',
    authScopes: { may: 'decision.replay' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the decision.' }) },
    resolve: (_root, { id }, { viewer }) => replayDecision(viewer, internalIdOf('Decision', id) ?? ''),
  }),
}));
