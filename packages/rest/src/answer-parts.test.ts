import { expect, it } from 'vitest';
import {
  always,
  at,
  checked,
  each,
  either,
  extended,
  field,
  fields,
  lowerCase,
  named,
  object,
  of,
  own,
} from './answer-parts.ts';
import { component, type JsonSchema, nullable, optional, text, uuid, words } from './json-schema.ts';
import { createSchemaComponents } from './schema-components.ts';

const META = { requestId: 'request' };
const thing = component('Thing', { name: text, kind: words(['ONE', 'TWO']) });
const selected = component('Query', { thing: nullable(thing), things: { type: 'array', items: thing } });

/** The component of a body, as openapi.json has it. */
function bodyOf(schema: JsonSchema) {
  const components = createSchemaComponents({});
  const { $ref } = components.answer(schema) as { $ref: string };
  return components.schemas[$ref.split('/').pop()!];
}

it('parts describe the bodies that they create', () => {
  const part = object('Body', {
    request_id: own(uuid, ({ requestId }: typeof META) => requestId),
    success: always(true),
    ...of('thing', fields('name')),
    kinds: at('things', each(object('Kind', { kind: lowerCase('kind') }))),
    all: at('things', each(extended('Numbered', { number: always('first') }))),
  });
  const data = { thing: { name: 'a' }, things: [{ name: 'b', kind: 'TWO' }] };
  expect(part.value(data, META)).toEqual({
    ...{ request_id: 'request', success: true, name: 'a', kinds: [{ kind: 'two' }] },
    all: [{ number: 'first', name: 'b', kind: 'TWO' }],
  });
  expect(JSON.stringify(part.value({ ...data, thing: null }, META))).toMatch(
    /^\{"request_id":"request","success":true,"kinds"/,
  );
  expect(bodyOf(part.schema(selected))).toEqual({
    type: 'object',
    properties: {
      request_id: uuid,
      success: { type: 'boolean', const: true },
      name: text,
      kinds: { type: 'array', items: { $ref: '#/components/schemas/Kind' } },
      all: { type: 'array', items: { $ref: '#/components/schemas/Numbered' } },
    },
    required: ['request_id', 'success', 'kinds', 'all'],
  });
});

it('a part after a check is present', () => {
  const refuse = () => {
    throw new Error('not found');
  };
  const part = object('Body', { thing: checked('thing', refuse, named('Other')) });
  expect(() => part.value({ thing: null }, META)).toThrow('not found');
  expect(part.schema(selected).properties).toEqual({ thing: { ...thing, component: 'Other' } });
});

it('alternatives return the first part with a value', () => {
  const part = either(field('thing'), object('Pending', { status: always('pending') }));
  expect(part.value({ thing: { name: 'a' } }, META)).toEqual({ name: 'a' });
  expect(part.value({ thing: null }, META)).toEqual({ status: 'pending' });
  expect(part.schema(selected).anyOf).toEqual([thing, expect.objectContaining({ component: 'Pending' })]);
});

it('a key that the document does not select, and one component of two shapes, are rejected', () => {
  expect(() => field('other').schema(selected)).toThrow('REST: Query has no other');
  const twice = component('Body', { first: thing, second: component('Thing', { name: optional(text) }) });
  expect(() => createSchemaComponents({}).answer(twice)).toThrow('are the component Thing');
});
