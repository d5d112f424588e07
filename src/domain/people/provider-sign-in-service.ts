import type { Clock } from '@vouchgraph/platform/clock';
import type { MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { signInRequired } from './invitation.ts';
import { setMappedRoles } from './mapped-role-store.ts';
import { enterProjects } from './people-change-store.ts';
import { insertPerson, lockPeople, spendInvitation } from './people-store.ts';
import { identityOf, mappedRoles, type Provider } from './provider.ts';
import { type ProviderClient, ProviderError } from './provider-adapter.ts';
import {
  findPersonOfIdentity,
  insertIdentity,
  listMappings,
  listProviders,
  type ProviderRow,
} from './provider-store.ts';

type Query = PeopleDatabase['query'];

export type ProviderSignInDeps = {
  people: PeopleDatabase;
  masterKey: Pick<MasterKey, 'decryptText'>;
  client: ProviderClient;
  clock: Clock;
  /** Reports why a sign-in failed, for the operator. */
  onFailure: (providerId: string, reason: string) => void;
};

/** An answer of a provider, with what the request for it contained. */
export type ProviderAnswer = {
  redirectUri: string;
  code: string;
  codeVerifier: string;
  nonce: string;
  /** Hash of the secret of an invitation with which the person enters. */
  invitation: Uint8Array | null;
  /** Whether the identity is about to be joined to a person who is signed in. */
  isLink: boolean;
};

export type ProviderSignIn = ReturnType<typeof createProviderSignIn>;

/** Place of the secret of a provider's client, for its encryption. */
export const secretPlace = (providerId: string) => `providers:${providerId}`;

/** Sign-ins with OpenID Connect providers. */
export function createProviderSignIn(deps: ProviderSignInDeps) {
  const { people, client, onFailure } = deps;
  const reported = async <T>(provider: Provider, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ProviderError) onFailure(provider.id, error.reason);
      throw error;
    }
  };
  return {
    /** All providers of the installation. */
    list: async (): Promise<Provider[]> =>
      (await listProviders(people.query)).map((row) => toProvider(row, deps.masterKey)),
    /** What the sign-in page shows of them. */
    names: async (): Promise<Pick<Provider, 'id' | 'name'>[]> =>
      (await listProviders(people.query)).map(({ id, name }) => ({ id, name })),
    authorizationUrl: (provider: Provider, request: Parameters<ProviderClient['authorizationUrl']>[1]) =>
      reported(provider, client.authorizationUrl(provider, request)),
    /**
     * Completes a sign-in: exchanges the code, joins the identity to the person of an invitation, and sets the roles of its claims.
     * Returns the ID token. Rejects with ProviderError.
     */
    complete: (provider: Provider, answer: ProviderAnswer) =>
      reported(provider, complete(deps, provider, answer)),
  };
}

export function toProvider(row: ProviderRow, masterKey: Pick<MasterKey, 'decryptText'>): Provider {
  const { id, name, issuer, client_id: clientId, client_secret: encrypted, scopes } = row;
  const clientSecret = encrypted === null ? null : masterKey.decryptText(secretPlace(id), encrypted);
  return { id, name, issuer, clientId, clientSecret, scopes };
}

async function complete(
  deps: ProviderSignInDeps,
  provider: Provider,
  answer: ProviderAnswer,
): Promise<string> {
  const { people, client, clock } = deps;
  const mappings = await listMappings(people.query, provider.id);
  const neededClaims = [...new Set(mappings.map(({ claim }) => claim))];
  const { subject, claims, idToken } = await client.exchange(provider, answer, neededClaims);
  // The library joins it, and the claims count from the next sign-in on.
  if (answer.isLink) return idToken;
  const at = clock.now();
  const identity = { providerId: provider.id, identity: identityOf(provider.issuer, subject), at };
  await people.transaction(async (query) => {
    await lockPeople(query);
    const personId = await personOf(query, identity, answer.invitation);
    if (personId === null) return;
    await setMappedRoles(query, personId, provider.id, mappedRoles(claims, mappings), at);
  });
  return idToken;
}

/** The person of an identity. An invitation creates it, or gives its roles to the person who has the identity. */
async function personOf(
  query: Query,
  identity: { providerId: string; identity: string; at: Date },
  invitation: Uint8Array | null,
): Promise<string | null> {
  const { at } = identity;
  const known = await findPersonOfIdentity(query, identity.providerId, identity.identity);
  const spent = invitation && (await spendInvitation(query, invitation, at));
  // A link to choose a password, and the one of a first administrator, join nothing.
  if (!spent || spent.email === null || spent.person_id !== null) return known;
  const personId = known ?? newId(at.getTime());
  if (known === null) {
    const { email, name } = spent;
    const isNew = await insertPerson(query, { personId, name, email, passwordHash: null, at });
    // The person has entered meanwhile by another link, and may be someone else: nothing is spent.
    if (!isNew) throw signInRequired();
    await insertIdentity(query, personId, identity);
  }
  await enterProjects(query, personId, spent, at);
  return personId;
}
