import { queryFromInfo } from '@pothos/plugin-prisma';
import type { LinkStrength } from '@vouchgraph/decisions';
import { type EmailFacts, parseEmail } from '@vouchgraph/email';
import { isUuid } from '@vouchgraph/platform/ids';
import { Account } from '../../domain/accounts/account.ts';
import { assertMay, isWithin } from '../../domain/projects/assert-may.ts';
import { listSessionIds } from '../../domain/sessions/session-read-service.ts';
import { DecisionTraceType } from '../decisions/decision.ts';
import { EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email/email-enums.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { byItself } from '../kernel/collect-subjects.ts';
import { pageCost } from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { known } from '../kernel/known.ts';
import { DecisionType, RiskSignalScores } from '../kernel/risk.ts';
import { ListNode, listOf } from '../lists/list.ts';
import { SESSION_PAGE_ARGS, SessionConnection, SessionRef, sessionPage } from '../sessions/session.ts';
import { IdNumberObject } from './id-number.ts';
import { PhoneCheck } from './phone.ts';

/** The strength of an account's links: known when it was just changed, else read once for all that ask. */
function linksOf(account: Account, { loaders }: GraphQLContext): LinkStrength | Promise<LinkStrength> {
  return account.links ?? loaders.linkStrength.load(account.row.id);
}

async function withLinks<T>(
  account: Account,
  context: GraphQLContext,
  read: (links: LinkStrength) => T,
): Promise<T> {
  return read(await linksOf(account, context));
}

export const RecentCounts = builder
  .objectRef<{ oneDay: number; sevenDay: number }>('RecentCounts')
  .implement({
    tokenScopes: 'any',
    subjects: 'none',
    description: 'Numbers of distinct values in the sessions of an account, in the days before its lastSeen.',
    fields: (t) => ({
      oneDay: t.exposeInt('oneDay', {
        rest: { key: '1_day' },
        description: 'Number in the day before lastSeen, 0 or more.',
      }),
      sevenDay: t.exposeInt('sevenDay', {
        rest: { key: '7_day' },
        description: 'Number in the seven days before lastSeen, 0 or more.',
      }),
    }),
  });

const KeptOffList = builder.prismaObject('ListKeepOff', {
  name: 'KeptOffList',
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'List to which rules do not add the account.',
  fields: (t) => ({
    list: t.relation('list', { description: 'List.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Time of the removal with keepOff.' }),
    actor: t.exposeString('actor', { description: 'Visible prefix of the key that removed the account.' }),
  }),
});

type KnownEmailFacts = EmailFacts & { numAccountFromDomain: number | null };

export const EmailFactsType = builder.objectRef<KnownEmailFacts>('EmailFacts').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Facts about an email address: its format, its domain, and its use in the project.',
  fields: (t) => ({
    email: t.string({
      mask: 'email',
      nullable: true,
      description: 'Address as the client sent it. Null if the account has none.',
      resolve: (facts) => known(facts.email),
    }),
    disposable: t.exposeBoolean('disposable', {
      description: 'Whether the domain provides disposable addresses.',
    }),
    personal: t.exposeBoolean('personal', {
      description: 'Whether the domain provides mailboxes for private persons.',
    }),
    valid: t.exposeBoolean('valid', {
      description: 'Whether the syntax of the address is correct and its domain ends in a public suffix.',
    }),
    domainType: t.field({
      type: EmailDomainTypeEnum,
      nullable: true,
      description: 'Kind of mail domain. Null without an address.',
      resolve: (facts) => known(facts.domainType),
    }),
    emailScore: t.exposeFloat('emailScore', {
      description: 'Risk score, -1 (trust) to 1 (risk). 0 is neutral.',
    }),
    trustSignals: t.expose('trustSignals', {
      type: [EmailSignalCodeEnum],
      description: 'Codes of trust signals, in the order of the checks.',
    }),
    riskSignals: t.expose('riskSignals', {
      type: [EmailSignalCodeEnum],
      description: 'Codes of risk signals, in the order of the checks.',
    }),
    numAccountFromDomain: t.int({
      description:
        'Number of accounts of the project with an address of the same registrable domain, including ' +
        'this account: 0 to 1,000, where 1,000 means 1,000 or more. 0 without a readable address.',
      resolve: ({ email, numAccountFromDomain }, _args, { loaders }) =>
        numAccountFromDomain ??
        (email ? loaders.accountsFromDomain.load(parseEmail(email).registrableDomain) : 0),
    }),
  }),
});

builder.node(AccountRef, {
  tokenScopes: ['ACCOUNT'],
  subjects: byItself,
  revealedBy: ({ row }) => ({ account: row.id }),
  description: 'Account of the client: its data, the facts of its sessions, its scores and linked accounts.',
  id: { tokenScopes: ['ACCOUNT', 'LINKS'], resolve: (account) => account.row.id, description: 'Global id.' },
  isTypeOf: (value) => value instanceof Account,
  loadMany: async (ids, { viewer, loaders }) => {
    const accounts = await Promise.all(ids.map((id) => (isUuid(id) ? loaders.account.load(id) : null)));
    return accounts.map((account) =>
      isWithin(viewer, { accountId: account?.row.account_id }) ? account : null,
    );
  },
  fields: (t) => ({
    accountId: t.id({
      tokenScopes: ['ACCOUNT', 'LINKS'],
      columns: 'main',
      description: 'Id of the account, assigned by the client.',
      resolve: (a) => a.row.account_id,
    }),
    email: t.string({
      mask: 'email',
      columns: 'main',
      nullable: true,
      description: 'Email address as the client sent it. Null if unknown.',
      resolve: (a) => known(a.personal.email),
    }),
    phone: t.string({
      mask: 'phone',
      columns: 'details',
      nullable: true,
      description:
        'Phone number in E.164 if it is valid, otherwise as the client sent it. Null if unknown. A ' +
        'national number is valid if expectedCountries contains exactly one country.',
      resolve: (a) => known(a.phone),
    }),
    firstName: t.string({
      mask: 'name',
      columns: 'main',
      nullable: true,
      description: 'First name. Null if unknown.',
      resolve: (a) => known(a.personal.firstName),
    }),
    lastName: t.string({
      mask: 'name',
      columns: 'main',
      nullable: true,
      description: 'Last name. Null if unknown.',
      resolve: (a) => known(a.personal.lastName),
    }),
    username: t.string({
      mask: 'name',
      columns: 'main',
      nullable: true,
      description: 'Username. Null if unknown.',
      resolve: (a) => known(a.personal.username),
    }),
    dateOfBirth: t.field({
      mask: 'date',
      rest: {
        unknown: 'absent',
        description: 'Date of birth that the client sent, YYYY-MM-DD. Absent if unknown.',
      },
      columns: 'main',
      type: 'Date',
      nullable: true,
      description:
        'Date of birth that the client sent. Null if unknown. Verification.documentData contains dates ' +
        'of documents.',
      resolve: (a) => known(a.personal.dateOfBirth),
    }),
    idNumbers: t.field({
      columns: 'main',
      type: [IdNumberObject],
      description: 'Id numbers that the client sent, in their order, without values, at most 10.',
      resolve: (a) => a.personal.idNumbers.filter(({ fromDocument }) => !fromDocument),
    }),
    expectedCountries: t.field({
      columns: 'details',
      type: ['CountryCode'],
      description:
        'Expected countries of the sessions. A session in another country is evidence of location spoofing.',
      resolve: (a) => a.row.expected_countries,
    }),
    metadata: t.field({
      mask: 'values',
      columns: 'main',
      type: 'JSONObject',
      description: 'Data of the client, merged key by key.',
      resolve: (a) => a.personal.metadata,
    }),
    group: t.string({
      mask: 'none',
      columns: 'details',
      nullable: true,
      description:
        'Group of the account. Null if none. Only accounts of the same group are linked. Accounts ' +
        'without a group are linked with each other.',
      resolve: (a) => known(a.row.account_group),
    }),
  }),
});

/** Aggregates of the account's sessions. */
builder.objectFields(AccountRef, (t) => ({
  createdAt: t.field({
    columns: 'details',
    type: 'DateTime',
    description: 'Creation time.',
    resolve: (a) => a.row.created_at,
  }),
  updatedAt: t.field({
    columns: 'details',
    type: 'DateTime',
    description: 'Time of the latest change.',
    resolve: (a) => a.row.updated_at,
  }),
  numSessions: t.int({
    columns: 'main',
    description: 'Number of sessions bound to the account.',
    resolve: (a) => a.row.num_sessions,
  }),
  firstSeen: t.field({
    columns: 'details',
    type: 'DateTime',
    nullable: true,
    description: 'Start of the earliest session. Null without sessions.',
    resolve: (a) => a.row.first_seen,
  }),
  lastSeen: t.field({
    columns: 'main',
    type: 'DateTime',
    nullable: true,
    description: 'Start of the latest session. Null without sessions.',
    resolve: (a) => a.row.last_seen,
  }),
  lastSession: t.field({
    columns: 'main',
    type: SessionRef,
    nullable: true,
    description: 'Latest session. Null without sessions, or if it was deleted.',
    resolve: (a, _args, { loaders }) =>
      a.row.last_session ? loaders.session.load(a.row.last_session) : null,
  }),
  lastSessionId: t.field({
    rest: { unknown: 'empty' },
    columns: 'main',
    type: 'UUID',
    nullable: true,
    description: 'Id of the latest session. Null without sessions.',
    resolve: (a) => a.row.last_session,
  }),
  country: t.field({
    columns: 'main',
    type: 'CountryCode',
    nullable: true,
    description: 'Country of the latest session. Null if unknown.',
    resolve: (a) => known(a.row.country),
  }),
  countries: t.field({
    columns: 'details',
    type: ['CountryCode'],
    description: 'Countries of the sessions, in the order of their first session.',
    resolve: (a) => a.row.countries,
  }),
}));

/** Decision, scores and lists. */
builder.objectFields(AccountRef, (t) => ({
  decision: t.field({
    type: DecisionType,
    description: 'Decision by score and thresholds, overridden by lists (block before allow).',
    resolve: (a, _args, context) => withLinks(a, context, (links) => a.decision(links)),
  }),
  decisionTrace: t.field({
    tokenScopes: 'never',
    type: DecisionTraceType,
    description: 'Reasons of the current decision. Rules are evaluated during authenticateSession only.',
    resolve: (a, _args, context) => {
      assertMay(context.viewer, 'decision.read');
      return withLinks(a, context, (links) => a.decisionTrace(links));
    },
  }),
  accountScore: t.float({
    description: 'Overall risk, 0 to 1: noisy-or of risk signals, bot, multiple accounts and email.',
    resolve: (a, _args, context) => withLinks(a, context, (links) => a.accountScore(links)),
  }),
  botScore: t.exposeFloat('bot', {
    description:
      'Score of automation, 0 to 1: the larger of the score of the latest session and the average of ' +
      'the sessions (half-life 30 days).',
  }),
  multipleAccounts: t.float({
    description: 'Risk that one person has several accounts, 0 to 1: noisy-or of the links.',
    resolve: (a, _args, context) => withLinks(a, context, (links) => a.multipleAccounts(links)),
  }),
  riskSignalScore: t.exposeFloat('riskSignals', {
    description:
      'Combined score of all risk signals, 0 to 1: the larger of the score of the latest session and ' +
      'the average of the sessions.',
  }),
  riskSignalAverage: t.expose('riskSignalAverage', {
    type: RiskSignalScores,
    description:
      'Average score of each risk signal over the sessions, 0 to 1. The weight of a session halves in ' +
      '30 days.',
  }),
  accountsLinked: t.int({
    tokenScopes: ['ACCOUNT', 'LINKS'],
    columns: 'main',
    description: 'Number of linked accounts, at most 1,500.',
    resolve: (a, _args, context) => withLinks(a, context, (links) => links.count),
  }),
  lists: t.field({
    columns: 'main',
    type: [ListNode],
    description: 'Lists that contain the account, by name.',
    resolve: (a) => a.row.lists.map((list) => listOf(a.project.projectId, list)),
  }),
  keptOffLists: t.field({
    tokenScopes: 'never',
    columns: 'main',
    type: [KeptOffList],
    description:
      'Lists to which rules do not add the account, by name. The account was removed with keepOff and ' +
      'not added again.',
    complexity: 2,
    resolve: (a, _args, context, info) =>
      context.loaders.keepOffs(queryFromInfo({ context, info })).load(a.row.id),
  }),
}));

/** Facts and sessions behind the scores. */
builder.objectFields(AccountRef, (t) => ({
  uniqueDevices: t.field({
    columns: 'details',
    type: RecentCounts,
    description: 'Numbers of distinct devices of the sessions, 0 to 32 each.',
    resolve: ({ row }) => ({ oneDay: row.unique_devices_1d, sevenDay: row.unique_devices_7d }),
  }),
  uniqueNetworks: t.field({
    columns: 'details',
    type: RecentCounts,
    description: 'Numbers of distinct networks of the sessions, 0 to 64 each.',
    resolve: ({ row }) => ({ oneDay: row.unique_networks_1d, sevenDay: row.unique_networks_7d }),
  }),
  emailFacts: t.field({
    rest: { description: 'Facts about the email address of the account.' },
    type: EmailFactsType,
    description:
      'Facts about the email address of the account, with an emailScore of -1 (trust) to 1 (risk). ' +
      'email and domainType are null if the account has no email address.',
    resolve: (a) => ({ ...a.emailFacts, numAccountFromDomain: a.accountsFromDomain }),
  }),
  phoneFacts: t.expose('phoneFacts', {
    type: PhoneCheck,
    nullable: true,
    description:
      'Facts about the phone number, as checkPhone returns them. Null without a phone number. A ' +
      'national number is parsed if expectedCountries contains exactly one country.',
  }),
  sessions: t.field({
    columns: 'main',
    type: SessionConnection,
    description:
      'Sessions of the account by their start, the newest first by default. Errors: `input.invalid`.',
    complexity: pageCost(5),
    args: SESSION_PAGE_ARGS,
    resolve: (account, args, context) => sessionPage(context, account.row.id, args),
  }),
  sessionIds: t.field({
    rest: { description: 'Ids of the sessions, the newest first, at most 10,000.' },
    columns: 'main',
    type: ['UUID'],
    description: 'Ids of the sessions, the newest first, at most 10,000. Use sessions for pages.',
    complexity: 200,
    resolve: (a, _args, { viewer }) => listSessionIds(viewer, a.row.id, 10_000),
  }),
}));
