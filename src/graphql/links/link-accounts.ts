import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { Account } from '../../domain/accounts/account.ts';
import { accountNotFound } from '../../domain/accounts/errors.ts';
import type { GraphQLContext } from '../kernel/context.ts';

/** Accounts by the ids that the client assigned, in their order. Throws `account.not_found`. */
export async function findAccounts(context: GraphQLContext, ids: readonly string[]): Promise<Account[]> {
  const { project } = context.viewer;
  if (ids.some((id) => id.length > LIMITS.accountIdLength)) throw accountNotFound();
  const rows = await context.services.linkGraph.findAccounts(context.viewer, ids);
  return rows.map((row) => {
    if (!row) throw accountNotFound();
    return new Account(project, row);
  });
}

/** Two different accounts, by the values of the arguments `names`. */
export async function findPair(
  context: GraphQLContext,
  ids: readonly [string, string],
  names: readonly [string, string],
): Promise<[Account, Account]> {
  if (ids[0] === ids[1])
    throw invalidInput(`${names[1]}: must be another account than ${names[0]}`, [names[1]]);
  const [one, other] = await findAccounts(context, ids);
  return [one!, other!];
}
