import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PersonLikeness } from './compare-persons.ts';
import { matchTypesOf } from './identifier-kinds.ts';
import {
  crossesBand,
  LINK_THRESHOLD,
  LINKING_KINDS,
  type LinkingKind,
  type SharedIdentifier,
  sharingFactor,
} from './link-weights.ts';
import { type ComparedPair, confirmsFace, scorePair, weighPair } from './pair-score.ts';

const DAY = 86_400_000;
const at = (day: number) => new Date(Date.UTC(2026, 0, 1) + day * DAY);

function shared(kind: LinkingKind, options: { accounts?: number; gapDays?: number } = {}): SharedIdentifier {
  return {
    kind,
    accounts: options.accounts ?? 2,
    mine: { firstSeen: at(0), lastSeen: at(0) },
    theirs: { firstSeen: at(options.gapDays ?? 0), lastSeen: at(options.gapDays ?? 0) },
  };
}

describe('a pair of accounts', () => {
  it.each(['browser', 'email', 'phone', 'username'] as const)('is linked by a shared %s alone', (kind) => {
    expect(scorePair([shared(kind)])?.score).toBe(1);
    expect(scorePair([shared(kind, { accounts: 5000 })])?.score).toBe(1);
  });

  it.each(['device', 'network', 'subnet', 'name'] as const)('is not linked by a shared %s alone', (kind) => {
    expect(scorePair([shared(kind)])).toBeNull();
  });

  it('is linked by device and network together', () => {
    const link = scorePair([shared('device'), shared('network'), shared('subnet')]);
    expect(link?.score).toBe(0.615);
    expect(matchTypesOf(link!.kinds)).toEqual(['network', 'device']);
  });

  it('loses the link when the device is over its sharing limit', () => {
    expect(scorePair([shared('device', { accounts: 51 }), shared('network')])).toBeNull();
    expect(sharingFactor('network', 20)).toBe(0.4);
    expect(sharingFactor('network', 21)).toBe(0);
  });

  it('loses the link when the uses are far apart in time', () => {
    expect(scorePair([shared('device', { gapDays: 20 }), shared('network', { gapDays: 20 })])).toBeNull();
  });

  it('has a higher score when both used a device or a network repeatedly', () => {
    const repeated = (kind: LinkingKind, mine: number, theirs: number): SharedIdentifier => {
      const one = shared(kind);
      return { ...one, mine: { ...one.mine, uses: mine }, theirs: { ...one.theirs, uses: theirs } };
    };
    expect(scorePair([repeated('device', 3, 3), repeated('network', 9, 3)])?.score).toBe(0.6617);
    expect(scorePair([repeated('device', 9, 2), repeated('network', 2, 9)])?.score).toBe(0.615);
    expect(scorePair([repeated('device', 99, 99)])).toBeNull();
    expect(scorePair([repeated('role_email', 9, 9), repeated('name', 9, 9)])?.score).toBe(0.545);
  });

  it('counts a name only beside a device, a network or an email', () => {
    expect(scorePair([shared('name'), shared('device')])?.score).toBe(0.615);
    expect(matchTypesOf(scorePair([shared('name'), shared('phone')])!.kinds)).toEqual(['phone']);
  });

  it('is not linked by blocking keys without a comparison', () => {
    expect(scorePair([shared('email_block'), shared('birth_block'), shared('birth_date')])).toBeNull();
    expect(scorePair([shared('email_block'), shared('name')])).toBeNull();
    expect(scorePair([shared('email_block'), shared('email')])).toEqual(scorePair([shared('email')]));
  });

  it('is one identity by a full match, or by device, network and name, but not by a household', () => {
    const bridges = (...list: SharedIdentifier[]) => scorePair(list)?.bridges;
    expect(bridges(shared('phone'))).toBe(true);
    expect(bridges(shared('device'), shared('network'), shared('name'))).toBe(true);
    expect(bridges(shared('device'), shared('network'))).toBe(false);
    expect(bridges(shared('phone', { accounts: 100 }))).toBe(true);
    expect(bridges(shared('phone', { accounts: 101 }))).toBe(false);
    expect(bridges(shared('phone', { accounts: 101 }), shared('email'))).toBe(true);
  });

  it('has a link that starts at the first use by the second account', () => {
    const link = scorePair([shared('phone', { gapDays: 3 })]);
    expect(link?.firstSeen).toEqual(at(3));
    expect(link?.lastSeen).toEqual(at(3));
  });
});

const LIKENESS: PersonLikeness = {
  names: 'unknown',
  isSameName: false,
  haveOtherFirstNames: false,
  haveOtherGenerations: false,
  births: 'unknown',
  emails: 'unknown',
  emailShare: 1,
  haveOtherExtensions: false,
  hasSameSpelling: false,
};
const compared = (likeness: Partial<PersonLikeness>): ComparedPair => ({
  likeness: { ...LIKENESS, ...likeness },
  mine: { firstSeen: at(1), lastSeen: at(2) },
  theirs: { firstSeen: at(3), lastSeen: at(4) },
});
const scoreOf = (list: SharedIdentifier[], likeness: Partial<PersonLikeness>) =>
  scorePair(list, compared(likeness))?.score ?? 0;

describe('accounts that are compared in clear text', () => {
  const near = [shared('email_block')];

  it('are linked by a near email beside names that agree, but not by either alone', () => {
    expect(scoreOf(near, { emails: 'slip' })).toBe(0);
    expect(scoreOf(near, { emails: 'slip', names: 'full' })).toBe(0.72);
    expect(scoreOf(near, { emails: 'near', names: 'full' })).toBe(0.545);
    expect(scoreOf(near, { emails: 'mistyped' })).toBe(0.75);
    expect(scoreOf(near, { emails: 'mistyped', births: 'contradict' })).toBe(0);
    expect(scoreOf(near, { emails: 'mistyped', emailShare: 0.8 })).toBe(0.6);
    expect(scoreOf(near, { emails: 'slip', emailShare: 0.9, names: 'full' })).toBe(0.678);
    expect(scoreOf(near, { emails: 'alike', names: 'full' })).toBe(0);
    expect(scoreOf(near, { emails: 'mistyped', names: 'part' })).toBe(0);
    expect(scoreOf(near, { emails: 'slip', names: 'half' })).toBe(0.716);
    expect(scoreOf(near, { emails: 'slip', names: 'part' })).toBe(0);
    expect(scoreOf(near, { emails: 'slip', names: 'contradict', haveOtherFirstNames: true })).toBe(0);
    expect(scoreOf([shared('name')], { names: 'full', isSameName: true })).toBe(0);
  });

  it('are linked although a person has several records: up to 15 accounts of one name count in full', () => {
    const list = (accounts: number) => [shared('email_block', { accounts }), shared('name', { accounts })];
    const likeness = { emails: 'near', names: 'full', isSameName: true } as const;
    expect(scoreOf(list(4), likeness)).toBe(0.545);
    expect(scoreOf(list(15), likeness)).toBe(0.545);
    expect(scoreOf(list(16), likeness)).toBe(0);
    expect(scoreOf([shared('birth_date')], { births: 'equal', names: 'full', isSameName: true })).toBe(0);
  });

  it('are linked by equal dates of birth beside a name, a near email or a device, but not alone', () => {
    const list = [shared('birth_date')];
    expect(scoreOf(list, { births: 'equal' })).toBe(0);
    expect(scoreOf(list, { births: 'equal', names: 'full' })).toBe(0.51);
    expect(scoreOf(list, { births: 'near', names: 'full' })).toBe(0.503);
    expect(scoreOf(list, { births: 'near', names: 'half' })).toBe(0);
    expect(scoreOf(list, { births: 'equal', names: 'half' })).toBe(0.503);
    expect(scoreOf([shared('birth_date', { accounts: 7 })], { births: 'equal', names: 'half' })).toBe(0.503);
    expect(scoreOf([shared('birth_date', { accounts: 8 })], { births: 'equal', names: 'half' })).toBe(0);
    expect(scoreOf([shared('birth_date', { accounts: 8 })], { births: 'equal', names: 'full' })).toBe(0.51);
    expect(crossesBand(shared('birth_date'), 7, 8)).toBe(true);
    expect(scoreOf(list, { births: 'near', names: 'full', emails: 'other' })).toBe(0);
    expect(scoreOf(list, { births: 'equal', names: 'contradict', emails: 'near' })).toBe(0.545);
    expect(scoreOf([...list, shared('device')], { births: 'equal' })).toBe(0.615);
    const link = scorePair(list, compared({ births: 'equal', names: 'full' }))!;
    expect(matchTypesOf(link.kinds)).toEqual(['name', 'date_of_birth']);
    expect(link.bridges).toBe(true);
    const byDevice = scorePair([...list, shared('device')], compared({ births: 'equal' }));
    expect(byDevice?.bridges).toBe(false);
  });

  it('lose 30 % of names and emails by dates of birth that contradict', () => {
    const births = 'contradict';
    expect(scoreOf([shared('email')], { births, emails: 'equal' })).toBe(0.7);
    expect(scoreOf([shared('phone')], { births })).toBe(1);
    expect(scoreOf(near, { births, emails: 'near', names: 'full' })).toBe(0);
    expect(scoreOf(near, { births, emails: 'slip', names: 'full' })).toBe(0);
    expect(scoreOf([shared('name'), shared('network')], { births, names: 'full', isSameName: true })).toBe(0);
  });

  it('with dates of birth that contradict are linked only by an identifier that links alone', () => {
    const births = 'contradict';
    const household = [shared('name'), shared('device'), shared('network')];
    const contradicted = compared({ births, names: 'full', isSameName: true });
    expect(weighPair(household, contradicted).score).toBe(0.49);
    expect(scorePair(household, contradicted)).toBeNull();
    const exact = ['browser', 'phone', 'username', 'email', 'face', 'document_number', 'id_number'] as const;
    for (const kind of exact)
      expect(scoreOf([...household, shared(kind)], { births })).toBeGreaterThanOrEqual(0.5);
    // What a family or a switchboard shares is no such identifier.
    const family = { births, haveOtherFirstNames: true, hasSameSpelling: true, names: 'contradict' } as const;
    for (const kind of ['email', 'phone'] as const)
      expect(scoreOf([...household, shared(kind)], family)).toBe(0);
    expect(scoreOf([...household, shared('phone')], { births, haveOtherExtensions: true })).toBe(0);
  });

  it('with suffixes that contradict are linked only by an identifier that links alone', () => {
    const likeness = {
      haveOtherGenerations: true,
      haveOtherFirstNames: true,
      hasSameSpelling: true,
      names: 'contradict',
    } as const;
    const household = [shared('email'), shared('phone'), shared('network')];
    expect(weighPair(household, compared(likeness)).score).toBe(0.49);
    expect(scoreOf(household, likeness)).toBe(0);
    expect(scoreOf([...household, shared('browser')], likeness)).toBe(1);
  });

  it('with different first names are no nearer by near dates of birth', () => {
    const likeness = { births: 'near', haveOtherFirstNames: true, names: 'contradict' } as const;
    expect(scoreOf([shared('phone')], likeness)).toBe(0);
    expect(scoreOf([shared('phone')], { ...likeness, births: 'equal' })).toBe(0.545);
  });

  it('with two extensions are not linked by their phone alone, unless more than 100 accounts have it', () => {
    const likeness = { haveOtherExtensions: true, names: 'full' } as const;
    expect(scoreOf([shared('phone', { accounts: 100 })], likeness)).toBe(0);
    expect(scoreOf([shared('phone', { accounts: 101 }), shared('name')], likeness)).toBe(1);
    expect(scoreOf([shared('phone'), shared('device')], likeness)).toBe(0.6425);
    expect(scorePair([shared('face'), shared('phone')], compared(likeness))).toMatchObject({
      bridges: false,
    });
    expect(crossesBand(shared('phone'), 100, 101)).toBe(true);
  });

  it('with different first names are not linked by the email or phone of a family alone', () => {
    const likeness = { haveOtherFirstNames: true, hasSameSpelling: true, names: 'contradict' } as const;
    expect(scoreOf([shared('email')], likeness)).toBe(0);
    expect(scoreOf([shared('phone')], likeness)).toBe(0);
    expect(scoreOf([shared('phone'), shared('device')], likeness)).toBe(0.6425);
    expect(scoreOf([shared('email')], { ...likeness, hasSameSpelling: false })).toBe(1);
    expect(scoreOf([shared('phone', { accounts: 8 })], likeness)).toBe(1);
    expect(scoreOf([shared('email'), shared('browser')], likeness)).toBe(1);
  });

  it('are linked by an id number alone', () => {
    expect(scorePair([shared('id_number', { accounts: 60 })])?.score).toBe(1);
  });

  it('have a link that starts with the later account when they share no equal value', () => {
    const link = scorePair(near, compared({ emails: 'slip', names: 'full' }));
    expect(link).toMatchObject({ firstSeen: at(3), lastSeen: at(4) });
  });
});

const sharedArbitrary = fc.record({
  kind: fc.constantFrom(...LINKING_KINDS),
  accounts: fc.integer({ min: 2, max: 60 }),
  mine: fc.integer({ min: 0, max: 60 }).map((day) => ({ firstSeen: at(day), lastSeen: at(day + 1) })),
  theirs: fc.integer({ min: 0, max: 60 }).map((day) => ({ firstSeen: at(day), lastSeen: at(day + 1) })),
});

describe('the score of a pair', () => {
  it('is the same from both sides', () => {
    fc.assert(
      fc.property(fc.array(sharedArbitrary, { maxLength: 8 }), (list) => {
        const mirrored = list.map((one) => ({ ...one, mine: one.theirs, theirs: one.mine }));
        expect(scorePair(mirrored)).toEqual(scorePair(list));
      }),
    );
  });

  it('does not depend on the order of the evidence', () => {
    fc.assert(
      fc.property(fc.array(sharedArbitrary, { maxLength: 8 }), fc.nat(), (list, turn) => {
        const turned = list.map((_, index) => list[(index + turn) % list.length]!);
        expect(scorePair(turned)).toEqual(scorePair(list));
      }),
    );
  });

  it('is not changed by identifiers over their sharing limit', () => {
    const capped = fc.constantFrom<LinkingKind>('device', 'network', 'subnet', 'email_block', 'name');
    fc.assert(
      fc.property(fc.array(sharedArbitrary, { maxLength: 8 }), capped, (list, kind) => {
        expect(scorePair([...list, shared(kind, { accounts: 51 })])).toEqual(scorePair(list));
      }),
    );
  });

  it('never decreases with more shared identifiers', () => {
    fc.assert(
      fc.property(fc.array(sharedArbitrary, { maxLength: 8 }), sharedArbitrary, (list, more) => {
        expect(scorePair([...list, more])?.score ?? 0).toBeGreaterThanOrEqual(scorePair(list)?.score ?? 0);
      }),
    );
  });
});

it('a role mailbox and a shared mailbox weigh as much as a near email', () => {
  const mailbox = (accounts = 2) => ({ ...shared('email', { accounts }), isSharedMailbox: true });
  for (const email of [shared('role_email'), mailbox()]) {
    expect(scorePair([email])).toBeNull();
    expect(scorePair([email, shared('name')])?.score).toBe(0.545);
    expect(matchTypesOf(scorePair([email, shared('device')])!.kinds)).toEqual(['email', 'device']);
  }
  expect(scorePair([mailbox(16), shared('device')])?.score).toBe(0.527);
  expect(scorePair([mailbox(51), shared('name')])).toBeNull();
  expect(scorePair([mailbox(), shared('phone')])?.bridges).toBe(true);
});

it('a shared mailbox links accounts with matching names', () => {
  const mailbox = (accounts: number) => [{ ...shared('email', { accounts }), isSharedMailbox: true }];
  expect(scoreOf(mailbox(3), { names: 'full' })).toBe(0.9);
  expect(scoreOf(mailbox(7), { names: 'half', births: 'contradict' })).toBe(0.504);
  expect(scoreOf(mailbox(3), { names: 'unknown' })).toBe(0);
  expect(scoreOf(mailbox(3), { names: 'part' })).toBe(0);
  expect(scoreOf(mailbox(7), { names: 'full' })).toBe(0.72);
  expect(scoreOf(mailbox(51), { names: 'full' })).toBe(0);
});

describe('a face found by a search', () => {
  const face = (accounts = 2) => shared('face', { accounts });

  it('links with exactly .5 without other evidence and makes no identity', () => {
    expect(scorePair([face()])).toMatchObject({ score: 0.5, bridges: false });
    // Several checks of one person are one piece of evidence.
    expect(scorePair([face(), face(3), face()])).toMatchObject({ score: 0.5, bridges: false });
  });

  it.each([
    [['network'], 0.65],
    [['network', 'name'], 0.755],
    [['device_part'], 0.675],
    [['device_part', 'network', 'document_name'], 0.8408],
    [['role_email', 'name'], 0.7725],
    // Without a comparison of the emails.
    [['email_block', 'name'], 0.5],
  ] as [LinkingKind[], number][])('makes no identity with weak evidence: %s', (kinds, score) => {
    expect(scorePair([face(), ...kinds.map((kind) => shared(kind))])).toMatchObject({
      score,
      bridges: false,
    });
  });

  it('increases the score of a near email and a name, but makes no identity of them', () => {
    const list = [face(), shared('email_block')];
    const near = compared({ emails: 'near', names: 'full' });
    expect(scorePair(list, near)).toMatchObject({ score: 0.7725, bridges: false });
    // The email and the name alone already make an identity.
    const slip = compared({ emails: 'slip', names: 'full' });
    expect(scorePair(list.slice(1), slip)).toMatchObject({ score: 0.72, bridges: true });
    expect(scorePair(list, slip)).toMatchObject({ score: 0.86, bridges: true });
    const births = compared({ births: 'near', names: 'full' });
    expect(scorePair([face(), shared('birth_block')], births)).toMatchObject({
      score: 0.7515,
      bridges: false,
    });
  });

  it('is not confirmed by the email or phone of a family', () => {
    const family = compared({ haveOtherFirstNames: true, hasSameSpelling: true, names: 'contradict' });
    for (const kind of ['email', 'phone'] as const)
      expect(scorePair([face(), shared(kind)], family)).toMatchObject({ score: 0.675, bridges: false });
    expect(scorePair([face(), shared('username'), shared('phone')], family)).toMatchObject({ bridges: true });
  });

  it.each(['document_number', 'device', 'phone', 'email', 'browser', 'username'] as const)(
    'is confirmed by the same %s',
    (kind) => {
      expect(scorePair([face(), shared(kind)])).toMatchObject({ score: 1, bridges: true });
    },
  );

  it('is not confirmed by a device over its sharing limit or a shared mailbox', () => {
    expect(scorePair([face(), shared('device', { accounts: 50 })])).toMatchObject({
      score: 1,
      bridges: true,
    });
    expect(scorePair([face(), shared('device', { accounts: 51 })])).toMatchObject({
      score: 0.5,
      bridges: false,
    });
    const mailbox = { ...shared('email'), isSharedMailbox: true };
    expect(scorePair([face(), mailbox])).toMatchObject({ score: 0.675, bridges: false });
  });

  it('does not end an identity by device, network and name', () => {
    const household = [shared('device'), shared('network'), shared('name')];
    expect(scorePair(household)?.bridges).toBe(true);
    expect(scorePair([...household, face()])?.bridges).toBe(true);
    // A browser of more than 100 accounts does not confirm a face either.
    expect(scorePair([face(), shared('browser', { accounts: 101 })])).toMatchObject({
      score: 1,
      bridges: false,
    });
  });

  it('without confirmation does not change whether other evidence makes an identity', () => {
    fc.assert(
      fc.property(fc.array(sharedArbitrary, { maxLength: 8 }), (list) => {
        const others = list.filter(({ kind }) => kind !== 'face');
        fc.pre(!others.some((one) => confirmsFace(one)));
        expect(scorePair([...others, face()])?.bridges).toBe(scorePair(others)?.bridges ?? false);
      }),
    );
  });
});

describe('a pair that cannot reach the threshold', () => {
  const pair = fc.record({
    kind: fc.constantFrom(...LINKING_KINDS),
    accounts: fc.constantFrom(2, 5, 51),
    isSharedMailbox: fc.boolean(),
    uses: fc.integer({ min: 1, max: 3 }),
  });
  const likeness = fc.record({
    names: fc.constantFrom('full', 'half', 'part', 'contradict', 'unknown'),
    births: fc.constantFrom('equal', 'near', 'contradict', 'unknown'),
    emails: fc.constantFrom('equal', 'mistyped', 'slip', 'near', 'alike', 'other', 'unknown'),
    emailShare: fc.constantFrom(1, 0.9),
    haveOtherExtensions: fc.boolean(),
    ...{ isSameName: fc.boolean(), haveOtherFirstNames: fc.boolean(), hasSameSpelling: fc.boolean() },
    haveOtherGenerations: fc.boolean(),
  } as const);

  it('is skipped, and no other pair is skipped', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 3 }), fc.option(likeness), (list, alike) => {
        const all = list.map(({ uses, isSharedMailbox, ...one }): SharedIdentifier => {
          const { mine, theirs } = shared(one.kind);
          const isOfMany = one.kind === 'email' && isSharedMailbox;
          return {
            ...one,
            isSharedMailbox: isOfMany,
            mine: { ...mine, uses },
            theirs: { ...theirs, uses },
          };
        });
        const both = alike && compared(alike);
        expect(scorePair(all, both) !== null).toBe(weighPair(all, both).score >= LINK_THRESHOLD);
      }),
      { numRuns: 5000 },
    );
  });
});
