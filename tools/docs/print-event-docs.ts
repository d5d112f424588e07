/*
 * Writes the event types of docs/events.md from the schema and the recorded events: `npm run generate:docs`. The text between
 * the markers is replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { definitionOf, EVENT_TYPES, type EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { sampleBody } from '@vouchgraph/events/internals/event-samples';
import type { GraphQLObjectType } from 'graphql';
import { enumNameOf, objectNameOf } from '../../src/graphql/events/event-type.ts';
import { schema } from '../../src/graphql/schema.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/events.md', import.meta.url);

const eventFields = fieldsOf('Event');

/** Fields of a type, by name. */
function fieldsOf(name: string) {
  return (schema.getType(name) as GraphQLObjectType).getFields();
}

function overview(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { description } = definitionOf(type);
    return `| [\`${type}\`](#${anchorOf(type)}) | \`${objectNameOf(type)}\` | ${description} |`;
  });
  return ['| type | GraphQL type | meaning |', '|---|---|---|', ...rows].join('\n');
}

const anchorOf = (type: EventType): string => type.replaceAll('.', '');

function section(type: EventType): string {
  const name = objectNameOf(type);
  const own = Object.values(fieldsOf(name)).filter((field) => !(field.name in eventFields));
  const rows = own.map((field) => `| \`${field.name}\` | \`${field.type}\` | ${field.description} |`);
  const table = rows.length > 0 ? ['', '| field | type | |', '|---|---|---|', ...rows] : [];
  const body = JSON.stringify(JSON.parse(sampleBody(type)), null, 2);
  return [
    `### ${type}`,
    '',
    `\`${enumNameOf(type)}\`, \`${name}\`.`,
    ...table,
    '',
    '<details><summary>Example</summary>',
    '',
    '```json',
    body,
    '```',
    '',
    '</details>',
  ].join('\n');
}

const page = Object.entries({ types: overview(), examples: EVENT_TYPES.map(section).join('\n\n') }).reduce(
  (text, [marker, written]) => replaceBetweenMarkers(text, marker, written),
  readFileSync(FILE, 'utf8'),
);
writeFileSync(FILE, page);
