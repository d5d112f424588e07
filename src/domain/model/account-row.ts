export type ListMembership = {
  listId: string;
  name: string;
  description: string;
  effect: string;
  standard: boolean;
  /** A timestamp as PostgreSQL writes it in JSON, or as it was just made. */
  createdAt: string | Date;
  /** Source of the membership: api, rule, import or console; and the key or rule. */
  source: string;
  actor: string;
  /** Why, as it was given, or the rule's name, '' for none; absent in a stored membership. */
  reason?: string;
  /** The encrypted reason of a stored membership in base64; null for none. */
  encryptedReason?: string | null;
  /** End of the membership, as PostgreSQL writes it in JSON, or as it was just made; absent or null for none. */
  expiresAt?: string | Date | null;
  /** Of a membership that waited for the account: its end, null for none. */
  waited?: { expiresAt: Date | null };
};

/** A stored account with the lists it is on. */
export type AccountRow = {
  id: string;
  account_id: string;
  account_group: string;
  personal: Uint8Array;
  expected_countries: string[];
  first_seen: Date | null;
  last_seen: Date | null;
  last_session: string | null;
  country: string;
  countries: string[];
  num_sessions: number;
  unique_devices_1d: number;
  unique_devices_7d: number;
  unique_networks_1d: number;
  unique_networks_7d: number;
  /**
   * Averages over sessions: JSON text as stored, or the object about to be stored. `aggregates.ts` of packages/decisions parses it, and
   * throws for a row that was read without it.
   */
  aggregates: string | object | undefined;
  created_at: Date;
  updated_at: Date;
  lists: ListMembership[];
};

/** Columns that nearly every reader of an account needs. */
export const MAIN_COLUMNS = [
  'id',
  'account_id',
  'personal',
  'last_seen',
  'last_session',
  'country',
  'num_sessions',
] as const satisfies ReadonlyArray<keyof AccountRow>;

/** Columns beside the main ones, `aggregates` and `lists`. */
export const DETAIL_COLUMNS = [
  'account_group',
  'expected_countries',
  'first_seen',
  'countries',
  'unique_devices_1d',
  'unique_devices_7d',
  'unique_networks_1d',
  'unique_networks_7d',
  'created_at',
  'updated_at',
] as const satisfies ReadonlyArray<keyof AccountRow>;

/** A `ListMembership` of a row `m` of `list_members` and its list `l`. */
export const MEMBERSHIP_JSON = `json_build_object('listId', l.list_id, 'name', l.name, 'description', l.description,
                                        'effect', l.effect, 'standard', l.standard,
                                        'createdAt', l.created_at, 'source', m.source,
                                        'actor', m.actor,
                                        'encryptedReason', encode(m.encrypted_reason, 'base64'),
                                        'expiresAt', m.expires_at)`;

/** The columns of an account as `AccountRow`, for a table alias; its lists come along in the same statement. */
export function accountColumns(alias: string): string {
  // As text: it is parsed when a score is asked for, which most readers of many accounts do not.
  return `${[...MAIN_COLUMNS, ...DETAIL_COLUMNS].map((column) => `${alias}.${column}`).join(', ')}, ${alias}.aggregates::text as aggregates,
    coalesce((
      select json_agg(${MEMBERSHIP_JSON} order by l.name)
      from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
      where m.project_id = ${alias}.project_id and m.account_id = ${alias}.id
        and (m.expires_at is null or m.expires_at > now())
    ), '[]'::json) as lists`;
}
