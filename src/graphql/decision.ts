import type { DecidingList, DecisionTrace } from '../domain/decisions/decide.ts';
import { type DecisionOutcome, openDecision } from '../domain/decisions/decision-inputs.ts';
import {
  type DecisionRow,
  type DecisionVersions,
  getDecision,
  type Replay,
  replayDecision,
} from '../domain/decisions/decision-service.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import type { RuleReference } from '../domain/rules/rule.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { LAST_ID } from '../platform/ids.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { DecisionType } from './risk.ts';

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
    effect: t.exposeString('effect', { description: 'block or allow.' }),
    source: t.string({
      description: 'Who put the account on it: api, rule, import or console.',
      resolve: ({ source }) => source ?? '',
    }),
    reason: t.string({
      description: "Why, as it was given, or the rule's name; empty when nobody said.",
      resolve: ({ reason }) => reason ?? '',
    }),
    actor: t.string({
      description: 'The visible beginning of the key that did, or rule:NAME.',
      resolve: ({ actor }) => actor ?? '',
    }),
  }),
});

const DecisionWinner = builder.enumType('DecisionWinner', {
  description: 'What made a decision.',
  values: {
    SCORE: { description: 'The account score, by the thresholds of the project.' },
    LIST: { description: 'A list that the account was on.' },
    RULE: {
      description: 'A rule that put the account on the list that decides, or took it off one.',
    },
  } as const,
});

export const DecisionTraceType = builder.objectRef<DecisionTrace>('DecisionTrace').implement({
  description: 'Why a decision is what it is: first the score, then lists (block before allow), then rules.',
  fields: (t) => ({
    decision: t.field({ type: DecisionType, description: 'The decision.', resolve: (d) => d.decision }),
    winner: t.field({ type: DecisionWinner, description: 'What made it.', resolve: (d) => d.winner }),
    score: t.exposeFloat('score', { description: 'The account score, 0 to 1.' }),
    suspiciousFrom: t.exposeFloat('suspiciousFrom', {
      description: 'Threshold: from this score on an account is Suspicious.',
    }),
    fakeFrom: t.exposeFloat('fakeFrom', { description: 'Threshold: from this score on it is Fake.' }),
    byScore: t.field({
      type: DecisionType,
      description: 'What the score alone says.',
      resolve: (d) => d.byScore,
    }),
    list: t.field({
      type: DecidingListType,
      nullable: true,
      description: 'The list that decides; null when the account is on none with an effect.',
      resolve: (d) => d.list,
    }),
    rule: t.field({
      type: RuleReferenceType,
      nullable: true,
      description: 'The rule that made the difference; null when none did.',
      resolve: (d) => d.rule,
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

/** A decision with its opened part, opened once. */
type OpenedDecision = DecisionRow & { outcome: DecisionOutcome };

const DecisionRecord = builder.objectRef<OpenedDecision>('DecisionRecord').implement({
  description: 'A decision as it was answered, kept with what it was made of until the account is erased.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the decision.', resolve: (d) => d.decision_id }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: (d) => d.at }),
    accountId: t.string({ description: "The client's own id of the account.", resolve: (d) => d.account_id }),
    sessionId: t.field({
      type: 'UUID',
      description: 'The session that it was made on.',
      resolve: (d) => d.session_id,
    }),
    requestId: t.field({
      type: 'UUID',
      description: 'The request that asked for it.',
      resolve: (d) => d.request_id,
    }),
    firstSession: t.boolean({
      description: 'Whether the session was the first of its account.',
      resolve: (d) => d.first_session,
    }),
    decision: t.field({
      type: DecisionType,
      description: 'The decision, three-valued.',
      resolve: (d) => d.outcome.trace.decision,
    }),
    accountScore: t.float({ description: 'The account score, 0 to 1.', resolve: (d) => d.account_score }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Why.',
      resolve: (d) => d.outcome.trace,
    }),
    rules: t.field({
      type: [RuleReferenceType],
      description:
        'Rules that matched, in their order; one that matched the account with the session before did not act again.',
      resolve: (d) => [...d.outcome.rules],
    }),
    flags: t.stringList({ description: 'Flags that they raised.', resolve: (d) => [...d.outcome.flags] }),
    versions: t.field({
      type: DecisionVersionsType,
      description: 'What it followed.',
      resolve: (d) => d.versions,
    }),
  }),
});

const DecisionConnection = builder.connectionObject(
  { type: DecisionRecord, name: 'DecisionConnection', description: 'A page of decisions.' },
  { name: 'DecisionEdge', description: 'A decision in a page.' },
);

const DecisionReplay = builder.objectRef<Replay>('DecisionReplay').implement({
  description:
    'A decision made again from what is stored of it, by the rules of its time. Nothing is written.',
  fields: (t) => ({
    decision: t.field({
      type: DecisionType,
      description: 'What comes out now.',
      resolve: ({ outcome }) => outcome.trace.decision,
    }),
    decisionTrace: t.field({
      type: DecisionTraceType,
      description: 'Why.',
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
      type: DecisionRecord,
      description: 'The decision as it was answered.',
      resolve: ({ row }, _args, context) => opened(context, row),
    }),
  }),
});

function opened({ viewer }: GraphQLContext, row: DecisionRow): OpenedDecision {
  return { ...row, outcome: openDecision(viewer.project.cipher, row.decision_id, row.inputs).outcome };
}

builder.objectFields(AccountRef, (t) => ({
  decisions: t.field({
    type: DecisionConnection,
    description: 'Decisions on it, one for each authenticate, the newest first.',
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
    },
    resolve: async (account, args, context) => {
      assertMay(context.viewer, 'decision.read');
      const { cipher } = context.viewer.project;
      const size = pageSize(args.first, context);
      const scope = JSON.stringify(['decisions', account.row.id]);
      const after = args.after == null ? null : decodeCursor(cipher, scope, args.after);
      const before = after ? String(after[0]) : LAST_ID;
      const rows = await context.loaders.decisions(before, size + 1).load(account.row.id);
      return toPage(rows, size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: (row) => [row.decision_id],
        edge: (row) => ({ node: opened(context, row) }),
      });
    },
  }),
}));

builder.queryFields((t) => ({
  decision: t.field({
    type: DecisionRecord,
    nullable: true,
    description: 'A decision by its id; null when there is none.',
    authScopes: { may: 'decision.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the decision.' }) },
    resolve: async (_root, { id }, context) => {
      const row = await getDecision(context.viewer, String(id));
      return row && opened(context, row);
    },
  }),
  replayDecision: t.field({
    type: DecisionReplay,
    description:
      'Makes a decision again from its stored inputs, by the thresholds, lists and rules of its time. Errors: decision.not_found.',
    authScopes: { may: 'decision.replay' },
    args: { id: t.arg.id({ required: true, description: 'Id of the decision.' }) },
    resolve: (_root, { id }, context) => replayDecision(context.viewer, String(id)),
  }),
}));
