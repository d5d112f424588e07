import { fileURLToPath } from 'node:url';
import { ALL_TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
import { describe, expect, it } from 'vitest';
import { readServiceFunctions } from '../../../test/support/service-functions.ts';
import type { Viewer } from './access-service.ts';
import type { Action } from './actions.ts';
import { assertMay, type Target } from './assert-may.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Functions of services that take a viewer and do not authorize it, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/domain/projects/access-service.ts hasRole': 'It only compares roles: it reads and writes nothing.',
};

describe('the services', () => {
  const functions = readServiceFunctions(ROOT, 'src/domain/**/*-service.ts');

  it('authorize the viewer in the first statement of every public function', () => {
    const unauthorized = functions.filter(({ asserts }) => !asserts).map(({ name }) => name);
    expect(unauthorized).toEqual(Object.keys(EXCEPTIONS));
  });

  it('are found in every form of declaration', () => {
    expect(functions.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'src/domain/accounts/erase-account-service.ts eraseAccount',
        'src/domain/accounts/rebuild-service.ts createRebuildService.check',
        'src/domain/email-checks/email-check-service.ts createEmailCheckService.add',
        'src/domain/linking/link-graph-service.ts createLinkGraphService.findPath',
        'src/domain/lists/list-service.ts createListService.addAccounts',
      ]),
    );
    expect(functions.length).toBeGreaterThan(100);
  });
});

const viewer = (facts: Partial<Viewer>) => ({ role: null, actor: 'test', ...facts }) as Viewer;
const VIEWERS = {
  read: viewer({ kind: 'key', role: 'read' }),
  server: viewer({ kind: 'key', role: 'server' }),
  operator: viewer({ kind: 'key', role: 'operator' }),
  personViewer: viewer({ kind: 'person', personRole: 'viewer' }),
  analyst: viewer({ kind: 'person', personRole: 'analyst' }),
  admin: viewer({ kind: 'person', personRole: 'admin' }),
  personWithoutRole: viewer({ kind: 'person' }),
  ofProject: viewer({ kind: 'browser_token', role: 'read', scopes: ALL_TOKEN_SCOPES }),
  ofAccount: viewer({ kind: 'browser_token', role: 'read', scopes: ALL_TOKEN_SCOPES, accountId: 'own' }),
  otherScope: viewer({ kind: 'browser_token', role: 'read', scopes: ['EVENTS'] }),
  withoutScope: viewer({ kind: 'browser_token', role: 'read' }),
  collector: viewer({ kind: 'collector' }),
  secret: viewer({ kind: 'verification_secret', secret: 'secret' }),
};
type Name = keyof typeof VIEWERS;
/** Every key, and every person with a role in the project. */
const READERS: Name[] = ['read', 'server', 'operator', 'personViewer', 'analyst', 'admin'];

describe('assertMay', () => {
  it.each<[Action, Target | undefined, Name[]]>([
    ['account.search', undefined, [...READERS, 'ofProject']],
    ['account.read', undefined, [...READERS, 'ofProject', 'ofAccount']],
    ['account.delete', undefined, ['server', 'operator', 'admin']],
    ['account.rebuild', undefined, ['operator', 'admin']],
    ['list.change_members', undefined, ['server', 'operator', 'analyst', 'admin']],
    ['verification.review', undefined, ['operator', 'analyst', 'admin']],
    ['session.create', undefined, ['collector']],
    ['session.complete', undefined, ['server', 'operator', 'admin', 'collector']],
    ['verification.capture', undefined, ['server', 'operator', 'admin', 'secret']],
    ['verification.search', { accountId: 'own' }, [...READERS, 'ofProject', 'ofAccount']],
    ['verification.search', { accountId: 'other' }, [...READERS, 'ofProject']],
    ['event.read', undefined, [...READERS, 'ofProject', 'ofAccount', 'otherScope']],
    ['list.read', undefined, READERS],
    ['email_import.read', undefined, READERS],
  ])('permits %s on %j to %j, and throws auth.forbidden for all others', (action, target, permitted) => {
    for (const [name, each] of Object.entries(VIEWERS)) {
      const attempt = () => assertMay(each, action, target);
      if (permitted.includes(name as Name)) expect(attempt, name).not.toThrow();
      else expect(attempt, name).toThrow(expect.objectContaining({ code: 'auth.forbidden' }));
    }
  });
});
