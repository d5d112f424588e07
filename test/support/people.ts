import { createHmac } from 'node:crypto';
import type { PersonRole } from '../../src/domain/projects/person-role.ts';
import { type Answer, type Gateway, send, unique } from './gateway.ts';

export const PASSWORD = 'correct horse battery staple';

/** A browser of a person: its cookies, and requests as pages of the console send them. */
export type Browser = {
  /** Cookies by name, as the gateway set them last. */
  readonly cookies: Map<string, string>;
  /** Headers of a request to other paths than /auth. */
  headers(projectId?: string): Record<string, string>;
  auth(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  graphql(query: string, variables?: Record<string, unknown>, projectId?: string): Promise<Answer>;
  /** Follows a link of another site, as a browser does. Returns where the answer leads. */
  arrive(url: string): Promise<string>;
};

export function openBrowser(baseUrl: string): Browser {
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = (projectId?: string): Record<string, string> => ({
    origin: baseUrl,
    ...(cookies.size > 0 ? { cookie: cookie() } : {}),
    ...(projectId === undefined ? {} : { 'x-project-id': projectId }),
  });
  return {
    cookies,
    headers,
    async auth(method, path, body, more = {}) {
      const answer = await send(
        `${baseUrl}/auth${path}`,
        method,
        body ?? (method === 'POST' ? {} : undefined),
        {
          ...headers(),
          ...more,
        },
      );
      for (const text of answer.headers.getSetCookie()) keep(cookies, text);
      return answer;
    },
    graphql: (query, variables, projectId) =>
      send(`${baseUrl}/graphql`, 'POST', { query, variables }, headers(projectId)),
    async arrive(url) {
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: cookie(), 'sec-fetch-site': 'cross-site' },
      });
      for (const text of answer.headers.getSetCookie()) keep(cookies, text);
      return answer.headers.get('location') ?? `${answer.status} ${await answer.text()}`;
    },
  };
}

function keep(cookies: Map<string, string>, text: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!;
  if (value === '' || /max-age=0/i.test(text)) cookies.delete(name!);
  else cookies.set(name!, value!);
}

const peopleOf = ({ app }: Pick<Gateway, 'app'>) => app.parts.http.persons;

/** A new invitation to the project. */
export async function invite(
  gateway: Gateway,
  projectId: string,
  role: PersonRole,
  email = `${unique('person')}@example.com`,
): Promise<{ email: string; secret: string }> {
  const invited = await peopleOf(gateway).invitations.invite(email, 'Ada Lovelace', [{ projectId, role }]);
  return { email, secret: invited!.secret };
}

/** A person with a role in the project, signed in. */
export async function signedIn(
  gateway: Gateway,
  projectId: string,
  role: PersonRole,
): Promise<Browser & { email: string }> {
  const { email, secret } = await invite(gateway, projectId, role);
  const browser = openBrowser(gateway.baseUrl);
  const answer = await browser.auth('POST', '/accept-invitation', {
    secret,
    name: 'Ada Lovelace',
    password: PASSWORD,
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return { ...browser, email };
}

/** The code of an authenticator app (RFC 6238) for a URI such as `otpauth://totp/…?secret=…`. */
export function totpCode(uri: string, at = Date.now()): string {
  const key = base32(new URL(uri).searchParams.get('secret')!);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = hash.at(-1)! & 0xf;
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

function base32(text: string): Buffer {
  const bits = [...text.replace(/=+$/, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}
