import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { equalInConstantTime } from '@vouchgraph/platform/crypto';
import { print } from '@vouchgraph/terminal';
import { createApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import { SANDBOX_PROOF_PATH, sandboxProof } from '../../http/sandbox-proof.ts';
import { prepareSandbox, readSandbox, type SandboxFile } from '../serve/first-start.ts';
import { DemoClient } from './demo-client.ts';
import { tour } from './tour.ts';

/*
 * A tour of the product: real requests over HTTP against a real gateway. It uses the gateway that runs on DATA_DIR. Without
 * one it starts a gateway in a temporary folder and removes the folder afterwards.
 */

/** Runs the tour. */
export async function runDemo(config: Config): Promise<void> {
  const gateway = await findGateway(config);
  try {
    await tour(new DemoClient(gateway.sandbox));
    showNextSteps(gateway.sandbox, gateway.isLasting);
  } finally {
    await gateway.close();
  }
}

function showNextSteps(sandbox: SandboxFile, isLasting: boolean): void {
  print('', '3. Next steps', '');
  if (!isLasting) print('  This gateway stops now: npm start starts one that keeps running.');
  const baseUrl = isLasting ? sandbox.base_url : 'http://127.0.0.1:4000';
  print(`  ${baseUrl}/graphql  GraphiQL with queries for operators`);
  print(`  ${baseUrl}/docs     the REST reference`);
}

type FoundGateway = { sandbox: SandboxFile; isLasting: boolean; close(): Promise<void> };

async function findGateway(config: Config): Promise<FoundGateway> {
  const running = await runningSandbox(config.dataDir);
  if (running) return { sandbox: running, isLasting: true, close: async () => {} };
  print('No gateway runs on DATA_DIR: starting one in a temporary folder for the tour.', '');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vouchgraph-demo-'));
  const app = await createApp({
    config: {
      ...config,
      databaseUrl: undefined,
      masterKey: undefined,
      dataDir,
      port: 0,
      host: '127.0.0.1',
      rateLimitPerMinute: 0,
    },
  });
  const close = async () => {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { baseUrl } = app.serve();
    return { sandbox: (await prepareSandbox(dataDir, baseUrl, app.projects))!, isLasting: false, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The sandbox of the folder, if its gateway answers at the address in the file. */
async function runningSandbox(dataDir: string): Promise<SandboxFile | null> {
  const sandbox = await readSandbox(dataDir);
  return sandbox && (await isGatewayOf(sandbox).catch(() => false)) ? sandbox : null;
}

/** Any program can listen on the address of a stopped gateway, so that the key is sent only after a proof. */
async function isGatewayOf({ base_url, api_key }: SandboxFile): Promise<boolean> {
  const nonce = randomBytes(32).toString('base64url');
  const response = await fetch(base_url + SANDBOX_PROOF_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce }),
    redirect: 'error',
    signal: AbortSignal.timeout(5000),
  });
  const { proof } = (await response.json()) as { proof?: unknown };
  return typeof proof === 'string' && equalInConstantTime(proof, sandboxProof(api_key, base_url, nonce));
}
