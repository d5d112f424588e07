import type { IncomingMessage } from 'node:http';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import { credentialMissing } from '../../domain/projects/credential-errors.ts';
import {
  hasPersonCookie,
  type PersonAccess,
  readBearer,
  refuseKeyAsToken,
  viewerOfPerson,
} from '../access.ts';

/** What a client sends when it connects. */
export type Credentials = {
  key: string;
  bearer: string;
  /** Of a page of the console: its cookie with the project, and the look-up of both. */
  person?: { name: string; find: () => Promise<Viewer> };
};

/**
 * The key or token that a client sends when it connects, '' when it sends none. A key goes before a token, and a token before the
 * cookie of a person.
 */
export function credentialsOf(
  persons: PersonAccess,
  parameters: Record<string, unknown> | undefined,
  request: IncomingMessage,
): Credentials {
  const entries = Object.entries(parameters ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const given = new Map(entries);
  const key = given.get('x-api-key');
  if (typeof key === 'string') return { key, bearer: '' };
  const bearer = readBearer(String(given.get('authorization') ?? ''));
  if (bearer !== '' || !hasPersonCookie(persons, request)) return { key: '', bearer };
  const projectId = String(given.get('x-project-id') ?? '');
  // Only what the look-up needs of the request is kept for as long as the socket is open.
  const { cookie, origin } = request.headers;
  const kept = { headers: { cookie, origin }, method: request.method } as IncomingMessage;
  const find = () => viewerOfPerson(persons, kept, projectId);
  return { key: '', bearer: '', person: { name: `${cookie} ${projectId}`, find } };
}

/** The viewer behind credentials, looked up now. */
export async function authenticate(
  access: AccessService,
  { key, bearer, person }: Credentials,
): Promise<Viewer> {
  if (person) return person.find();
  if (key !== '') return access.viewerOfKey(key);
  refuseKeyAsToken(bearer);
  if (bearer !== '') return access.viewerOfBrowserToken(bearer);
  throw credentialMissing();
}
