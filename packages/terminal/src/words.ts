/*
 * Values of enumerations as commands read and print them: lower case, such as enabled and first_session. Decisions and
 * types of events are written as in REST and webhooks: Real, account.authenticated.
 */

/** The word of an enum value of the schema. */
export const wordOf = (value: string): string => value.toLowerCase();

/** The word of a decision: REAL is Real. */
export const decisionOf = (value: string): string => value.charAt(0) + value.slice(1).toLowerCase();

/** The enum value of a type of events: account.authenticated is ACCOUNT_AUTHENTICATED. */
export const eventTypeValue = (type: string): string => type.trim().replaceAll('.', '_').toUpperCase();

/** The type of events of an enum value; in lower case without a change if this version does not know it. */
export function eventTypeOf(value: string, types: readonly string[]): string {
  return types.find((type) => eventTypeValue(type) === value) ?? wordOf(value);
}
