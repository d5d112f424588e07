// cspell:ignore fastcgi uwsgi scgi
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';

/** A reverse proxy without any setting but the addresses, which adds no header about the client. */
type BareProxy = {
  program: string;
  version: string;
  config(port: number, target: number): string;
  arguments(file: string): string[];
};

const LIMITS_IN_SECONDS = 60;

export const BARE_PROXIES: readonly BareProxy[] = [
  {
    program: 'nginx',
    version: '-v',
    config: (port, target) => `
      daemon off; master_process off; pid nginx.pid; error_log stderr;
      events {}
      http {
        access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${target}; } }
      }`,
    arguments: (file) => ['-e', 'stderr', '-p', path.dirname(file), '-c', file],
  },
  {
    program: 'haproxy',
    version: '-v',
    config: (port, target) => `
defaults
  mode http
  timeout connect ${LIMITS_IN_SECONDS}s
  timeout client ${LIMITS_IN_SECONDS}s
  timeout server ${LIMITS_IN_SECONDS}s
listen gateway
  bind 127.0.0.1:${port}
  server only 127.0.0.1:${target}
`,
    arguments: (file) => ['-db', '-f', file],
  },
];

export const isInstalled = ({ program, version }: BareProxy): boolean =>
  spawnSync(program, [version]).error === undefined;

/** Starts the proxy before a gateway; it ends with the test. Returns its address. */
export async function startBareProxy(proxy: BareProxy, gatewayUrl: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-proxy-'));
  const port = await freePort();
  const file = path.join(folder, 'proxy.conf');
  await writeFile(file, proxy.config(port, Number(new URL(gatewayUrl).port)));
  const child = spawn(proxy.program, proxy.arguments(file), { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(child, url);
  return url;
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(log);
    const response = await fetch(`${url}/livez`).catch(() => null);
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
