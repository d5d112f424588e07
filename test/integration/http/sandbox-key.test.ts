import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Writable } from 'node:stream';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Gateway,
  type GatewayOptions,
  startGateway,
  TestClock,
  type TestProject,
} from '../../support/gateway.ts';

/*
 * Who receives the key of the sandbox project. Each test has gateways of its own, because a secret works once.
 */

let first: Gateway;
let project: TestProject;
let offered: string | null;
const masterKey = generateMasterKey();

beforeAll(async () => {
  first = await startGateway({ masterKey });
  project = await first.project();
});
afterAll(() => first.close());
beforeEach(() => {
  offered = project.key;
});

/** Another gateway on the same database, as started in a terminal. */
async function withGateway(work: (gateway: Gateway) => Promise<void>, options: GatewayOptions = {}) {
  const gateway = await startGateway({
    masterKey,
    database: first.database,
    readSandboxKey: async () => offered,
    showsSandboxLink: true,
    ...options,
  });
  await work(gateway).finally(() => gateway.close());
}

const portOf = ({ app }: Gateway) => (app.parts.start.bound.server.address() as AddressInfo).port;
const granted = () => ({ sandbox: { key: project.key, projectId: project.projectId } });
const REFUSED = { sandbox: null };

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
type Posted = { status: number; headers: Record<string, string | string[] | undefined>; body: any };

/** A POST with any headers, also those that fetch sets itself. */
function post(port: number, body: unknown, headers: Record<string, string> = {}, path = '/sandbox-key') {
  const { promise, resolve, reject } = Promise.withResolvers<Posted>();
  const sent = request(
    {
      host: '127.0.0.1',
      port,
      method: 'POST',
      path,
      headers: {
        host: `localhost:${port}`,
        origin: `http://localhost:${port}`,
        'content-type': 'application/json',
        ...headers,
      },
    },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) }),
      );
    },
  );
  sent.on('error', reject).end(typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}

/** A TCP forward, as of `ssh -L` or of a proxy that adds no headers. */
async function openForward(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    outgoing.on('error', () => incoming.destroy()).pipe(incoming);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('the key of the sandbox', () => {
  it.each(['/sandbox-key', '/graphiql/key'])(
    'is not available without the secret, however local the request seems: %s',
    (path) =>
      withGateway(async (gateway) => {
        const port = portOf(gateway);
        const forward = await openForward(port);
        const guesses: unknown[] = [
          '',
          '{}',
          'null',
          '[]',
          { secret: '' },
          { secret: null },
          { secret: 'guess' },
        ];
        for (const target of [port, forward.port])
          for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
            for (const guess of guesses) {
              const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
              const { body } = await post(target, guess, headers, path);
              expect(JSON.stringify(body)).not.toContain('vg_test_');
            }
        forward.server.close();
        // Guesses do not use up the secret.
        const secret = await gateway.app.sandboxSecret();
        expect((await post(port, { secret })).body).toEqual(granted());
      }),
  );

  it('is available once with the secret, and not readable by pages of another origin', () =>
    withGateway(async (gateway) => {
      const secret = await gateway.app.sandboxSecret();
      expect(secret).toMatch(/^[\w-]{43}$/);
      const { status, headers, body } = await post(portOf(gateway), { secret });
      expect([status, body]).toEqual([200, granted()]);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect((await post(portOf(gateway), { secret })).body).toEqual(REFUSED);
      expect(await gateway.app.sandboxSecret()).toBeNull();
    }));

  it('is given to exactly one of many requests with the secret at the same time', () =>
    withGateway(async (gateway) => {
      const secret = await gateway.app.sandboxSecret();
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(portOf(gateway), { secret })));
      const bodies = answers.map(({ body }) => body);
      expect(bodies.filter(({ sandbox }) => sandbox !== null)).toEqual([granted()]);
      expect(bodies.filter(({ sandbox }) => sandbox === null)).toHaveLength(19);
    }));

  it('is available for fifteen minutes after the start', async () => {
    for (const [minutes, answer] of [
      [14.9, granted()],
      [15, REFUSED],
    ] as const) {
      const clock = new TestClock();
      await withGateway(
        async (gateway) => {
          const secret = await gateway.app.sandboxSecret();
          clock.advance(minutes * 60_000);
          expect((await post(portOf(gateway), { secret })).body).toEqual(answer);
          expect(await gateway.app.sandboxSecret()).toBeNull();
        },
        { clock },
      );
    }
  });

  it('is not available with the secret of another gateway', () =>
    withGateway((gateway) =>
      withGateway(async (other) => {
        const secret = await other.app.sandboxSecret();
        expect((await post(portOf(gateway), { secret })).body).toEqual(REFUSED);
      }),
    ));

  it.each<[string, GatewayOptions]>([
    ['listens on all addresses', { settings: { HOST: '0.0.0.0' } }],
    ['trusts a proxy', { settings: { TRUSTED_PROXIES: '127.0.0.1' } }],
    ['has a public address', { settings: { PUBLIC_URL: 'https://id.example.com' } }],
    ['has a public address on loopback', { settings: { PUBLIC_URL: 'http://localhost:4000' } }],
    ['has no terminal', { showsSandboxLink: false }],
    ['has no file', { readSandboxKey: undefined }],
  ])('has no secret on a gateway that %s', (_what, options) =>
    withGateway(async (gateway) => {
      expect(await gateway.app.sandboxSecret()).toBeNull();
      for (const secret of ['', 'null', 'undefined'])
        expect((await post(portOf(gateway), { secret })).body).toEqual(REFUSED);
    }, options),
  );

  it.each(['a revoked key', 'a key that does not exist', 'no file'])('is not available: %s', (what) =>
    withGateway(async (gateway) => {
      const secret = await gateway.app.sandboxSecret();
      const revoked = await first.project();
      await first.app.projects.revokeKey(revoked.projectId, revoked.keyId);
      offered = what === 'a revoked key' ? revoked.key : what === 'no file' ? null : 'no key';
      expect(await gateway.app.sandboxSecret()).toBeNull();
      expect((await post(portOf(gateway), { secret })).body).toEqual(REFUSED);
    }),
  );

  it('rejects other methods, other types and large bodies', () =>
    withGateway(async (gateway) => {
      const port = portOf(gateway);
      expect((await fetch(`${gateway.baseUrl}/sandbox-key`)).status).toBe(405);
      expect((await post(port, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
      expect((await post(port, { secret: 'x'.repeat(2000) })).status).toBe(413);
      for (const body of ['', '{"secret":', 'null', '[]', '{}', '{"secret":1}'])
        expect((await post(port, body)).status, body).toBe(400);
    }));

  it('is not logged, nor is the secret', async () => {
    let logged = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    await withGateway(
      async (gateway) => {
        const secret = (await gateway.app.sandboxSecret())!;
        expect((await post(portOf(gateway), { secret })).body).toEqual(granted());
        await post(portOf(gateway), { secret }, {}, `/sandbox-key?secret=${secret}`);
        await expect.poll(() => logged.match(/"request"/g)?.length ?? 0).toBe(2);
        expect(logged).not.toContain(secret);
        expect(logged).not.toContain(project.key);
      },
      { log: pino({ level: 'trace' }, sink) },
    );
  });

  it('is not available once a production project exists, also when it was created after the start', async () => {
    await withGateway(async (gateway) => {
      const secret = await gateway.app.sandboxSecret();
      expect(secret).not.toBeNull();
      await first.project({ environment: 'production' });
      expect((await post(portOf(gateway), { secret })).body).toEqual(REFUSED);
    });
    await withGateway(async (gateway) => expect(await gateway.app.sandboxSecret()).toBeNull());
  });
});

describe('the proof of a gateway that it has the key', () => {
  const prove = (gateway: Gateway, nonce: unknown) => post(portOf(gateway), { nonce }, {}, '/sandbox-proof');

  it('depends on the key, the nonce and the address, and discloses none of them', async () => {
    const proofs = new Set<string>();
    const collect = async (gateway: Gateway, nonce: string) => {
      const { status, body } = await prove(gateway, nonce);
      expect([status, body]).toEqual([200, { proof: expect.stringMatching(/^[\w-]{43}$/) }]);
      proofs.add(body.proof);
    };
    const other = await first.project();
    await withGateway(async (gateway) => {
      await collect(gateway, 'a'.repeat(32));
      await collect(gateway, 'a'.repeat(32));
      await collect(gateway, 'b'.repeat(32));
      offered = other.key;
      await collect(gateway, 'a'.repeat(32));
    });
    offered = project.key;
    await withGateway((gateway) => collect(gateway, 'a'.repeat(32)));
    expect(proofs.size).toBe(4);
  });

  it('needs no terminal, and does not exist without a file', async () => {
    await withGateway(
      async (gateway) =>
        expect((await prove(gateway, 'a'.repeat(32))).body.proof).toEqual(expect.any(String)),
      { showsSandboxLink: false, settings: { PUBLIC_URL: 'https://id.example.com' } },
    );
    await withGateway(
      async (gateway) => expect((await prove(gateway, 'a'.repeat(32))).body).toEqual({ proof: null }),
      { readSandboxKey: undefined },
    );
    offered = null;
    await withGateway(async (gateway) =>
      expect((await prove(gateway, 'a'.repeat(32))).body).toEqual({ proof: null }),
    );
  });

  it('rejects a nonce that is short, long or no text', () =>
    withGateway(async (gateway) => {
      for (const nonce of [undefined, null, 7, '', 'a'.repeat(31), 'a'.repeat(129), ['a'.repeat(32)]])
        expect((await prove(gateway, nonce)).body).toMatchObject({
          statusCode: 400,
          message: 'nonce: must be a text of 32 to 128 characters in a JSON object',
        });
    }));
});
