import { isCalendarDate } from '@vouchgraph/platform/calendar-date';
import { countryCodeHint, isCountryCode } from '@vouchgraph/platform/countries';
import { parseTimestamp, TIMESTAMP_TEXT, timestampProblem } from '@vouchgraph/platform/timestamp';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { JSONObjectResolver, JSONResolver, UUIDResolver } from 'graphql-scalars';
import { builder } from './builder.ts';
import { jsonOfLiteral } from './json-literal.ts';

/** Parses a value of a document as text. GraphQL keeps an error of a scalar unchanged: it must have the node as its location. */
function textLiteral<Value>(parse: (value: unknown, node?: ValueNode) => Value) {
  return (node: ValueNode): Value => parse(node.kind === Kind.STRING ? node.value : undefined, node);
}

function parseDateTime(value: unknown, nodes?: ValueNode): Date {
  const time = typeof value === 'string' ? parseTimestamp(value) : null;
  if (time !== null) return time;
  const problem = typeof value === 'string' ? timestampProblem(value) : null;
  throw new GraphQLError(problem ?? TIMESTAMP_TEXT, { nodes });
}

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    description:
      'Time in UTC as ISO 8601 with milliseconds, such as 2025-06-10T16:35:22.184Z. Input can have another offset. ' +
      'Accepted: 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.',
    serialize: (value) => (value instanceof Date ? value : new Date(value as string)).toISOString(),
    parseValue: (value) => parseDateTime(value),
    parseLiteral: textLiteral(parseDateTime),
  }),
);

function parseDate(value: unknown, nodes?: ValueNode): string {
  if (typeof value === 'string' && isCalendarDate(value)) return value;
  throw new GraphQLError('must be a date such as 2025-06-10', { nodes });
}

builder.addScalarType(
  'Date',
  new GraphQLScalarType<string, string>({
    name: 'Date',
    description: 'Date as YYYY-MM-DD, such as 2025-06-10.',
    specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc3339#section-5.6',
    serialize: String,
    parseValue: (value) => parseDate(value),
    parseLiteral: textLiteral(parseDate),
  }),
);

function parseCountry(value: unknown, nodes?: ValueNode): string {
  const code = typeof value === 'string' ? value.toUpperCase() : '';
  if (isCountryCode(code)) return code;
  const hint = code ? countryCodeHint(code) : null;
  throw new GraphQLError(`must be an ISO 3166-1 alpha-2 country code${hint ? `: ${hint}` : ''}`, { nodes });
}

builder.addScalarType(
  'CountryCode',
  new GraphQLScalarType<string, string>({
    name: 'CountryCode',
    specifiedByURL: 'https://www.iso.org/iso-3166-country-codes.html',
    description: 'Country as ISO 3166-1 alpha-2, such as US.',
    serialize: String,
    parseValue: (value) => parseCountry(value),
    parseLiteral: textLiteral(parseCountry),
  }),
);

/**
 * A text whose value GraphQL's own messages never quote: other values are passed on as empty, and the later validation
 * reports the error.
 */
const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

builder.addScalarType(
  'IdNumberValue',
  new GraphQLScalarType<string, string>({
    name: 'IdNumberValue',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-7',
    description:
      'Value of an id number, as a JSON string: at most 64 characters, with at least 3 letters or ' +
      'digits. Case, spaces and punctuation are ignored. For input only. Errors do not quote it.',
    serialize: () => '',
    parseValue: textOrNothing,
    parseLiteral: (node) => textOrNothing(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

builder.addScalarType(
  'UUID',
  new GraphQLScalarType({
    ...UUIDResolver.toConfig(),
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
    description: 'UUID in text form.',
    extensions: {},
  }),
);
builder.addScalarType(
  'JSON',
  new GraphQLScalarType({
    ...JSONResolver.toConfig(),
    parseLiteral: jsonOfLiteral,
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    description: 'JSON value of any type.',
    extensions: {},
  }),
);
builder.addScalarType(
  'JSONObject',
  new GraphQLScalarType({
    ...JSONObjectResolver.toConfig(),
    parseLiteral: (node, variables) =>
      node.kind === Kind.OBJECT
        ? (jsonOfLiteral(node, variables) as object)
        : JSONObjectResolver.parseLiteral(node, variables),
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
    description: 'JSON object with any content.',
    extensions: {},
  }),
);
