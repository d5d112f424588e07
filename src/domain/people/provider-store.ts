import { namedStatement } from '../../storage/named-statement.ts';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { RoleMapping } from './provider.ts';

type Query = PeopleDatabase['query'];

export type ProviderRow = {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: Uint8Array | null;
  scopes: string[];
  created_at: Date;
};

const LIST_PROVIDERS = {
  name: 'provider.list',
  text: 'select id, name, issuer, client_id, client_secret, scopes, created_at from providers order by name, id',
};

/** All providers, by name. */
export function listProviders(query: Query): Promise<ProviderRow[]> {
  return query<ProviderRow>(LIST_PROVIDERS, []);
}

const PUT_PROVIDER = namedStatement(
  'provider.put',
  `insert into providers (id, name, issuer, client_id, client_secret, scopes, created_at)
   values (:id, :name, :issuer, :clientId, :clientSecret, :scopes, :createdAt)
   on conflict (id) do update set name = excluded.name, client_id = excluded.client_id, client_secret = excluded.client_secret,
     scopes = excluded.scopes
   where providers.issuer = excluded.issuer returning id`,
);

/** Stores a provider, or replaces the one with this id and issuer. False when the id has another issuer. */
export async function putProvider(
  query: Query,
  provider: {
    id: string;
    name: string;
    issuer: string;
    clientId: string;
    clientSecret: Uint8Array | null;
    scopes: readonly string[];
    createdAt: Date;
  },
): Promise<boolean> {
  return (await query(...PUT_PROVIDER.call(provider))).length > 0;
}

const FIND_BY_ISSUER = { name: 'provider.by_issuer', text: 'select id from providers where issuer = $1' };

/** Id of the provider of an issuer; null without one. */
export async function findProviderOfIssuer(query: Query, issuer: string): Promise<string | null> {
  return (await query<{ id: string }>(FIND_BY_ISSUER, [issuer]))[0]?.id ?? null;
}

const DELETE_PROVIDER = {
  name: 'provider.delete',
  text: `with ended as (delete from sessions s using credentials c
           where c.provider_id = $1 and c.person_id = s.person_id and s.method = 'provider'),
         identities as (delete from credentials where provider_id = $1 and provider_id <> 'credential' returning id)
         delete from providers where id = $1 returning id, (select count(*) from identities) as identities`,
};

/** Deletes a provider with its identities, roles and sessions. Returns the number of identities; null without the provider. */
export async function deleteProvider(query: Query, id: string): Promise<number | null> {
  return (await query<{ identities: number }>(DELETE_PROVIDER, [id]))[0]?.identities ?? null;
}

const LIST_MAPPINGS = {
  name: 'provider.list_roles',
  text: `select provider_id as "providerId", claim, value, project_id as "projectId", role
         from provider_roles where $1::text is null or provider_id = $1 order by provider_id, project_id, claim, value`,
};

/** Mappings of claims to roles, of one provider or of all. */
export function listMappings(query: Query, providerId: string | null): Promise<RoleMapping[]> {
  return query<RoleMapping>(LIST_MAPPINGS, [providerId]);
}

const PUT_MAPPING = namedStatement(
  'provider.put_role',
  `insert into provider_roles (provider_id, project_id, claim, value, role, created_at)
   values (:providerId, :projectId, :claim, :value, :role, :createdAt)
   on conflict (provider_id, project_id, claim, value) do update set role = excluded.role`,
);

export async function putMapping(query: Query, mapping: RoleMapping, createdAt: Date): Promise<void> {
  await query(...PUT_MAPPING.call({ ...mapping, createdAt }));
}

const DELETE_MAPPING = {
  name: 'provider.delete_role',
  text: `delete from provider_roles where provider_id = $1 and project_id = $2 and claim = $3 and value = $4 returning role`,
};

/** False when there is none. */
export async function deleteMapping(
  query: Query,
  { providerId, projectId, claim, value }: Omit<RoleMapping, 'role'>,
): Promise<boolean> {
  return (await query(DELETE_MAPPING, [providerId, projectId, claim, value])).length > 0;
}

const FIND_PERSON_OF_IDENTITY = {
  name: 'provider.person_of_identity',
  text: 'select person_id from credentials where provider_id = $1 and account_id = $2',
};

/** Person with an identity at a provider; null for one that nobody has joined. */
export async function findPersonOfIdentity(
  query: Query,
  providerId: string,
  identity: string,
): Promise<string | null> {
  const [row] = await query<{ person_id: string }>(FIND_PERSON_OF_IDENTITY, [providerId, identity]);
  return row?.person_id ?? null;
}

const INSERT_IDENTITY = {
  name: 'provider.insert_identity',
  text: `insert into credentials (id, person_id, provider_id, account_id, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, $4)`,
};

export async function insertIdentity(
  query: Query,
  personId: string,
  { providerId, identity, at }: { providerId: string; identity: string; at: Date },
): Promise<void> {
  await query(INSERT_IDENTITY, [personId, providerId, identity, at]);
}

const LIST_IDENTITIES = {
  name: 'provider.list_identities',
  text: `select c.id, c.provider_id, p.name, c.created_at from credentials c join providers p on p.id = c.provider_id
         where c.person_id = $1 order by p.name, c.created_at, c.id`,
};
export type IdentityRow = { id: string; provider_id: string; name: string; created_at: Date };

/** Identities of a person at providers. */
export function listIdentities(query: Query, personId: string): Promise<IdentityRow[]> {
  return query<IdentityRow>(LIST_IDENTITIES, [personId]);
}

const HAS_PASSWORD = {
  name: 'provider.has_password',
  text: `select 1 from credentials where person_id = $1 and provider_id = 'credential' and password is not null`,
};

export async function hasPassword(query: Query, personId: string): Promise<boolean> {
  return (await query(HAS_PASSWORD, [personId])).length > 0;
}

const DELETE_IDENTITY = {
  name: 'provider.delete_identity',
  text: `delete from credentials c where c.person_id = $1 and c.id = $2 and c.provider_id <> 'credential'
           and (exists (select from credentials o where o.person_id = $1 and o.id <> $2)
             or exists (select from passkeys k where k.person_id = $1))
         returning id`,
};

/**
 * Removes an identity, in a transaction with the lock of people, so that of two concurrent removals the second one sees the first. False
 * when the person does not have it, or has no other way to sign in.
 */
export async function deleteIdentity(query: Query, personId: string, id: string): Promise<boolean> {
  return (await query(DELETE_IDENTITY, [personId, id])).length > 0;
}
