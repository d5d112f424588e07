import { AppError } from '@vouchgraph/platform/errors';
import { camelCase, snakeCase } from '@vouchgraph/platform/letter-case';
import type { Command } from 'commander';
import { namedNotFound } from './not-found.ts';

/*
 * Errors of the API name its fields. The person who called a command knows its arguments and options only.
 */

/** The arguments and options that a field of the API is filled from. Other fields have the name of their option. */
export const INPUTS_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  accountId: ['account'],
  accountIds: ['account'],
  actions: ['action'],
  addDisposable: ['disposable'],
  addTrusted: ['trusted'],
  countryCode: ['country'],
  email: ['address'],
  endpointId: ['endpoint'],
  eventTypes: ['types'],
  expiresAt: ['expires'],
  id: ['rule', 'endpoint', 'verification', 'delivery'],
  importId: ['import'],
  keyId: ['key'],
  lastSeenAfter: ['seenAfter'],
  minRiskScore: ['minScore'],
  name: ['name', 'list'],
  removeDisposable: ['disposable'],
  removeTrusted: ['trusted'],
  resumeFrom: ['from'],
  sessionId: ['session', 'verification'],
  sha256Hashes: ['sha256'],
  signatureFormat: ['signature'],
  sourceList: ['list'],
  targetList: ['target'],
  // The option --url is the gateway that is called.
  url: ['address'],
};

/** An argument or option of a call: as it is written, and as its errors name it in JSON. */
type Input = { readonly written: string; readonly field: string };

/** The argument or option of the call that a field of the API is filled from; null if there is none. */
function inputOf(command: Command, field: string): Input | null {
  const key = camelCase(field);
  for (const name of INPUTS_OF_FIELD[key] ?? [key]) {
    if (command.registeredArguments.some((argument) => argument.name() === name))
      return { written: name, field: name };
    const option = command.options.find((each) => each.attributeName() === name);
    if (option && command.getOptionValueSource(name) === 'cli')
      return { written: option.long!, field: snakeCase(name) };
  }
  return null;
}

/** The value of an argument or option of the call. */
function valueIn(command: Command, name: string): string | undefined {
  const place = command.registeredArguments.findIndex((argument) => argument.name() === name);
  const value: unknown = place === -1 ? command.getOptionValue(name) : command.processedArgs[place];
  return typeof value === 'string' ? value : undefined;
}

/** An error of a call in the names of its arguments and options. */
export function inNamesOfCall(error: unknown, command: Command): unknown {
  if (!(error instanceof AppError)) return error;
  const named = namedNotFound(error, (name) => valueIn(command, name));
  const { code, kind, message, inputPath = [], retryAfterSeconds, cause } = named;
  const inputs = inputPath.map((part) => (typeof part === 'string' ? inputOf(command, part) : null));
  const place = inputs.findIndex((input) => input !== null);
  const rest = inputPath.slice(place + 1);
  const input = inputs[place] ?? null;
  const prefixes = [inputPath, inputPath.slice(Math.max(place, 0))].map((path) => `${path.join('.')}: `);
  const prefix = input && prefixes.find((each) => message.startsWith(each));
  const text = prefix ? message.slice(prefix.length) : message;
  const begin = prefix ? `${[input.written, ...rest].join('.')}: ` : '';
  return new AppError(code, kind, begin + withNamesOf(command, text), {
    path: input ? [input.field, ...rest] : named.inputPath,
    retryAfterSeconds,
    cause,
  });
}

/** Quoted text, or a name of the API, which no word of a sentence is written like. */
const NAME = /"(?:[^"\\]|\\.)*"|\b[a-z]+(?:[A-Z][a-z\d]*)+\b/g;

const withNamesOf = (command: Command, text: string): string =>
  text.replace(NAME, (name) => (name.startsWith('"') ? name : (inputOf(command, name)?.written ?? name)));
