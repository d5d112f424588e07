import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { execute } from './sandbox.ts';

/** The schema as returned by the gateway, which clients read at build time. */
export const introspection = await execute<IntrospectionQuery>(getIntrospectionQuery());

/** Object types without an id, which a normalized cache keeps inside their parent. */
export const typesWithoutId = introspection.__schema.types
  .filter((type) => type.kind === 'OBJECT' && !type.name.startsWith('__'))
  .filter((type) => type.kind === 'OBJECT' && !type.fields.some(({ name }) => name === 'id'))
  .map(({ name }) => name);

/** Types of each interface and union. */
export const possibleTypes = Object.fromEntries(
  introspection.__schema.types
    .filter((type) => type.kind === 'INTERFACE' || type.kind === 'UNION')
    .map(({ name, possibleTypes }) => [name, possibleTypes.map((type) => type.name)]),
);
