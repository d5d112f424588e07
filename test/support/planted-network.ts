import type { Body, TestProject } from './gateway.ts';
import { unique } from './gateway.ts';

/** An account with its links, and all values that a page of it must not receive of the others. */
export type PlantedNetwork = {
  readonly mine: string;
  readonly others: readonly string[];
  /** Values and ids of the other accounts, in the forms in which a response could contain them. */
  readonly secrets: readonly string[];
};

const OTHER = `query ($id: ID!) { account(accountId: $id) {
  id accountScore createdAt firstSeen lastSeen lastSessionId
  linkedAccounts(first: 100) { edges { evidence { kind maskedValue } node { accountId } } } } }`;

/**
 * Creates an account that shares a phone, a device and nearly an email with others, and others that share
 * values only with each other. No value is part of another one, so that each can be searched separately.
 */
export async function plantNetwork(project: TestProject): Promise<PlantedNetwork> {
  const [mine, twin, near, far, farther] = ['mine', 'twin', 'near', 'far', 'farther'].map(unique);
  const device = { device_id: unique('device'), ip_address: '90.54.1.1' };
  const person = (word: string) => ({
    ...{ first_name: `Given${word}`, last_name: `Family${word}`, username: `user.${word}` },
    ...{ metadata: { note: `Note ${word}` }, lists: [`list ${word}`], dob: '1985-07-14' },
  });
  // Equal contact data link accounts of one first name.
  const accounts = [
    { id: mine, ...person('own'), phone: '+14155552671', email: 'jonathan.wexley81@example.com' },
    { id: twin, ...person('Quokka'), phone: '+14155552671', email: 'quokka@example.net' },
    {
      ...person('own'),
      id: near,
      email: 'jonathan.wexley82@example.com',
      lists: ['list near'],
      metadata: {},
    },
    {
      id: far,
      ...person('Zebu'),
      first_name: 'GivenQuokka',
      email: 'quokka@example.net',
      phone: '+4915112345678',
    },
    { id: farther, ...person('Narwhal'), first_name: 'GivenQuokka', phone: '+4915112345678' },
  ];
  for (const account of accounts) await project.authenticate(account, account.id === far ? {} : device);
  const others = [twin!, near!, far!, farther!];
  const secrets = [
    'Quokka',
    'Zebu',
    'Narwhal',
    'quokka@',
    'wexley82',
    'list near',
    '4915112345678',
    ...others,
  ];
  for (const id of others) {
    const { account } = await project.graphql(OTHER, { id });
    const key = Buffer.from(account.id, 'base64').toString().split(':')[1]!;
    secrets.push(account.id, key, key.replaceAll('-', ''), account.createdAt, account.lastSessionId);
    secrets.push(account.firstSeen, account.lastSeen, ...valuesBeyond(account, mine!));
  }
  return { mine: mine!, others, secrets };
}

/** Masked values that two other accounts share: contact data of others, though masked. */
function valuesBeyond({ linkedAccounts }: Body, mine: string): string[] {
  const written = ['EMAIL', 'PHONE', 'USERNAME', 'NAME'];
  return linkedAccounts.edges
    .filter(({ node }: Body) => node.accountId !== mine)
    .flatMap(({ evidence }: Body) => evidence)
    .filter(({ kind, maskedValue }: Body) => written.includes(kind) && maskedValue !== '+14…71')
    .map(({ maskedValue }: Body) => maskedValue)
    .filter((value: string) => !OWN_MASKS.includes(value));
}

/** Masks of the account's own values: an account nearly equal to it has the same masks. */
const OWN_MASKS = ['j…@example.com', 'G… F…'];

/** The secrets in a text, also in words encoded as base64. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  const words = (text.match(/[\w+/=-]{16,}/g) ?? []).flatMap((word) => {
    const bytes = Buffer.from(word, 'base64');
    return [bytes.toString('utf8'), bytes.toString('hex')];
  });
  const haystack = [text, ...words].join('\n').toLowerCase();
  return secrets.filter((secret) => haystack.includes(secret.toLowerCase()));
}

/** All values of a response that are not null. */
export function valuesIn(answer: unknown): unknown[] {
  if (answer === null || answer === undefined) return [];
  return typeof answer === 'object' ? Object.values(answer).flatMap(valuesIn) : [answer];
}
