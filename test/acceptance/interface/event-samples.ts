import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Body, Client } from './client.ts';

const FILE = new URL('../../../packages/events/data/event-samples.json', import.meta.url);
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const STABLE = '019c3f10-0000-7000-8000-';

/** Names and types of values of a body, at every depth; of an array the shape of its first element. */
export function shapeOf(value: Body): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

/** Collects bodies of webhooks, one of each type, and writes those to the file of the samples whose shape is new. */
export function createSampleRecorder() {
  const bodies: Record<string, Body> = {};
  return {
    record(body: Body): void {
      bodies[body.type] = body;
    },
    async write({ baseUrl }: Pick<Client, 'baseUrl'>): Promise<void> {
      const before: Record<string, Body> = JSON.parse(await readFile(FILE, 'utf8'));
      const samples = Object.entries({ ...before, ...bodies }).map(([type, body]) => {
        const known = before[type];
        return [type, known && isDeepStrictEqual(shapeOf(known), shapeOf(body)) ? known : body];
      });
      const text = JSON.stringify(Object.fromEntries(samples), null, 2)
        .replaceAll(baseUrl, 'https://vouchgraph.example')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'hooks.example.com');
      await writeFile(FILE, `${withStableIds(text, projectsOf(bodies, before))}\n`);
    },
  };
}

/** The project of new samples is the one of the earlier samples. */
function projectsOf(bodies: Record<string, Body>, before: Record<string, Body>): Map<string, string> {
  const [body, known] = [Object.values(bodies)[0], Object.values(before)[0]];
  return new Map(body && known ? [[body.project_id, known.project_id]] : []);
}

/** Ids in the order of their appearance, after those of earlier samples, so that a second recording differs little. */
function withStableIds(text: string, known: ReadonlyMap<string, string>): string {
  const numbers = [...text.matchAll(ID)].map(([id]) => (id.startsWith(STABLE) ? Number(id.slice(-12)) : 0));
  const last = Math.max(0, ...numbers);
  const found = new Set([...text.matchAll(ID)].map(([id]) => id));
  const added = [...found].filter((id) => !id.startsWith(STABLE) && !known.has(id));
  const stable = new Map(
    added.map((id, index) => [id, `${STABLE}${String(last + index + 1).padStart(12, '0')}`]),
  );
  return text.replaceAll(ID, (id) => known.get(id) ?? stable.get(id) ?? id);
}
