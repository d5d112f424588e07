import { type AuditRow, listAudit } from '../domain/projects/audit-service.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';

const AuditEntryRef = builder.objectRef<AuditRow>('AuditEntry').implement({
  description:
    'Who changed what, written together with the change and never rewritten. It holds no personal data: accounts are ' +
    'named by a keyed hash of their id.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'Id of the line.', resolve: (row) => row.audit_id }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: (row) => row.at }),
    actor: t.exposeString('actor', {
      description: "Who: a key's visible beginning, rule:NAME, command line, first start or system.",
    }),
    action: t.exposeString('action', {
      description: 'What was done, such as key.create or settings.update.',
    }),
    target: t.exposeString('target', {
      description: 'To what: its kind with its name or id, such as list:vip; account:HASH for an account.',
    }),
    requestId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the request that did it; null for the command line and for jobs.',
      resolve: (row) => row.request_id,
    }),
    before: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What changed, as it was before; null when there was nothing.',
      resolve: (row) => row.before,
    }),
    after: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What changed, as it was afterwards; null when nothing was left.',
      resolve: (row) => row.after,
    }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which lines; all conditions together.',
  fields: (t) => ({
    action: t.string({
      description: 'An action, or the beginning of several, such as list. (with its dot).',
    }),
    actor: t.string({ description: 'Exactly this actor.' }),
    target: t.string({ description: 'Exactly this target.' }),
    since: t.field({ type: 'DateTime', description: 'At or after.' }),
    until: t.field({ type: 'DateTime', description: 'Before.' }),
  }),
});

const AuditConnection = builder.connectionObject(
  { type: AuditEntryRef, name: 'AuditConnection', description: 'A page of the audit log.' },
  { name: 'AuditEdge', description: 'A line in a page.' },
);

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditConnection,
    description:
      'What was changed in the project and by whom, the newest first: keys, settings, rules, lists, calibrations and ' +
      'erased accounts. Errors: auth.forbidden below the role operator, input.invalid.',
    authScopes: { may: 'audit.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
      accountId: t.arg.string({
        description:
          "The client's own id of an account, erased or not: lines whose target it is, and those that name it in " +
          'before or after, as changes of lists do.',
      }),
      filter: t.arg({ type: AuditFilter, description: 'Which lines.' }),
    },
    resolve: async (_root, args, context) => {
      const { cipher } = context.viewer.project;
      const size = pageSize(args.first, context);
      const filter = args.filter ?? {};
      const scope = JSON.stringify(['auditLog', filter, args.accountId ?? null]);
      const after = args.after == null ? null : decodeCursor(cipher, scope, args.after);
      const rows = await listAudit(
        context.viewer,
        { ...filter, accountId: args.accountId ?? null },
        { after: after && [String(after[0]), String(after[1])], limit: size + 1 },
      );
      return toPage(rows, size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: (row) => [row.at.toISOString(), row.audit_id],
        edge: (row) => ({ node: row }),
      });
    },
  }),
);
