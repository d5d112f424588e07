import { includesPersonRole, type PersonRole } from '../projects/person-role.ts';

/** An OpenID Connect provider of the sign-in. */
export type Provider = {
  /** Part of the redirect URI. */
  readonly id: string;
  /** Shown on the sign-in page. */
  readonly name: string;
  /** URL of the issuer, as its ID tokens contain it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
};

/** A claim with this value gives a role in a project. */
export type RoleMapping = {
  readonly providerId: string;
  /** Name of a claim, or a path with dots into an object: `groups`, `realm_access.roles`. */
  readonly claim: string;
  readonly value: string;
  readonly projectId: string;
  readonly role: PersonRole;
};

export type Claims = Readonly<Record<string, unknown>>;

/**
 * The identity at a provider, as it is stored: issuer and subject (OpenID Connect Core 1.0, section 5.7). An email is no part
 * of it: a provider can assert any.
 */
export function identityOf(issuer: string, subject: string): string {
  return `${issuer} ${subject}`;
}

/** Redirect URI to register at a provider. */
export function redirectUri(origin: string, providerId: string): string {
  return `${origin}/auth/callback/${providerId}`;
}

/** Values of a claim as text: of a text, a number, a truth value, or a list of them. None for a missing claim. */
export function claimValues(claims: Claims, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  return (Array.isArray(value) ? value : [value])
    .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
    .map(String);
}

function valueAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return undefined;
  return valueAt((value as Claims)[first], rest);
}

/** The highest role that the claims give in each project of the mappings; null where they give none. */
export function mappedRoles(
  claims: Claims,
  mappings: readonly RoleMapping[],
): ReadonlyMap<string, PersonRole | null> {
  const roles = new Map<string, PersonRole | null>();
  for (const { claim, value, projectId, role } of mappings) {
    const before = roles.get(projectId) ?? null;
    const isGiven = claimValues(claims, claim).includes(value);
    roles.set(projectId, isGiven && (before === null || includesPersonRole(role, before)) ? role : before);
  }
  return roles;
}
