import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { JSONObjectResolver, JSONResolver, UUIDResolver } from 'graphql-scalars';
import { countryCodeHint, isCountryCode } from '../platform/countries.ts';
import { parseTimestamp } from '../platform/timestamp.ts';
import { builder } from './builder.ts';

function parseDateTime(value: unknown): Date {
  const time = typeof value === 'string' ? parseTimestamp(value) : null;
  if (time === null) throw new GraphQLError('must be an ISO 8601 timestamp such as 2025-06-10T16:35:22.184Z');
  return time;
}

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    description: 'A moment in UTC as ISO 8601 with milliseconds, such as 2025-06-10T16:35:22.184Z.',
    serialize: (value) => (value instanceof Date ? value : new Date(value as string)).toISOString(),
    parseValue: parseDateTime,
    parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function parseDate(value: unknown): string {
  const isDay = typeof value === 'string' && DAY.test(value) && parseTimestamp(`${value}T00:00:00Z`) !== null;
  if (!isDay) throw new GraphQLError('must be an ISO 8601 date such as 2025-06-10');
  return value;
}

builder.addScalarType(
  'Date',
  new GraphQLScalarType<string, string>({
    name: 'Date',
    description: 'A calendar day as ISO 8601, such as 2025-06-10.',
    specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
    serialize: String,
    parseValue: parseDate,
    parseLiteral: (node) => parseDate(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

function parseCountry(value: unknown): string {
  const code = typeof value === 'string' ? value.toUpperCase() : '';
  if (isCountryCode(code)) return code;
  const hint = code ? countryCodeHint(code) : null;
  throw new GraphQLError(`must be an ISO 3166-1 alpha-2 country code${hint ? `: ${hint}` : ''}`);
}

builder.addScalarType(
  'CountryCode',
  new GraphQLScalarType<string, string>({
    name: 'CountryCode',
    description: 'A country as ISO 3166-1 alpha-2, such as US.',
    serialize: String,
    parseValue: parseCountry,
    parseLiteral: (node) => parseCountry(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

/**
 * A text whose value GraphQL's own messages never quote: anything else is passed on as empty, and the validation behind
 * says what is wrong.
 */
const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

builder.addScalarType(
  'IdNumberValue',
  new GraphQLScalarType<string, string>({
    name: 'IdNumberValue',
    description: 'The text of an id number. It is an input only, and no error quotes it.',
    serialize: () => '',
    parseValue: textOrNothing,
    parseLiteral: (node) => textOrNothing(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

builder.addScalarType(
  'UUID',
  new GraphQLScalarType({
    ...UUIDResolver.toConfig(),
    description: 'A UUID in its text form.',
    extensions: {},
  }),
);
builder.addScalarType(
  'JSON',
  new GraphQLScalarType({
    ...JSONResolver.toConfig(),
    description: 'A JSON value of any kind.',
    extensions: {},
  }),
);
builder.addScalarType(
  'JSONObject',
  new GraphQLScalarType({
    ...JSONObjectResolver.toConfig(),
    description: 'A JSON object of any content.',
    extensions: {},
  }),
);
