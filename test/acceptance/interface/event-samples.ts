import { writeFile } from 'node:fs/promises';
import type { Body, Client } from './client.ts';

const FILE = new URL('../../../src/domain/events/samples/event-samples.json', import.meta.url);

/** Names and types of values of a body, at every depth; of an array the shape of its first element. */
export function shapeOf(value: Body): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

/** Collects bodies of webhooks, one of each type, and writes them to the file of the samples. */
export function createSampleRecorder() {
  const bodies: Record<string, Body> = {};
  return {
    record(body: Body): void {
      bodies[body.type] = body;
    },
    write({ baseUrl }: Pick<Client, 'baseUrl'>): Promise<void> {
      const text = JSON.stringify(bodies, null, 2)
        .replaceAll(baseUrl, 'https://vouchgraph.example')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'hooks.example.com');
      return writeFile(FILE, `${withStableIds(text)}\n`);
    },
  };
}

/** Ids in the order of their appearance, so that a second recording differs little. */
function withStableIds(text: string): string {
  const ids = new Map<string, string>();
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    const stable = ids.get(id) ?? `019c3f10-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, stable);
    return stable;
  });
}
