import type { GraphQLSchema } from 'graphql';
import { defaultFieldResolver, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { Account } from '../../domain/accounts/account.ts';
import { Session } from '../../domain/sessions/session.ts';
import type { GraphQLContext } from './context.ts';
import { type CollectSubjects, declaredOfType, objectTypes } from './declared-facts.ts';

/*
 * Which accounts and sessions an answer contains data of, for answers that are stored. It is collected where objects
 * enter an answer, so that no resolver has to do it. Each type declares its subjects (declared-facts.ts).
 */

/** An account or a session. */
export const byItself: CollectSubjects<unknown> = (value, subjects) => {
  if (value instanceof Account) subjects.addAccount(value.row.id);
  else if (value instanceof Session) subjects.addSession(value.sessionId);
};

/** An object with properties that are an account, a session or the id of one. */
export const byProperties: CollectSubjects<unknown> = (value, subjects) => {
  byItself(value, subjects);
  const { account, session, node, sessionId, accountId } = value as Record<string, unknown>;
  for (const part of [account, session, node]) byItself(part, subjects);
  if (typeof sessionId === 'string') subjects.addSession(sessionId);
  if (typeof accountId === 'string') subjects.addAccountId(accountId);
};

/** Makes a schema collect the subjects of answers into the `subjects` of their context, where there are any. */
export function collectSubjects(schema: GraphQLSchema): GraphQLSchema {
  for (const type of objectTypes(schema)) {
    const { subjects = 'wide' } = declaredOfType(type);
    if (typeof subjects === 'function') {
      collectFromObjects(type, subjects);
      continue;
    }
    collectFromFields(type);
    if (subjects === 'wide') collectFromObjects(type, (_value, found) => found.addUnknown());
  }
  return schema;
}

/** graphql-js asks a type about each object that enters an answer as one of it. */
function collectFromObjects(type: GraphQLObjectType, collect: CollectSubjects): void {
  const isTypeOf = type.isTypeOf?.bind(type);
  type.isTypeOf = (value, context: GraphQLContext, info) => {
    if (context.subjects) collect(value as never, context.subjects);
    return isTypeOf ? isTypeOf(value, context, info) : true;
  };
}

/** Ids of accounts that are plain texts, such as those of the accounts on a list. */
function collectFromFields(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    if (!/^accountIds?$/.test(field.name) || isObjectType(getNamedType(field.type))) continue;
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: GraphQLContext, info) => {
      const ids: unknown = await resolve(source, args, context, info);
      for (const id of [ids].flat()) if (typeof id === 'string') context.subjects?.addAccountId(id);
      return ids;
    };
  }
}
