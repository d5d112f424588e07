import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from './catalogue/event-type.ts';
import { ALL_TOKEN_SCOPES, type TokenScope } from './catalogue/token-scope.ts';
import type { StoredEvent } from './event.ts';
import {
  type EventSelection,
  fromOwnSide,
  selectFor,
  selects,
  shownAccountId,
  shownFacts,
} from './event-selection.ts';

const SESSION = '0198c0de-0000-7000-8000-000000000001';
const OTHER = '0198c0de-0000-7000-8000-000000000002';
const ANY: EventSelection = {
  types: null,
  accountId: null,
  sessionId: null,
  listName: null,
  checkKind: null,
  emailBatchId: null,
};

const event = (changes: Partial<StoredEvent> = {}): StoredEvent => ({
  id: OTHER,
  type: 'account.authenticated',
  position: 1,
  createdAt: new Date(0),
  projectId: OTHER,
  sessionId: SESSION,
  referringSessionId: null,
  requestId: null,
  accountId: 'alice',
  linkedAccountId: null,
  account: 'id of alice',
  linkedAccount: null,
  facts: { accountId: 'alice', sessionId: SESSION, session: { a: 1 }, decision: 'Real' },
  ...changes,
});

describe('selection of events', () => {
  it('without filters selects all events', () => {
    for (const type of EVENT_TYPES) expect(selects(selectFor({}, ANY), event({ type }))).toBe(true);
  });

  it.each([
    { by: 'type', asked: { types: ['account.linked'] as const } },
    { by: 'account', asked: { accountId: 'bob' } },
    { by: 'session', asked: { sessionId: OTHER } },
    { by: 'list', asked: { listName: 'vip' } },
    { by: 'kind of check', asked: { checkKind: 'face' as const } },
  ])('by $by excludes the others', ({ asked }) => {
    expect(selects({ ...ANY, ...asked }, event())).toBe(false);
  });

  it('by the kind of a check selects its completed and failed events', () => {
    const faces = { ...ANY, checkKind: 'face' as const };
    const failed = (kind: string) => event({ type: 'verification.failed', facts: { kind } });
    expect(selects(faces, event({ type: 'verification.face_check.completed' }))).toBe(true);
    expect(selects(faces, event({ type: 'verification.id_check.completed' }))).toBe(false);
    expect(selects(faces, failed('face'))).toBe(true);
    expect(selects(faces, failed('id'))).toBe(false);
  });
  it('by a malformed session id selects nothing; ids are compared without case', () => {
    expect(selectFor({}, { ...ANY, sessionId: 'x' }).types).toEqual([]);
    expect(selects(selectFor({}, { ...ANY, sessionId: SESSION.toUpperCase() }), event())).toBe(true);
  });
});

/** Emitted once, for alice, whose session created the link. */
const link = event({
  type: 'account.linked',
  linkedAccountId: 'bob',
  linkedAccount: 'id of bob',
  facts: { accountId: 'alice', linkedAccountId: 'bob', sessionId: SESSION, score: 1 },
});

describe('a link', () => {
  it('is selected by either account', () => {
    for (const [accountId, isSelected] of [
      ['alice', true],
      ['bob', true],
      ['carol', false],
    ] as const)
      expect(selects(selectFor({}, { ...ANY, accountId }), link)).toBe(isSelected);
  });

  it('is delivered unchanged to subscribers that may see both accounts, and to its own account', () => {
    expect(fromOwnSide({}, link)).toBe(link);
    expect(fromOwnSide({ accountId: 'alice' }, link)).toBe(link);
  });

  it('is delivered to the other account from its own side, without the first account and its session', () => {
    const limits = { accountId: 'bob', scopes: ['LINKS'] as const };
    expect(selects(selectFor(limits, ANY), link)).toBe(true);
    const seen = fromOwnSide(limits, link);
    expect(seen).toMatchObject({ id: link.id, accountId: 'bob', account: 'id of bob', sessionId: null });
    expect(seen.linkedAccountId).toBeNull();
    expect(shownFacts(limits, seen)).toEqual({ score: 1 });
    const withAccount = { ...limits, scopes: ['LINKS', 'ACCOUNT'] as const };
    expect(fromOwnSide(withAccount, link).facts).toEqual({ accountId: 'bob', score: 1 });
  });
});

describe('a token limited to an account', () => {
  const limits = { accountId: 'alice', scopes: ALL_TOKEN_SCOPES };

  it('receives events of that account only', () => {
    expect(selects(selectFor(limits, ANY), event())).toBe(true);
    expect(selects(selectFor(limits, ANY), event({ accountId: 'bob' }))).toBe(false);
    expect(selects(selectFor(limits, { ...ANY, accountId: 'bob' }), event({ accountId: 'bob' }))).toBe(false);
  });

  it.each([
    ...(['rule.triggered', 'rule.custom', 'list.account_added', 'webhook.endpoint_disabled'] as const),
    ...(['verification.reviewed', 'account.outcome_reported', 'account.outcome_retracted'] as const),
  ])('does not receive %s, with or without a filter', (type) => {
    expect(selects(selectFor(limits, ANY), event({ type }))).toBe(false);
    expect(selects(selectFor(limits, { ...ANY, types: [type] }), event({ type }))).toBe(false);
  });

  it('receives the visible facts of the account: its lists and its number of links', () => {
    const facts = { accountId: 'alice', lists: ['block'], accountsLinked: 2 };
    expect(shownFacts(limits, event({ facts }))).toEqual(facts);
  });

  it('does not receive the linked account', () => {
    const linked = event({
      type: 'account.linked',
      facts: { accountId: 'alice', linkedAccountId: 'bob', score: 1 },
    });
    expect(shownFacts(limits, linked)).toEqual({ accountId: 'alice', score: 1 });
    expect(shownFacts({}, linked)).toBe(linked.facts);
  });
});

describe('a token limited to a session', () => {
  const limits = { sessionId: SESSION, scopes: ALL_TOKEN_SCOPES };

  it('receives events of that session only', () => {
    expect(selects(selectFor(limits, ANY), event())).toBe(true);
    expect(selects(selectFor(limits, ANY), event({ sessionId: OTHER }))).toBe(false);
    expect(selects(selectFor(limits, { ...ANY, sessionId: OTHER }), event({ sessionId: OTHER }))).toBe(false);
  });

  it('does not receive the account of the session', () => {
    expect(shownAccountId(limits, event())).toBeNull();
    expect(shownFacts(limits, event())).toEqual({ sessionId: SESSION, session: { a: 1 } });
    expect(shownFacts(limits, event({ type: 'verification.failed' }))).not.toHaveProperty('accountId');
    expect(selects(selectFor(limits, { ...ANY, accountId: 'alice' }), event())).toBe(false);
  });
});

describe('a token with a scope', () => {
  const typesFor = (...scopes: TokenScope[]) =>
    selectFor({ accountId: 'alice', scopes: ['EVENTS', ...scopes] }, ANY).types;

  it('cannot detect by a session filter that an event belongs to the other account of a link', () => {
    const limits = { accountId: 'alice', scopes: ['EVENTS', 'LINKS', 'ACCOUNT'] as TokenScope[] };
    const { types } = selectFor(limits, { ...ANY, sessionId: '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61' });
    expect(types).toContain('account.authenticated');
    expect(types).not.toContain('account.linked');
  });

  it('receives only the types that its scopes include', () => {
    const checks = EVENT_TYPES.filter(
      (type) => type.startsWith('verification.') && type !== 'verification.reviewed',
    );
    expect(typesFor()).toEqual([]);
    expect(typesFor('LINKS')).toEqual(['account.linked', 'account.unlinked']);
    const ofAccount = typesFor('ACCOUNT');
    expect(ofAccount).toEqual(expect.arrayContaining(['session.completed', 'account.updated']));
    expect(ofAccount?.filter((type) => !/^(session|account)[.]/.test(type))).toEqual([]);
    expect(ofAccount?.filter((type) => /[.](un)?linked$|[.]outcome_/.test(type))).toEqual([]);
    for (const scope of ['VERIFICATION_STATE', 'VERIFICATION_RESULT', 'DOCUMENT'] as const)
      expect(typesFor(scope)).toEqual(checks);
  });

  it('receives only the fields of a check that the scope includes', () => {
    const check = event({
      type: 'verification.id_check.completed',
      facts: {
        eventMetadata: { sessionId: SESSION, accountId: 'alice' },
        decision: 'Real',
        riskScore: 0,
        rules: ['rule'],
        lists: ['vip'],
        documentSignals: { idAge: 30, idValidity: 'valid' },
        documentData: { userData: {} },
        photoUrls: { face: 'https://' },
        sessionData: { network: {} },
        matches: { accountsLinked: [{ accountId: 'bob' }] },
        addedLater: true,
      },
    });
    const namesFor = (scope: TokenScope) =>
      Object.keys(shownFacts({ accountId: 'alice', scopes: ['EVENTS', 'VERIFICATION_STATE', scope] }, check));
    expect(namesFor('VERIFICATION_STATE')).toEqual(['eventMetadata']);
    expect(namesFor('VERIFICATION_RESULT')).toEqual([
      'eventMetadata',
      'decision',
      'riskScore',
      'documentSignals',
    ]);
    expect(namesFor('DOCUMENT')).toEqual(['eventMetadata', 'documentData', 'photoUrls', 'documentSignals']);
    expect(namesFor('ACCOUNT')).toEqual(['eventMetadata', 'lists', 'sessionData']);
    expect(shownFacts({ scopes: ['DOCUMENT'] }, check).documentSignals).toEqual({ idAge: 30 });
    expect(shownFacts({ scopes: ['VERIFICATION_RESULT'] }, check).documentSignals).toEqual({
      idValidity: 'valid',
    });
  });
});

it('a token that sees one account of a link receives the day of the link, other tokens the time', () => {
  const createdAt = new Date('2026-03-04T05:06:07.890Z');
  const link = event({
    type: 'account.linked',
    createdAt,
    linkedAccountId: 'bob',
    linkedAccount: 'id of bob',
  });
  const timeFor = (limits: Parameters<typeof fromOwnSide>[0], shown = link) =>
    fromOwnSide(limits, shown).createdAt.toISOString();
  const scopes: TokenScope[] = ['EVENTS', 'LINKS', 'ACCOUNT'];
  for (const accountId of ['alice', 'bob'])
    expect(timeFor({ accountId, scopes })).toBe('2026-03-04T00:00:00.000Z');
  expect(timeFor({ scopes: ['EVENTS', 'LINKS'] })).toBe('2026-03-04T00:00:00.000Z');
  for (const limits of [{}, { scopes }]) expect(timeFor(limits)).toBe(createdAt.toISOString());
  expect(timeFor({ accountId: 'alice', scopes }, event({ createdAt }))).toBe(createdAt.toISOString());
});
