import type { Clock } from '@vouchgraph/platform/clock';
import { expect } from 'vitest';
import type { KeyRole } from '../../../../src/domain/projects/api-key.ts';
import { type Answer, type Body, type Gateway, send, type TestProject } from '../../../support/gateway.ts';
import { bodyLines } from './body-lines.ts';
import { createPlaceholders } from './placeholders.ts';

/** A request of a row: its path, query, headers and body. */
export type Call = {
  /** Written into the path without encoding. */
  params?: Record<string, string>;
  query?: Record<string, string> | string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Short form of a body that is too long for the recording. */
  shownBody?: string;
};

/** A row of the REST interface with the requests that are recorded of it. */
export type BytesRow = {
  /** Method and path, as the OpenAPI document has them. */
  route: string;
  /** A successful request, which the rejected ones vary. */
  sample(recorder: Recorder): Call | Promise<Call>;
  /**
   * Whether email checks wait until a request was answered, so that its response shows them pending. False by
   * default.
   */
  holdsEmailChecks?: boolean;
  /** Requests of every case, in order. */
  cases(recorder: Recorder): Promise<void>;
};

/** Time of all rows: it moves by a second with every request, so that scores and ages are the same in each run. */
const START = Date.parse('2026-02-02T12:00:00.000Z');
const HOUR = 3_600_000;

export class RowClock implements Clock {
  #now = START;

  now(): Date {
    return new Date(this.#now);
  }

  /** Each row starts at its own hour, also when it is run alone. */
  startRow(index: number): void {
    this.#now = START + index * HOUR;
  }

  tick(): void {
    this.#now += 1000;
  }
}

/**
 * Gateways on one clock: `held` completes email checks on request of the recorder, `limited` allows one request
 * a minute.
 */
export type World = { gateway: Gateway; held: Gateway; limited: Gateway; clock: RowClock };
export type Recorder = Awaited<ReturnType<typeof createRecorder>>;

/** Times of the clock or of the facts of a session; those of the database differ. */
const isOfClock = (value: string) => {
  const time = Date.parse(value);
  return /^\d{4}-\d\d-\d\dT/.test(value) && time >= START - 400 * 24 * HOUR && time < START + 40 * 24 * HOUR;
};
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Records the responses of one row in a separate project. */
export async function createRecorder(world: World, { route, holdsEmailChecks = false }: BytesRow) {
  const { limited, clock } = world;
  const gateway = holdsEmailChecks ? world.held : world.gateway;
  const project = await gateway.project();
  const [method, template] = route.split(' ') as [string, string];
  const placeholders = createPlaceholders(
    [gateway.baseUrl, limited.baseUrl],
    (value) => value.endsWith(NOBODY.slice(8)) || isOfClock(value),
  );
  const entries: string[] = [];

  const pathOf = ({ params = {}, query = {} }: Call): string => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `{${name}}`);
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    return text === '' ? path : `${path}?${text}`;
  };

  /** Sends the request and records request and response under a title. */
  async function ask(title: string, call: Call, by: TestProject | string = project): Promise<Body> {
    clock.tick();
    const path = pathOf(call);
    const key = typeof by === 'string' ? by : by.key;
    const headers = { ...(key === '' ? {} : { 'x-api-key': key }), ...call.headers };
    const answer = await send(gateway.baseUrl + path, method, call.body, headers);
    record(title, call, path, answer);
    // Work that a response started completes before the next request.
    if (path.startsWith('/email')) await gateway.app.settleEmailChecks(project.projectId);
    return answer.body;
  }

  function record(title: string, call: Call, path: string, answer: Answer): void {
    const { status, headers, text } = answer;
    const sent = call.shownBody ?? (typeof call.body === 'string' ? call.body : JSON.stringify(call.body));
    const own = Object.entries(call.headers ?? {}).map(([name, value]) => `${name}: ${value}\n`);
    const allow = headers.get('allow');
    // Results of emails repeat the id of the request that created the check.
    if (status === 200 && !path.startsWith('/email') && answer.body?.request_id !== undefined)
      expect(answer.body.request_id).toBe(headers.get('x-request-id'));
    entries.push(
      placeholders(
        `=== ${title}\n${method} ${path}\n${own.join('')}${sent === undefined ? '' : `${sent}\n`}` +
          `--- ${status} ${headers.get('content-type')}${allow === null ? '' : `, allow: ${allow}`}\n${text}`,
      ).replace(/(?<=\n---[^\n]*\n)[\s\S]*$/, bodyLines),
    );
  }

  return {
    ...{ gateway, clock, project, method, template, ask },
    /** The same with a gateway whose keys may send one request a minute, after that one was sent. */
    async askTooOften(title: string, call: Call): Promise<void> {
      const { key } = await limited.project();
      await send(`${limited.baseUrl}/list`, 'GET', undefined, { 'x-api-key': key });
      const path = pathOf(call);
      const answer = await send(limited.baseUrl + path, method, call.body, {
        'x-api-key': key,
        ...call.headers,
      });
      record(title, call, path, answer);
    },
    /** Another key of the project. */
    async keyOf(role: KeyRole): Promise<string> {
      return (await gateway.app.projects.createKey(project.projectId, role)).key;
    },
    /** A preparing request; returns its body. */
    async given(verb: string, path: string, body?: unknown): Promise<Body> {
      clock.tick();
      const answer = await project.rest(verb, path, body);
      if (answer.status !== 200) throw new Error(`${verb} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    text: () => `${entries.join('\n\n')}\n`,
  };
}
