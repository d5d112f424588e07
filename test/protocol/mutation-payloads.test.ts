import {
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  isOutputType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { mutationOf } from '../support/operations/index.ts';

/** Every mutation returns what a normalized cache of a client needs: the changed node, or the ids of deleted ones. */

const mutations = Object.values(schema.getMutationType()!.getFields());
const payloadOf = (name: string) => getNamedType(schema.getMutationType()!.getFields()[name]!.type);

const isNode = (type: GraphQLObjectType) => type.getInterfaces().some(({ name }) => name === 'Node');

/** Whether a payload leads to a node over its own fields or those of one nested object, or names the deleted ids. */
function leadsToNode(type: GraphQLObjectType, depth = 2): boolean {
  return Object.values(type.getFields()).some((field) => {
    if (depth === 2 && ['deletedId', 'deletedIds'].includes(field.name)) return true;
    const named = getNamedType(field.type);
    if (!isOutputType(named) || !isObjectType(named)) return false;
    return isNode(named) || (depth > 1 && leadsToNode(named, depth - 1));
  });
}

describe('the payload', () => {
  it.each(mutations.map(({ name }) => name))('of %s has the request id and the changed node', (name) => {
    const payload = payloadOf(name);
    if (!isObjectType(payload)) throw new Error(`${name} returns no object`);
    expect(payload.getFields().requestId?.type.toString()).toBe('UUID!');
    expect(leadsToNode(payload)).toBe(mutationOf(name).withoutNode === undefined);
  });

  it('of a deletion names every deleted node by its global id', () => {
    const deletions = mutations.filter(({ name }) => name.startsWith('delete'));
    expect(deletions.length).toBeGreaterThan(3);
    for (const { name } of deletions) {
      const { deletedId, deletedIds } = (payloadOf(name) as GraphQLObjectType).getFields();
      const type = (deletedId ?? deletedIds)?.type;
      expect(type && isNonNullType(type), name).toBe(true);
      expect(getNamedType(type!).name, name).toBe('ID');
      expect(isListType(isNonNullType(type) ? type.ofType : type), name).toBe(deletedId === undefined);
    }
  });
});
