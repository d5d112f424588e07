import { AUDIT_ACTIONS, type AuditAction, actorKindOf } from '../../domain/audit/audit-action.ts';
import { addressOf, reasonOf } from '../../domain/audit/audit-entry.ts';
import type { AuditHead } from '../../domain/audit/audit-head.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { readAuditHead } from '../../domain/projects/audit-chain-service.ts';
import { type AuditRow, countAuditEntries, listAudit } from '../../domain/projects/audit-service.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { readableUuid } from '../kernel/node-loader.ts';

const AuditActionType = builder.enumType('AuditAction', {
  description: 'Recorded change. The log stores names such as list.add_accounts.',
  values: Object.fromEntries(
    Object.entries(AUDIT_ACTIONS).map(([value, description]) => [
      value.replace('.', '_').toUpperCase(),
      { value, description },
    ]),
  ) as Record<string, { value: AuditAction; description: string }>,
});

const AuditActorKind = builder.enumType('AuditActorKind', {
  description: 'Kind of the author of a change.',
  values: {
    KEY: { description: 'Request with an API key. The actor is its visible prefix.' },
    PERSON: { description: 'Person of the console. The actor is person:ID.' },
    RULE: { description: 'Rule of the project. The actor is rule:NAME.' },
    COMMAND_LINE: { description: 'Command of the operator of the service.' },
    SYSTEM: { description: 'Service itself, for instance at its first start.' },
  } as const,
});

const AuditEntryNode = builder.prismaNode('AuditEntry', {
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Entry of the audit log, written in the transaction of the change. Only its address, reason, before and ' +
    'after can be erased, and nothing can be changed. Accounts are keyed hashes of their ids.',
  id: { resolve: ({ auditId }) => auditId, description: 'Global id.' },
  nullable: true,
  findUnique: (auditId, { viewer }) => ({
    projectId_auditId: {
      projectId: viewer.project.projectId,
      auditId: readableUuid(viewer, 'audit.read', auditId),
    },
  }),
  fields: (t) => ({
    auditId: t.expose('auditId', {
      type: 'UUID',
      description: 'Id of the entry, as in the export of the command line.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    actorKind: t.field({
      type: AuditActorKind,
      description: 'Kind of the author.',
      resolve: ({ actor }) => actorKindOf(actor),
    }),
    actor: t.exposeString('actor', {
      mask: 'none',
      description:
        'Author: visible prefix of a key, person:ID, rule:NAME, command line, first start or system.',
    }),
    actorRole: t.exposeString('role', {
      mask: 'none',
      nullable: true,
      description: 'Role of the key or the person at the time of the change. Null for every other author.',
    }),
    address: t.string({
      mask: 'ip',
      nullable: true,
      description:
        'IP address of the client. Null for every author but a key or a person, and once the address is erased.',
      resolve: (entry, _args, { viewer }) => addressOf(viewer.project.cipher, entry),
    }),
    action: t.field({
      type: AuditActionType,
      description: 'Change.',
      resolve: ({ action }) => action as AuditAction,
    }),
    target: t.exposeString('target', {
      mask: 'none',
      description:
        'Changed object: its kind with its name or id, such as list:vip, or account:HASH for an account.',
    }),
    requestId: t.expose('requestId', {
      type: 'UUID',
      nullable: true,
      description: 'Id of the request. Null if there was no request.',
    }),
    before: t.field({
      mask: 'json',
      type: 'JSONObject',
      nullable: true,
      description: 'Changed values before the change. Null if there are none.',
      resolve: ({ before }) => before as Record<string, unknown> | null,
    }),
    after: t.field({
      mask: 'json',
      type: 'JSONObject',
      nullable: true,
      description: 'Changed values after the change. Null if there are none.',
      resolve: ({ after }) => after as Record<string, unknown> | null,
    }),
    reason: t.string({
      mask: 'text',
      nullable: true,
      description:
        'Reason of the caller, of changes of lists and of reviews. Null if there is none, and once it is erased: ' +
        'with an account that it is about, or after AUDIT_VALUE_RETENTION_DAYS.',
      resolve: (entry, _args, { viewer }) => reasonOf(viewer.project.cipher, entry),
    }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Conditions on entries. An entry must meet all of them.',
  fields: (t) => ({
    actions: t.field({ type: [AuditActionType], description: 'Changes that the entries record.' }),
    actionPrefix: t.string({
      description: 'Beginning of the names of changes as the log stores them, such as list.',
    }),
    actor: t.string({ description: 'Actor, compared exactly.' }),
    actorKind: t.field({ type: AuditActorKind, description: 'Kind of the author.' }),
    actorRole: t.string({ description: 'Role of the author, compared exactly.' }),
    address: t.string({
      description: 'IP address of the client, in any notation. Erased addresses are not found.',
    }),
    requestId: t.field({ type: 'UUID', description: 'Id of the request.' }),
    target: t.string({ description: 'Target, compared exactly.' }),
    since: t.field({ type: 'DateTime', description: 'Earliest time, inclusive.' }),
    until: t.field({ type: 'DateTime', description: 'Latest time, exclusive.' }),
  }),
});

const AuditEntryConnection = builder.connectionObject(
  { type: AuditEntryNode, name: 'AuditEntryConnection', description: 'Page of the audit log.' },
  { name: 'AuditEntryEdge', description: 'Entry in a page.' },
);

type EntryNode = typeof AuditEntryNode.$inferType;

/** A row of the search as the fields of its type read it. */
function nodeOf({ project }: Viewer, row: AuditRow): EntryNode {
  const { audit_id: auditId, request_id: requestId, before, after, ...rest } = row;
  const values = { before, after } as Pick<EntryNode, 'before' | 'after'>;
  return { projectId: project.projectId, auditId, requestId, ...rest, ...values } as EntryNode;
}

type AuditArgs = PageArgs & {
  accountId?: string | null;
  filter?: (typeof AuditFilter)['$inferInput'] | null;
};

async function auditPage({ filter, accountId = null, ...args }: AuditArgs, context: GraphQLContext) {
  const { viewer } = context;
  const { actionPrefix: action, actorRole: role, ...conditions } = filter ?? {};
  const search = { ...conditions, action, role, accountId };
  const page = selectPage(args, ['auditLog', filter ?? {}, accountId], context);
  const rows = await listAudit(viewer, search, page);
  return toConnection(rows, page, {
    context,
    position: (row) => [row.at.toISOString(), row.audit_id],
    edge: (row) => ({ node: nodeOf(viewer, row) }),
    total: () => countAuditEntries(viewer, search, MAX_COUNTED + 1),
  });
}

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditEntryConnection,
    nullable: true,
    description:
      'Changes of keys, settings, rules, lists, webhooks and calibrations, and erasures of accounts, ' +
      'the newest first. Errors: `auth.forbidden` (below the role operator), `input.invalid`.',
    authScopes: { may: 'audit.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      accountId: t.arg.id({
        description:
          'Id of an account, assigned by the client. Selects entries with the account as target, and ' +
          'entries that name it in before or after, such as changes of lists. The account may be erased.',
      }),
      filter: t.arg({ type: AuditFilter, description: 'Conditions on entries.' }),
    },
    resolve: (_root, args, context) => auditPage(args, context),
  }),
);

const AuditHeadNode = builder.objectRef<AuditHead & { unchained: number }>('AuditHead').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description:
    'Signed end of the chain over the audit log. The signed text has five lines, separated by line feeds: ' +
    '"vouchgraph audit head v1", projectId, position, hash and at.',
  fields: (t) => ({
    projectId: t.expose('projectId', { type: 'UUID', description: 'Id of the project.' }),
    position: t.exposeInt('position', {
      description: 'Position of the last entry of the chain, from 1. 0 for an empty chain.',
    }),
    hash: t.exposeString('hash', { description: 'Hash of the last entry, 64 hex digits.' }),
    at: t.string({
      description: 'Time of the signature in UTC as ISO 8601 with milliseconds, exactly as it is signed.',
      resolve: ({ at }) => at,
    }),
    publicKey: t.exposeString('publicKey', {
      description: 'Ed25519 key of the project: 32 bytes as base64url. It never changes.',
    }),
    signature: t.exposeString('signature', {
      description: 'Ed25519 signature of the signed text: 64 bytes as base64url.',
    }),
    unchained: t.exposeInt('unchained', {
      description: 'Number of entries that are not part of the chain yet. They are added within seconds.',
    }),
  }),
});

builder.queryField('auditHead', (t) =>
  t.field({
    type: AuditHeadNode,
    nullable: true,
    description:
      'Signed end of the chain over the audit log. Export it daily and store it elsewhere: the command ' +
      '`audit verify` compares the log with it. Errors: `auth.forbidden` (below the role operator).',
    authScopes: { may: 'audit.read' },
    resolve: async (_root, _args, { viewer, services }) => {
      const { head, unchained } = await readAuditHead(viewer, services.clock.now());
      return { ...head, unchained };
    },
  }),
);
