import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { bind, faceChecks } from '../../support/seen-faces.ts';

/* Links by id numbers, names, near emails and dates of birth, and what a family shares. */

const masterKey = generateMasterKey();
let gateway: Gateway;
let storage: Awaited<ReturnType<typeof openForCommandLine>>;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { DATABASE_POOL_SIZE: '4' } });
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  storage = await openForCommandLine(config, gateway.database.ownerUrl, 4);
});
afterAll(async () => {
  await storage.close();
  await gateway.close();
});

const EVIDENCE = `score matchTypes evidence { kind weight supportsBecause reducedBecause }`;
type Pair = { linked: boolean; score: number; evidence: Body[]; kinds: string[] };

/** Link of two accounts, which must be equal from both sides and in REST. */
async function pairOf(project: TestProject, a: string, b: string): Promise<Pair> {
  await gateway.app.recalculateLinks(project.projectId);
  const seen = async (one: string, other: string) => {
    const { account, whyNotLinked } = await project.graphql(
      `query ($one: ID!, $other: ID!) {
        account(accountId: $one) { linkedAccounts(first: 50) { edges { ${EVIDENCE} node { accountId } } } }
        whyNotLinked(a: $one, b: $other) { linked score evidence { kind weight supportsBecause reducedBecause } } }`,
      { one, other },
    );
    const edge = account.linkedAccounts.edges.find(({ node }: Body) => node.accountId === other);
    const { body } = await project.rest('GET', `/account/${one}/accounts-linked`);
    const link = body.accounts_linked.find((each: Body) => each.account_id === other);
    expect(whyNotLinked.linked).toBe(edge !== undefined);
    expect(link?.score).toBe(edge?.score);
    const kinds = edge?.matchTypes.map((type: string) => type.toLowerCase());
    expect(link?.match_kinds).toEqual(kinds);
    const shown = edge ?? whyNotLinked;
    const kindAndWeight = ({ kind, weight, ...why }: Body) => `${kind} ${weight} ${JSON.stringify(why)}`;
    return {
      linked: whyNotLinked.linked as boolean,
      score: whyNotLinked.score as number,
      kinds: (kinds ?? []) as string[],
      evidence: shown.evidence
        .map((each: Body) => ({ ...each, kind: each.kind.toLowerCase() }))
        .sort((x: Body, y: Body) => (kindAndWeight(x) < kindAndWeight(y) ? -1 : 1)),
    };
  };
  const [mine, theirs] = [await seen(a, b), await seen(b, a)];
  expect(theirs).toEqual(mine);
  return mine;
}

async function groupOf(project: TestProject, id: string): Promise<number> {
  await gateway.app.recalculateLinks(project.projectId);
  const { account } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { identityGroup { size } } }',
    { id },
  );
  return account.identityGroup?.size ?? 1;
}

/** Result of `links rebuild --check`. */
async function expectRebuilt(project: TestProject): Promise<void> {
  await gateway.app.recalculateLinks(project.projectId);
  const { rebuilding, viewer } = await openProjectForCommandLine(storage, project.projectId);
  const nothing = { missing: [], surplus: [], different: [], keys: [], identities: 0 };
  expect(await rebuilding.check(viewer, () => {})).toMatchObject(nothing);
}

const evidenceOf = ({ evidence }: Pair, kind: string) => evidence.find((one) => one.kind === kind);
const put = async (project: TestProject, id: string, fields: Body) =>
  expect((await project.rest('PUT', `/account/${id}`, fields)).status).toBe(200);

const PASSPORT = { type: 'passport', value: 'C01X 00T.47', country: 'DE' };

describe('an id number', () => {
  it('links alone in any spelling, and no longer after its removal', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', identifiers: [PASSPORT] });
    const second = await project.authenticate({
      id: 'b',
      identifiers: [
        { type: 'tax_id', value: '12/345/67890', country: 'DE' },
        { ...PASSPORT, value: 'c01x-00t47', country: 'de' },
      ],
    });
    expect(second).toMatchObject({ accounts_linked: 1 });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ score: 1, kinds: ['id_number'] });
    expect(await groupOf(project, 'a')).toBe(2);
    await put(project, 'b', { identifiers: [] });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false, score: 0, evidence: [] });
    expect(await groupOf(project, 'a')).toBe(1);
    await expectRebuilt(project);
  });

  it.each<[string, Body]>([
    ['type', { type: 'national_id' }],
    ['country', { country: 'AT' }],
    ['value', { value: 'C01X00T48' }],
  ])('with another %s does not link', async (_part, over) => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', identifiers: [PASSPORT] });
    await project.authenticate({ id: 'b', identifiers: [{ ...PASSPORT, ...over }] });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false, evidence: [] });
  });

  it('does not link when it is a placeholder', async () => {
    const project = await gateway.project();
    for (const id of ['a', 'b'])
      await project.authenticate({ id, identifiers: [{ ...PASSPORT, value: 'not given' }] });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false, evidence: [] });
  });

  it('of a client links to the document of another account', async () => {
    const { client, waiting, complete } = await faceChecks(gateway, masterKey);
    const [stated, shown] = [unique('stated'), unique('shown')];
    const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());
    const userData = { ...document!.data.userData, idNumber: 'D7700177', dateOfBirth: '06/15/1990' };
    await client.authenticate({
      id: stated,
      identifiers: [{ type: 'driver_license', value: 'CA D7700177', country: 'US' }],
    });
    const row = await waiting({ id: 'true' });
    await complete(row, 0, { document: { ...document!, data: { ...document!.data, userData } } });
    await bind(client, row.session_id, shown);
    expect(await pairOf(client, stated, shown)).toMatchObject({ score: 1, kinds: ['id_number'] });
    expect(await groupOf(client, stated)).toBe(2);
    // The document's date links like a date from the client.
    const other = unique('other');
    const born = { date_of_birth: '1990-06-15', first_name: 'Mara', last_name: 'Quill' };
    await client.authenticate({ id: other, ...born });
    await put(client, shown, { first_name: 'Mara', last_name: 'Quill' });
    expect(await pairOf(client, shown, other)).toMatchObject({
      linked: true,
      kinds: ['name', 'date_of_birth'],
    });
  });
});

describe('two people of a family with the same', () => {
  const SHARED = {
    email: { email: 'the.quills@acme-widgets.com' },
    phone: { phone: '+14155552671' },
  } as const;
  const FAMILY = { weight: 0.35, supportsBecause: 'DIFFERENT_FIRST_NAMES', reducedBecause: null };

  it.each(['email', 'phone'] as const)('%s are not linked by it alone', async (kind) => {
    const project = await gateway.project();
    const people = { a: 'Mara', b: 'Tobias' };
    for (const [id, first_name] of Object.entries(people)) {
      const answer = await project.authenticate({ id, first_name, last_name: 'Quill', ...SHARED[kind] });
      expect(answer).toMatchObject({ accounts_linked: 0, multiple_accounts: 0 });
    }
    const family = await pairOf(project, 'a', 'b');
    expect(family).toMatchObject({ linked: false, score: 0.35, evidence: [{ kind, ...FAMILY }] });
    const { whyNotLinked } = await project.graphql('{ whyNotLinked(a: "a", b: "b") { reasons } }');
    expect(whyNotLinked.reasons.join(' ')).toMatch(/first names/);
    // Further shared evidence can make a link, but no identity.
    for (const id of ['a', 'b']) await put(project, id, { date_of_birth: '1984-05-06' });
    const twins = await pairOf(project, 'a', 'b');
    expect(twins).toMatchObject({ linked: true, score: 0.545 });
    expect(evidenceOf(twins, kind)).toMatchObject(FAMILY);
    expect(await groupOf(project, 'a')).toBe(1);
    // A short form of the same first name indicates one person.
    await put(project, 'b', { first_name: 'M.' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true, score: 1 });
    expect(await groupOf(project, 'a')).toBe(2);
    await put(project, 'b', { first_name: 'Tobias', date_of_birth: '' });
    expect(await pairOf(project, 'a', 'b')).toEqual(family);
    await expectRebuilt(project);
  });

  it('phone are linked by it when more than seven accounts have it', async () => {
    const project = await gateway.project();
    const names = ['Mara', 'Tobias', 'Ines', 'Karim', 'Olga', 'Pavel', 'Rosa', 'Sven'];
    for (const [index, first_name] of names.slice(0, 7).entries())
      await project.authenticate({ id: `a${index}`, first_name, ...SHARED.phone });
    expect(await pairOf(project, 'a0', 'a6')).toMatchObject({ linked: false, score: 0.35 });
    await project.authenticate({ id: 'a7', first_name: names[7], ...SHARED.phone });
    expect(await pairOf(project, 'a0', 'a6')).toMatchObject({ linked: true, score: 1 });
    await expectRebuilt(project);
    await project.rest('DELETE', '/account/a7');
    expect(await pairOf(project, 'a0', 'a6')).toMatchObject({ linked: false, score: 0.35 });
    await expectRebuilt(project);
  });

  it('email, one of them with a tag, are linked by it', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', first_name: 'Mara', ...SHARED.email });
    await project.authenticate({
      id: 'b',
      first_name: 'Tobias',
      email: SHARED.email.email.replace('@', '+t@'),
    });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true, score: 1 });
  });
});

describe('dates of birth', () => {
  const mara = { first_name: 'Mara', last_name: 'Quill', email: 'mara.quill@acme-widgets.com' };
  const REDUCED = 'DIFFERENT_DATES_OF_BIRTH';

  it.each([
    ['equal', '1984-05-06', 1, null],
    ['with one other digit', '1984-05-08', 1, null],
    ['with day and month swapped', '1984-06-05', 1, null],
    ['with a contradiction', '1951-11-23', 0.7, REDUCED],
  ])('%s, beside one email', async (_name, date_of_birth, score, reducedBecause) => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', email: mara.email, date_of_birth: '1984-05-06' });
    await project.authenticate({ id: 'b', email: mara.email, date_of_birth });
    const pair = await pairOf(project, 'a', 'b');
    expect(pair).toMatchObject({ linked: true, score });
    expect(evidenceOf(pair, 'email')).toMatchObject({ weight: score, reducedBecause });
    expect(evidenceOf(pair, 'date_of_birth') === undefined).toBe(reducedBecause !== null);
    await expectRebuilt(project);
  });

  it('support a name when they are equal or near, and end a link when they contradict', async () => {
    const project = await gateway.project();
    const { email: _none, ...name } = mara;
    await project.authenticate({ id: 'a', ...name, date_of_birth: '1984-05-06' });
    await project.authenticate({ id: 'b', ...name });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false });
    for (const date_of_birth of ['1984-05-06', '1984-05-08', '1984-06-05']) {
      await put(project, 'b', { date_of_birth });
      const pair = await pairOf(project, 'a', 'b');
      expect(pair).toMatchObject({ linked: true, kinds: ['name', 'date_of_birth'] });
      expect(evidenceOf(pair, 'name')).toMatchObject({ reducedBecause: null });
    }
    // Network and name link them, but not with contradicting dates.
    await put(project, 'b', { date_of_birth: '' });
    for (const id of ['a', 'b']) await project.authenticate({ id }, { device_id: 'd' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true, score: 0.615 });
    await put(project, 'b', { date_of_birth: '1951-11-23' });
    const contradicted = await pairOf(project, 'a', 'b');
    // 1 − .55 × (1 − .3 × .7) would be .5655: a device, and a name that counts 30 % less.
    expect(contradicted).toMatchObject({ linked: false, score: 0.49 });
    expect(evidenceOf(contradicted, 'name')).toMatchObject({ reducedBecause: REDUCED });
    await expectRebuilt(project);
  });
});

describe('near emails', () => {
  const name = { first_name: 'Ivy', last_name: 'Lee' };

  it.each([
    ['local part', 'ivy.lee@acme-widgets.com', 'ivy.llee@acme-widgets.com'],
    ['provider', 'ivy.lee77@hotmail.com', 'ivy.lee77@hotmial.com'],
    ['local part and provider', 'ivy.leexx@hotmail.com', 'ivy.leeex@hotmial.com'],
    ['top level', 'ivy.lee77@yahoo.com', 'ivy.lee77@yahoo.co'],
  ])('with a typing error in the %s link beside the same name', async (part, one, other) => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', ...name, email: one });
    await project.authenticate({ id: 'b', ...name, email: other });
    const pair = await pairOf(project, 'a', 'b');
    expect(pair.linked).toBe(true);
    expect(evidenceOf(pair, 'near_email')).toMatchObject({ supportsBecause: null, reducedBecause: null });
    await put(project, 'b', { first_name: 'Oskar', last_name: 'Brandt' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false });
    await put(project, 'b', { first_name: '', last_name: '' });
    // An equal distinctive local part at a mistyped provider links when names do not contradict.
    const isMistypedDomain = part === 'provider' || part === 'top level';
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: isMistypedDomain });
    await expectRebuilt(project);
  });

  it('link several records of one person', async () => {
    const project = await gateway.project();
    const emails = ['ivy.lee', 'ivy.lee', 'ivy.lee', 'ivy.lee', 'ivy.llee', 'ivy.llee', 'ivy.llee', 'iv.lee'];
    for (const [index, local] of emails.entries())
      await project.authenticate({ id: `a${index}`, ...name, email: `${local}@acme-widgets.com` });
    for (const [one, other] of [
      ['a0', 'a4'],
      ['a3', 'a6'],
      ['a0', 'a7'],
      ['a5', 'a7'],
    ] as const)
      expect((await pairOf(project, one, other)).score).toBeGreaterThanOrEqual(0.5);
    expect(await groupOf(project, 'a0')).toBe(emails.length);
    await expectRebuilt(project);
  });
});

describe('people who only resemble each other are not linked', () => {
  const max = { first_name: 'Max', last_name: 'Baum' };
  const liv = { first_name: 'Liv', last_name: 'Berg' };
  const ada = { first_name: 'Ada', last_name: 'Moreau' };
  it.each<[string, Body, Body]>([
    [
      'near emails and contradicting dates of birth',
      { email: 'robert.king.x@northsea-widgets.com', date_of_birth: '1961-02-03', ...ada },
      { email: 'roberta.kong.x@northsea-widgets.com', date_of_birth: '1990-07-19', ...ada },
    ],
    [
      'names of a man and a woman with near emails',
      { email: 'robert.king.x@northsea-widgets.com', first_name: 'Robert', last_name: 'King' },
      { email: 'roberta.king.x@northsea-widgets.com', first_name: 'Roberta', last_name: 'King' },
    ],
    [
      'names of a man and a woman in three letters',
      { email: 'jan.moreau@northsea-widgets.com', first_name: 'Jan', last_name: 'Moreau' },
      { email: 'jana.moreau@northsea-widgets.com', first_name: 'Jana', last_name: 'Moreau' },
    ],
    [
      'dates of birth of a father and a son with one name',
      { email: 'hans.weber.a@northsea-widgets.com', date_of_birth: '1958-07-14', ...ada },
      { email: 'hans.weber.b@northsea-widgets.com', date_of_birth: '1988-07-14', ...ada },
    ],
    [
      'near dates of birth and the phone of a family',
      { phone: '+14155550171', first_name: 'Anna', last_name: 'Smith', date_of_birth: '1990-01-01' },
      { phone: '+14155550171', first_name: 'Otto', last_name: 'Klein', date_of_birth: '1991-01-01' },
    ],
    [
      'suffixes of a father and a son with one phone and one email',
      {
        phone: '+14155550172',
        email: 'smith@northsea-widgets.com',
        first_name: 'John',
        last_name: 'Smith Jr',
      },
      {
        phone: '+14155550172',
        email: 'smith@northsea-widgets.com',
        first_name: 'John',
        last_name: 'Smith Sr',
      },
    ],
    ['short emails of two hotels', { email: 'x9@hotel3.de', ...max }, { email: 'y2@hotel4.de', ...max }],
    ['short emails of two shops', { email: 'anna@shop1.com', ...liv }, { email: 'anne@shop2.com', ...liv }],
    [
      'long emails of two hotels',
      { email: 'max.baum@hotel3.de', ...max },
      { email: 'max.baum@hotel4.de', ...max },
    ],
    [
      'short emails of one domain',
      { email: 'x9@northsea-widgets.com', ...max },
      { email: 'y2@northsea-widgets.com', ...max },
    ],
    [
      'emails of two large providers',
      { email: 'max.baum@gmx.de', ...max },
      { email: 'max.baum@web.de', ...max },
    ],
  ])('%s', async (_name, one, other) => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', ...one });
    const answer = await project.authenticate({ id: 'b', ...other });
    expect(answer).toMatchObject({ accounts_linked: 0 });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false });
    await expectRebuilt(project);
  });

  it('with contradicting dates of birth, until an exact identifier agrees', async () => {
    const project = await gateway.project();
    const born = (date_of_birth: string) => ({ first_name: 'Mara', last_name: 'Quill', date_of_birth });
    await project.authenticate(
      { id: 'a', ...born('1961-02-03') },
      { device_id: 'd', ip_address: '90.54.7.1' },
    );
    await project.authenticate(
      { id: 'b', ...born('1990-07-19') },
      { device_id: 'd', ip_address: '90.54.7.1' },
    );
    const below = await pairOf(project, 'a', 'b');
    // Device, network and a reduced name would be .6959.
    expect(below).toMatchObject({ linked: false, score: 0.49 });
    const { whyNotLinked } = await project.graphql('{ whyNotLinked(a: "a", b: "b") { reasons } }');
    expect(whyNotLinked.reasons.join(' ')).toMatch(/dates of birth .* at most 0\.49/);
    for (const id of ['a', 'b']) await put(project, id, { username: 'mara-q' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true, score: 1 });
    await put(project, 'b', { username: '' });
    expect(await pairOf(project, 'a', 'b')).toEqual(below);
    await expectRebuilt(project);
  });

  it.each<[string, Body, Body]>([
    [
      'Jr. and Sr.',
      { first_name: 'Paul', last_name: 'Ames Jr.' },
      { first_name: 'Paul', last_name: 'Ames Sr.' },
    ],
    [
      'II and III',
      { first_name: 'Paul', last_name: 'Ames II' },
      { first_name: 'Paul', last_name: 'Ames III' },
    ],
    [
      '2nd and 3rd with the first name',
      { first_name: 'Paul 2nd', last_name: 'Ames' },
      { first_name: 'Paul', last_name: 'Ames, 3rd' },
    ],
    ['I and IV', { first_name: 'Paul', last_name: 'Ames I' }, { first_name: 'Paul', last_name: 'Ames IV' }],
  ])('with the suffixes %s', async (_name, one, other) => {
    const project = await gateway.project();
    const [a, b] = ['paul.ames@northsea-widgets.com', 'paul-ames@northsea-widgets.com'];
    await project.authenticate({ id: 'a', ...one, email: a });
    await project.authenticate({ id: 'b', ...other, email: b });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: false });
    // The phone of a father and a son only supports.
    for (const id of ['a', 'b']) await put(project, id, { phone: '+14155552671' });
    const family = await pairOf(project, 'a', 'b');
    expect(family.linked).toBe(false);
    expect(evidenceOf(family, 'phone')).toMatchObject({
      weight: 0.35,
      supportsBecause: 'DIFFERENT_FIRST_NAMES',
    });
    await put(project, 'b', { ...one, phone: '' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true });
    await put(project, 'b', { last_name: 'Ames', first_name: 'Paul' });
    expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true });
    await expectRebuilt(project);
  });

  it('with two extensions of one phone number', async () => {
    const project = await gateway.project();
    const phone = '+1 415 555 2671';
    await project.authenticate({ id: 'a', phone: `${phone} ext. 12` });
    const answer = await project.authenticate({
      id: 'b',
      phone: '(415) 555-2671 x13',
      expected_countries: ['US'],
    });
    expect(answer).toMatchObject({ accounts_linked: 0 });
    const pair = await pairOf(project, 'a', 'b');
    expect(pair).toMatchObject({ linked: false, score: 0.35 });
    expect(evidenceOf(pair, 'phone')).toMatchObject({
      weight: 0.35,
      supportsBecause: 'DIFFERENT_EXTENSIONS',
    });
    const { whyNotLinked } = await project.graphql('{ whyNotLinked(a: "a", b: "b") { reasons } }');
    expect(whyNotLinked.reasons.join(' ')).toMatch(/extensions/);
    await expectRebuilt(project);
    for (const same of [`${phone};ext=12`, phone]) {
      await put(project, 'b', { phone: same });
      expect(await pairOf(project, 'a', 'b')).toMatchObject({ linked: true, score: 1 });
    }
    await expectRebuilt(project);
  });
});

it.each([
  ['gmial.com', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['yaho.com', 'yahoo.com'],
])('a near spelling of a large provider is that provider: %s', async (mistyped, provider) => {
  const project = await gateway.project();
  await project.authenticate({ id: 'a', email: `ivy.lee77@${mistyped}` });
  await project.authenticate({ id: 'b', email: `ivy.lee77@${provider}` });
  const pair = await pairOf(project, 'a', 'b');
  expect(pair).toMatchObject({ linked: true, kinds: ['email'] });
  // Of 19 or fewer letters one or two differ.
  expect(pair.score).toBeLessThan(0.75);
  await expectRebuilt(project);
});

it('the weight of a near email decreases with the share of letters that differ', async () => {
  const project = await gateway.project();
  const name = { first_name: 'Ivy', last_name: 'Lee' };
  const emails = [
    'ivy.harrison@acme-widgets.com',
    'ivy-harrison@acme-widgets.com',
    'iv-harrison@acme-widgets.com',
  ];
  for (const [index, email] of emails.entries())
    await project.authenticate({ id: `a${index}`, ...name, email });
  const weightOf = async (other: string) =>
    evidenceOf(await pairOf(project, 'a0', other), 'near_email')!.weight as number;
  expect(await weightOf('a1')).toBeCloseTo(0.6 * (1 - 1 / 29), 3);
  expect(await weightOf('a2')).toBeCloseTo(0.6 * (1 - 2 / 29), 3);
  await expectRebuilt(project);
});

/** Records of people and families. One of the rules applies to each pair. */
const RECORDS: readonly Body[] = [
  {
    first_name: 'Mara',
    last_name: 'Quill',
    email: 'mara.quill@acme-widgets.com',
    date_of_birth: '1984-05-06',
  },
  {
    first_name: 'Mara',
    last_name: 'Quil',
    email: 'mara.quill@acme-widgtes.com',
    date_of_birth: '1984-06-05',
  },
  { first_name: 'Tobias', last_name: 'Quill', email: 'mara.quill@acme-widgets.com', phone: '+14155552671' },
  { first_name: 'Mara', phone: '+14155552671', identifiers: [PASSPORT] },
  { last_name: 'Quill', email: 'mara.quill@acme-widgets.com', date_of_birth: '1951-11-23' },
  { first_name: 'Tobias', last_name: 'Quill', date_of_birth: '1979-02-01', identifiers: [PASSPORT] },
  { first_name: 'Toby', last_name: 'Quill', date_of_birth: '1979-01-02', phone: '+14155552671' },
  { first_name: 'Quill', last_name: 'Mara', date_of_birth: '1984-05-06', email: 'm.quill@acme-widgets.com' },
];
const idOf = (index: number) => `r${index}`;

async function allPairs(project: TestProject): Promise<Record<string, Pair>> {
  const pairs: Record<string, Pair> = {};
  for (const index of RECORDS.keys())
    for (let other = index + 1; other < RECORDS.length; other += 1)
      pairs[`${index} ${other}`] = await pairOf(project, idOf(index), idOf(other));
  return pairs;
}

it('links do not depend on the order of accounts and fields, nor on concurrency', async () => {
  const indices = [...RECORDS.keys()];
  const authenticate = (project: TestProject, index: number, fields: Body = RECORDS[index]) =>
    project.authenticate({ id: idOf(index), ...fields });
  const ways: ((project: TestProject) => Promise<unknown>)[] = [
    async (project) => {
      for (const index of indices) await authenticate(project, index);
    },
    async (project) => {
      for (const index of indices.toReversed()) await authenticate(project, index);
    },
    // One field at a time, after fields of another person.
    async (project) => {
      for (const index of indices) await authenticate(project, index, { ...RECORDS[(index + 3) % 8] });
      for (const index of [3, 0, 6, 1, 7, 4, 2, 5]) {
        const none = {
          first_name: '',
          last_name: '',
          email: '',
          phone: '',
          date_of_birth: '',
          identifiers: [],
        };
        for (const [field, value] of Object.entries({ ...none, ...RECORDS[index] }))
          await put(project, idOf(index), { [field]: value });
      }
    },
    (project) => Promise.all(indices.map((index) => authenticate(project, index))),
  ];
  const found: Record<string, Pair>[] = [];
  for (const way of ways) {
    const project = await gateway.project();
    await way(project);
    found.push(await allPairs(project));
    await expectRebuilt(project);
  }
  expect(Object.values(found[0]!).filter(({ linked }) => linked).length).toBeGreaterThan(5);
  for (const pairs of found.slice(1)) expect(pairs).toEqual(found[0]);
});

it('two accounts that authenticate concurrently are linked once both are committed', async () => {
  const project = await gateway.project();
  const pairs: [Body, Body, boolean][] = [
    [{ identifiers: [PASSPORT] }, { identifiers: [{ ...PASSPORT, value: 'C01X00T47' }] }, true],
    [RECORDS[0], RECORDS[1], true],
    [
      { first_name: 'Ines', email: 'both@acme-widgets.com' },
      { first_name: 'Karim', email: 'both@acme-widgets.com' },
      false,
    ],
  ];
  for (const [number, [one, other, linked]] of pairs.entries()) {
    for (let round = 0; round < 4; round += 1) {
      const [a, b] = [`a${number}${round}`, `b${number}${round}`];
      const group = `${number}${round}`;
      await Promise.all([
        project.authenticate({ id: a, group, ...one }),
        project.authenticate({ id: b, group, ...other }),
      ]);
      expect({ number, linked: (await pairOf(project, a, b)).linked }).toEqual({ number, linked });
    }
  }
  const args = ['links', 'rebuild', project.projectId, '--check'];
  expect(await runCommand(args, { DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey })).toEqual({
    code: 0,
    errors: '',
    output: expect.stringContaining('Compared 24 accounts and 8 links.\n'),
  });
});
