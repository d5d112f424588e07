import { isLoopbackHost, urlProblem } from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import type { MasterKey } from '@vouchgraph/platform/crypto';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { visibleName } from '@vouchgraph/platform/visible-text';
import { z } from 'zod';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { recordEndOfRoles } from './mapped-role-store.ts';
import { changedBy } from './people-audit-store.ts';
import { lockPeople } from './people-store.ts';
import type { Provider, RoleMapping } from './provider.ts';
import { type ProviderClient, ProviderError } from './provider-adapter.ts';
import { secretPlace, toProvider } from './provider-sign-in-service.ts';
import {
  deleteMapping,
  deleteProvider,
  findProviderOfIssuer,
  listMappings,
  listProviders,
  putMapping,
  putProvider,
} from './provider-store.ts';

export type ProviderDeps = {
  people: PeopleDatabase;
  masterKey: MasterKey;
  client: ProviderClient;
  /** Whether a provider may be on this machine, over http too. */
  allowsLoopback: boolean;
  clock: Clock;
};

export type ProviderService = ReturnType<typeof createProviderService>;

/** Sign-in providers of the installation, for the command line. */
export function createProviderService(deps: ProviderDeps) {
  const { people, clock } = deps;
  return {
    /**
     * Stores a provider after its metadata was read, or replaces name, client and scopes of the one with this id. Throws
     * `provider.unusable` when the metadata cannot be read, and `provider.conflict` when id and issuer belong to different
     * providers.
     */
    put: (provider: Provider) => put(deps, provider),
    /** All providers with their mappings, by name. */
    list: async () => {
      const [rows, mappings] = await Promise.all([
        listProviders(people.query),
        listMappings(people.query, null),
      ]);
      return rows.map((row) => ({
        ...toProvider(row, deps.masterKey),
        createdAt: row.created_at,
        mappings: mappings.filter(({ providerId }) => providerId === row.id),
      }));
    },
    /** Reads the metadata of a provider. Returns its endpoints. */
    check: async (id: string) => checked(deps, await find(deps, id)),
    /** Removes a provider with its identities and the roles that it gave. Returns the number of identities. */
    remove: async (id: string): Promise<number> => {
      const identities = await people.transaction(async (query) => {
        await lockPeople(query);
        await recordEndOfRoles(query, id, changedBy('command line', clock.now()));
        return deleteProvider(query, id);
      });
      if (identities === null) throw providerNotFound(id);
      return identities;
    },
    /** A claim with this value gives the role from the next sign-in on, in place of an earlier mapping of the value. */
    map: async (mapping: RoleMapping): Promise<void> => {
      await find(deps, mapping.providerId);
      const { claim, value } = mapping;
      if (!CLAIM.test(claim))
        throw invalidInput('claim: must be 1 to 128 characters without spaces', ['claim']);
      if (value === '' || value.length > 256)
        throw invalidInput('value: must be 1 to 256 characters', ['value']);
      await putMapping(people.query, mapping, clock.now());
    },
    unmap: async (mapping: Omit<RoleMapping, 'role'>): Promise<void> => {
      if (!(await deleteMapping(people.query, mapping)))
        throw new AppError('provider.no_mapping', 'not_found', 'There is no such mapping in this project');
    },
  };
}

const ID = /^[a-z][a-z0-9-]{0,31}$/;
const CLAIM = /^\S{1,128}$/;
const shape = z.object({
  id: z
    .string()
    .regex(ID, 'must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter')
    .refine((id) => id !== 'credential', 'is reserved'),
  name: visibleName(64),
  clientId: z.string().min(1, 'must not be empty').max(512, 'must be at most 512 characters'),
  clientSecret: z
    .string()
    .min(1, 'must not be empty')
    .max(2048, 'must be at most 2048 characters')
    .nullable(),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be OAuth scopes')),
});

async function put(deps: ProviderDeps, provider: Provider) {
  const parsed = shape.safeParse(provider);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw invalidInput(`${String(path[0])}: ${message}`, [String(path[0])]);
  }
  checkIssuer(provider.issuer, deps.allowsLoopback);
  const endpoints = await checked(deps, provider);
  const { id, clientSecret } = provider;
  const owner = await findProviderOfIssuer(deps.people.query, provider.issuer);
  const isStored =
    (owner === null || owner === id) &&
    (await putProvider(deps.people.query, {
      ...provider,
      scopes: [...new Set(['openid', ...provider.scopes])],
      clientSecret: clientSecret === null ? null : deps.masterKey.encryptText(secretPlace(id), clientSecret),
      createdAt: deps.clock.now(),
    }));
  if (!isStored)
    throw new AppError(
      'provider.conflict',
      'conflict',
      'The id has another issuer, or the issuer another id: remove that provider first, which removes its identities',
    );
  return endpoints;
}

function checkIssuer(issuer: string, allowsLoopback: boolean): void {
  const problem = issuerProblem(issuer, allowsLoopback);
  if (problem !== null) throw invalidInput(`issuer: ${problem}`, ['issuer']);
}

function issuerProblem(issuer: string, allowsLoopback: boolean): string | null {
  if (!/^https?:/.test(issuer) || !URL.canParse(issuer))
    return 'must be a URL such as https://id.example.com';
  const { protocol, hostname, search } = new URL(issuer);
  if (search !== '') return 'must not contain a query';
  const isLoopback = isLoopbackHost(hostname);
  if (isLoopback && !allowsLoopback)
    return 'can be on this machine only if HOST is loopback, and PUBLIC_URL and TRUSTED_PROXIES are not set';
  if (!isLoopback && protocol !== 'https:') return 'must start with https://';
  return urlProblem(issuer, { allowsLoopback });
}

async function checked({ client }: ProviderDeps, provider: Provider) {
  try {
    return await client.check(provider);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new AppError(
      'provider.unusable',
      'unprocessable',
      `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration cannot be used: ${error.reason}`,
    );
  }
}

async function find({ people, masterKey }: ProviderDeps, id: string): Promise<Provider> {
  const row = (await listProviders(people.query)).find((each) => each.id === id);
  if (!row) throw providerNotFound(id);
  return toProvider(row, masterKey);
}

const providerNotFound = (id: string) =>
  new AppError('provider.not_found', 'not_found', `No provider with this id: ${JSON.stringify(id)}`);
