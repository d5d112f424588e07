import { TOKEN_SCOPES, type TokenScope } from '@vouchgraph/events';
import { accountIdShape } from '@vouchgraph/platform/account-id';
import { invalidInput } from '@vouchgraph/platform/errors';
import { readInput } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { betweenText } from '@vouchgraph/platform/wording';
import { createBrowserToken } from '../../domain/projects/browser-token-service.ts';
import { builder } from '../kernel/builder.ts';
import { payloadType } from '../kernel/payload.ts';

const BrowserTokenScope = builder.enumType('BrowserTokenScope', {
  description:
    'Part of the schema that a browser token can read. A field outside the scopes of a token is null, ' +
    'with the error `auth.forbidden` that names the scope. If the field is not nullable, the object ' +
    'that contains it is null.',
  values: Object.fromEntries(
    Object.entries(TOKEN_SCOPES).map(([scope, description]) => [scope, { description }]),
  ) as Record<TokenScope, { description: string }>,
});

const MAX_LIFETIME = LIMITS.browserTokenSeconds.toLocaleString('en');

const CreateBrowserTokenInput = builder.inputType('CreateBrowserTokenInput', {
  description:
    'Scopes, limit and lifetime of a browser token. Exactly one of accountId, sessionId and project: true is required.',
  fields: (t) => ({
    scopes: t.field({
      type: [BrowserTokenScope],
      required: true,
      description: 'Scopes of the token, at least one. LINKS cannot be combined with sessionId.',
    }),
    accountId: t.id({
      description:
        'Id of the account that the token is limited to, assigned by the client, 1 to 256 characters, not . or ' +
        '... The account may not exist yet.',
    }),
    sessionId: t.id({
      description:
        'Id of the session that the token is limited to. The page does not receive the account of the ' +
        'session.',
    }),
    project: t.boolean({
      description:
        'Whether the token reads its scopes in the whole project. Requires a key with the role ' +
        'operator. False by default.',
    }),
    ttlSeconds: t.int({
      description: `Lifetime in seconds, 1 to ${MAX_LIFETIME}. ${MAX_LIFETIME} by default.`,
    }),
  }),
});

type Created = { token: string; expiresAt: Date };

const CreateBrowserTokenPayload = payloadType<Created>(
  'CreateBrowserTokenPayload',
  'Browser token for a page.',
  { subjects: 'wide' },
  (t) => ({
    token: t.exposeString('token', {
      mask: 'none',
      description:
        'Token. The page sends it as Authorization: Bearer, or in connectionParams of a WebSocket.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which the token is rejected.',
    }),
  }),
);

builder.mutationField('createBrowserToken', (t) =>
  t.field({
    isIdempotent: false,
    type: CreateBrowserTokenPayload,
    nullable: true,
    description:
      'Creates a short-lived, read-only token for a page. The token reads its scopes of one account or ' +
      'session, or of the project. It expires with the key that created it. Errors: `auth.forbidden` ' +
      '(project: true below the role operator), `input.invalid`.',
    authScopes: { may: 'browser_token.create' },
    args: {
      input: t.arg({
        type: CreateBrowserTokenInput,
        required: true,
        description: 'Scopes, limit and lifetime.',
      }),
    },
    resolve: (_root, { input }, { viewer, requestId, services }) => {
      const seconds = input.ttlSeconds ?? LIMITS.browserTokenSeconds;
      if (seconds < 1 || seconds > LIMITS.browserTokenSeconds) {
        throw invalidInput(`ttlSeconds: ${betweenText(1, LIMITS.browserTokenSeconds)}`, [
          'input',
          'ttlSeconds',
        ]);
      }
      const expiresAt = new Date(services.clock.now().getTime() + seconds * 1000);
      const token = createBrowserToken(viewer, {
        scopes: input.scopes,
        accountId: input.accountId == null ? null : readInput(accountIdShape, input.accountId, 'accountId'),
        sessionId: input.sessionId ?? null,
        isOfProject: input.project ?? false,
        expiresAt,
      });
      return { requestId, token, expiresAt };
    },
  }),
);
