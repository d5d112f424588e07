import { createLogger } from '@vouchgraph/platform/logger';
import { createYoga } from 'graphql-yoga';
import type { GraphQLContext } from '../src/graphql/kernel/context.ts';
import { schema } from '../src/graphql/schema.ts';
import { runDocument } from '../src/http/graphql/execute.ts';
import { answerByYoga } from '../src/http/graphql/graphql-over-http.ts';
import { Operation } from '../src/http/graphql/operation.ts';
import { createProfiles } from '../src/http/graphql/profiles.ts';
import { readOptions } from './support/options.ts';
import { printTable } from './support/report.ts';
import { shuffle, spreadOf } from './support/statistics.ts';

/*
 * Processor time of GraphQL over HTTP without sockets and database, in one process:
 *
 *   limit    the remembered document, executed by graphql-js, and JSON.stringify
 *   gateway  the same through Yoga, as the gateway answers every request
 *   default  Yoga with its own settings, caches, handler, and the Request and Response of Node.js
 */
const DOCUMENTS = {
  small: '{ __typename }',
  large:
    '{ __type(name: "Account") { fields { name description type { name kind } args { name description } } } }',
};

const options = readOptions();
const log = createLogger('silent');
const { open } = createProfiles(log);
const stock = createYoga({ schema, logging: false, graphiql: false });
const headers = { 'content-type': 'application/json', accept: 'application/json' };
const request = { method: 'POST', headers } as unknown as Parameters<typeof answerByYoga>[1]['request'];
const context = {
  viewer: { project: { environment: 'sandbox', settings: {} } },
  requestId: '',
} as unknown as GraphQLContext;

const rows = [];
for (const [name, query] of Object.entries(DOCUMENTS)) rows.push(...(await compare(name, query)));
printTable(['document', 'way', 'µs', 'µs over the limit', 'limit / way', 'min..max'], rows);

async function compare(name: string, query: string): Promise<string[][]> {
  const parameters = { query, operationName: undefined, variables: undefined };
  const text = JSON.stringify({ query });
  const operation = () => new Operation(open, parameters, context);
  const ways: Record<string, () => Promise<string>> = {
    async limit() {
      const checked = operation().check();
      if ('errors' in checked) throw checked.errors[0];
      return JSON.stringify(await runDocument(checked.document, undefined, undefined, context, log));
    },
    gateway: async () =>
      (await answerByYoga(open.yoga, { request, parameters, operation: operation(), text }, log)).body,
    async default() {
      const sent = new Request('http://gateway/graphql', { method: 'POST', headers, body: text });
      return (await stock.fetch(sent)).text();
    },
  };
  const costs: Record<string, number[]> = { limit: [], gateway: [], default: [] };
  const expected = await ways.limit!();
  for (let round = -1; round < options.rounds; round += 1) {
    for (const [way, answer] of shuffle(Object.entries(ways))) {
      const cost = await measure(answer, expected);
      // Code is compiled in the first round.
      if (round >= 0) costs[way]!.push(cost);
    }
  }
  const limit = costs.limit!;
  return Object.entries(costs).map(([way, all]) => {
    const ratio = spreadOf(all.map((cost, round) => limit[round]! / cost));
    const over = spreadOf(all.map((cost, round) => cost - limit[round]!)).median;
    const range = `${ratio.min.toFixed(3)}..${ratio.max.toFixed(3)}`;
    return [name, way, spreadOf(all).median.toFixed(1), over.toFixed(1), ratio.median.toFixed(3), range];
  });
}

/** Microseconds of processor time per answer. */
async function measure(answer: () => Promise<string>, expected: string): Promise<number> {
  const end = performance.now() + options.seconds * 1000;
  const before = process.cpuUsage();
  let count = 0;
  for (; performance.now() < end; count += 1) {
    if ((await answer()) !== expected) throw new Error('the responses differ');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
