import { ALL_TOKEN_SCOPES, type TokenScope } from '@vouchgraph/events';
import { type AppError, forbidden } from '@vouchgraph/platform/errors';
import { Account } from '../../domain/accounts/account.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { hasScope, keyOnly, scopeMissing } from '../../domain/projects/assert-may.ts';
import { Session } from '../../domain/sessions/session.ts';
import type { TokenRule } from './declared-facts.ts';

/*
 * Which fields a browser token reads, by its scopes: as types and fields declare it (declared-facts.ts). Root fields are
 * authorized by their actions.
 */

/** Scopes of which a token needs one; `never`: keys only. */
export type FieldRule = readonly TokenScope[] | 'never';

/** The rule of a field that may have one of its own, of a type. */
export function ruleOf(own: TokenRule | undefined, ofType: TokenRule | undefined): FieldRule {
  const rule = own ?? ofType ?? 'never';
  return rule === 'any' ? ALL_TOKEN_SCOPES : rule;
}

/** A field as it is checked for browser tokens. */
export type CheckedField = {
  /** `Type.field`. */
  readonly name: string;
  readonly rule: FieldRule;
  readonly namesAccount: boolean;
};

/** Whether a viewer may refetch objects by their global ids, by the rule of the field of the id. */
export function mayRefetch(viewer: Viewer, rule: FieldRule): boolean {
  return viewer.kind !== 'browser_token' || (rule !== 'never' && hasScope(viewer, rule));
}

/** Throws `auth.forbidden` unless a browser token may read a field of an object. */
export function assertTokenReads(viewer: Viewer, field: CheckedField, parent: unknown): void {
  const refusal = refusalOfField(viewer, field) ?? refusalOfObject(viewer, parent);
  if (refusal) throw refusal;
}

function refusalOfField(viewer: Viewer, { name, rule, namesAccount }: CheckedField): AppError | null {
  if (rule === 'never') return keyOnly(name);
  if (!hasScope(viewer, rule)) return scopeMissing(rule, name);
  if (viewer.sessionId !== undefined && namesAccount)
    return forbidden('This token is limited to one session');
  return null;
}

/** An object of another account or session, by whatever field it was reached. */
function refusalOfObject({ accountId, sessionId }: Viewer, parent: unknown): AppError | null {
  if (parent instanceof Account) {
    if (sessionId !== undefined) return forbidden('This token is limited to one session');
    if (accountId !== undefined && parent.row.account_id !== accountId)
      return forbidden('This token is limited to one account');
  }
  const isOther = parent instanceof Session && sessionId !== undefined && parent.sessionId !== sessionId;
  return isOther ? forbidden('This token is limited to one session') : null;
}
