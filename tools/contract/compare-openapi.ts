import type { BreakingChange } from './change.ts';
import { narrowedLimits, wordsOf } from './compare-limits.ts';

/*
 * Breaking changes between two OpenAPI documents: what clients call and send must stay accepted, and what they read must
 * stay there. Additions are no changes: new paths, optional parameters and keys, further keys of answers.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON
type Json = any;
type Documents = { readonly before: Json; readonly after: Json };
type Side = 'request' | 'response';
type Report = (coordinate: string, description: string) => void;
type Walk = Documents & { readonly report: Report; readonly note: Report; readonly seen: Set<string> };

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

export function compareOpenApi(before: Json, after: Json): BreakingChange[] {
  return compare(before, after).breaking;
}

/** Changes that are not breaking, and that a client with a closed list of words has to know. */
export function widenedOpenApi(before: Json, after: Json): BreakingChange[] {
  return compare(before, after).widened;
}

function compare(before: Json, after: Json): { breaking: BreakingChange[]; widened: BreakingChange[] } {
  const [breaking, report] = collector();
  const [widened, note] = collector();
  walkDocument({ before, after, report, note, seen: new Set() });
  return { breaking: [...breaking.values()], widened: [...widened.values()] };
}

function collector(): [Map<string, BreakingChange>, Report] {
  const changes = new Map<string, BreakingChange>();
  return [
    changes,
    (coordinate, description) => changes.set(`${coordinate} ${description}`, { coordinate, description }),
  ];
}

function walkDocument(walk: Walk): void {
  const { before, after, report } = walk;
  for (const [path, item] of Object.entries<Json>(before.paths ?? {}))
    for (const method of METHODS.filter((each) => item[each])) {
      const coordinate = `${method.toUpperCase()} ${path}`;
      const operation = after.paths?.[path]?.[method];
      if (operation) compareOperation(walk, coordinate, item[method], operation);
      else report(coordinate, 'The operation was removed');
    }
  for (const [name, item] of Object.entries<Json>(before.webhooks ?? {})) {
    const operation = after.webhooks?.[name]?.post;
    if (!operation) report(`webhook ${name}`, 'The webhook was removed');
    // The receiver reads its body as a client reads an answer.
    else compareContent(walk, `webhook ${name}`, 'response', item.post?.requestBody, operation.requestBody);
  }
}

function compareOperation(walk: Walk, coordinate: string, before: Json, after: Json): void {
  compareParameters(walk, coordinate, before.parameters ?? [], after.parameters ?? []);
  const [oldBody, newBody] = [
    resolve(walk.before, before.requestBody),
    resolve(walk.after, after.requestBody),
  ];
  const at = `${coordinate} request`;
  if (newBody?.required && !oldBody?.required) walk.report(at, 'The body became required');
  if (oldBody && !newBody) walk.report(at, 'The body was removed');
  if (oldBody && newBody) compareContent(walk, at, 'request', oldBody, newBody);
  for (const [status, answer] of Object.entries<Json>(before.responses ?? {})) {
    const now = after.responses?.[status];
    if (now) compareContent(walk, `${coordinate} ${status}`, 'response', answer, now);
    else walk.report(`${coordinate} ${status}`, 'The status was removed');
  }
}

function compareParameters(walk: Walk, coordinate: string, before: Json[], after: Json[]): void {
  const byName = (document: Json, parameters: Json[]) =>
    new Map<string, Json>(
      parameters.map((each) => {
        const parameter = resolve(document, each);
        return [`${parameter.in}.${parameter.name}`, parameter];
      }),
    );
  const [old, now] = [byName(walk.before, before), byName(walk.after, after)];
  for (const [name, parameter] of old) {
    const at = `${coordinate} ${name}`;
    const found = now.get(name);
    if (!found) walk.report(at, 'The parameter was removed');
    else compareSchemas(walk, at, 'request', parameter.schema, found.schema);
  }
  for (const [name, { required }] of now)
    if (required && !old.get(name)?.required)
      walk.report(`${coordinate} ${name}`, 'The parameter is required now');
}

function compareContent(walk: Walk, at: string, side: Side, before: Json, after: Json): void {
  const [old, now] = [resolve(walk.before, before)?.content ?? {}, resolve(walk.after, after)?.content ?? {}];
  for (const type of Object.keys(old)) {
    if (now[type]) compareSchemas(walk, at, side, old[type].schema, now[type].schema);
    else walk.report(at, `The media type ${type} was removed`);
  }
}

function compareSchemas(walk: Walk, at: string, side: Side, before: Json, after: Json): void {
  // A schema that contains itself is compared once for each pair.
  const pair = JSON.stringify([side, before, after]);
  const isRecursive = Boolean(before?.$ref || after?.$ref);
  if (isRecursive && walk.seen.has(`${at.split('.', 1)[0]} ${pair}`)) return;
  if (isRecursive) walk.seen.add(`${at.split('.', 1)[0]} ${pair}`);
  const [old, now] = [flatten(walk.before, before), flatten(walk.after, after)];
  compareTypes(walk, at, side, old, now);
  compareWords(walk, at, side, old, now);
  if (side === 'request') for (const limit of narrowedLimits(old, now)) walk.report(at, limit);
  compareKeys(walk, at, side, old, now);
  if (old.items && now.items) compareSchemas(walk, `${at}[]`, side, old.items, now.items);
  compareVariants(walk, at, side, old, now);
}

/** The types of JSON that a schema states; none when it states none, and then it accepts all. */
function typesOf({ type, nullable, const: constant, enum: words }: Json): string[] {
  const declared = type === undefined ? [] : [type].flat();
  const values = constant !== undefined ? [constant] : (words ?? []);
  const types = declared.length > 0 ? declared : [...new Set(values.map(typeOfValue))];
  return nullable && types.length > 0 ? [...types, 'null'] : types;
}

function typeOfValue(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

function compareTypes({ report }: Walk, at: string, side: Side, before: Json, after: Json): void {
  const [old, now] = [typesOf(before), typesOf(after)];
  if (old.length === 0 && now.length === 0) return;
  const [wide, narrow] = side === 'request' ? [now, old] : [old, now];
  const isWithin = wide.length === 0 || (narrow.length > 0 && narrow.every((type) => includes(wide, type)));
  if (!isWithin)
    report(at, `The type changed from ${old.join(' or ') || 'any'} to ${now.join(' or ') || 'any'}`);
}

function includes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function compareWords({ report, note }: Walk, at: string, side: Side, before: Json, after: Json): void {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (!old) return;
  if (side === 'response' && !now) note(at, 'Words are no longer listed');
  if (!now) return;
  if (side === 'response')
    for (const word of now) if (!old.includes(word)) note(at, `The word ${JSON.stringify(word)} was added`);
  for (const word of old)
    if (!now.includes(word)) report(`${at}`, `The word ${JSON.stringify(word)} was removed`);
}

function compareKeys(walk: Walk, at: string, side: Side, before: Json, after: Json): void {
  const required = (schema: Json, key: string) => (schema.required ?? []).includes(key);
  const [old, now]: Record<string, Json>[] = [before.properties ?? {}, after.properties ?? {}];
  for (const [key, schema] of Object.entries(old!)) {
    const name = `${at}.${key}`;
    if (now![key] === undefined) walk.report(name, 'The key was removed');
    else {
      compareSchemas(walk, name, side, schema, now![key]);
      if (side === 'response' && required(before, key) && !required(after, key))
        walk.report(name, 'The key may be absent now');
    }
  }
  if (side === 'response') return;
  for (const key of after.required ?? [])
    if (!required(before, key)) walk.report(`${at}.${key}`, 'The key is required now');
}

/** Alternatives are compared in their order; a request may get more of them, an answer fewer. */
function compareVariants(walk: Walk, at: string, side: Side, before: Json, after: Json): void {
  for (const kind of ['oneOf', 'anyOf']) {
    const [old, now]: Json[][] = [before[kind] ?? [], after[kind] ?? []];
    const isMore = now!.length > old!.length;
    if (old!.length !== now!.length && isMore !== (side === 'request'))
      walk.report(at, `The number of alternatives changed from ${old!.length} to ${now!.length}`);
    for (const [index, schema] of old!.entries())
      if (now![index]) compareSchemas(walk, at, side, schema, now![index]);
  }
}

/** A schema without references to itself, with what allOf adds. */
function flatten(document: Json, schema: Json): Json {
  const resolved = resolve(document, schema) ?? {};
  if (!resolved.allOf) return resolved;
  const { allOf, ...own } = resolved;
  const parts: Json[] = [own, ...allOf.map((each: Json) => flatten(document, each))];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

function resolve(document: Json, value: Json): Json {
  let found = value;
  while (found?.$ref !== undefined) {
    const parts: string[] = found.$ref.slice(2).split('/');
    found = parts.reduce(
      (inside: Json, part) => inside?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
  }
  return found;
}
