import { createHmac } from 'node:crypto';
import { invalidInput } from '@vouchgraph/platform/errors';
import { jsonAnswer, methodNotAllowed, sendAnswer } from '@vouchgraph/platform/http';
import type { Exchange } from './exchange.ts';
import { readJsonBody } from './json-body.ts';
import { SANDBOX_BODY } from './sandbox-key.ts';

/** Path at which a gateway proves that it has the sandbox key of its data folder. */
export const SANDBOX_PROOF_PATH = '/sandbox-proof';

export type SandboxProofDeps = {
  /** Address of the gateway, without the end slash. */
  baseUrl: () => string;
  readSandboxKey: (() => Promise<string | null>) | undefined;
};

/**
 * Proof of a gateway at this address that it knows the key. The nonce makes it worthless for other requests; the address
 * prevents another program from passing the nonce on to a gateway that listens elsewhere.
 */
export function sandboxProof(key: string, baseUrl: string, nonce: string): string {
  return createHmac('sha256', key).update(`sandbox-proof\n${baseUrl}\n${nonce}`).digest('base64url');
}

/** Proves to a client with the same key that it reached the gateway of the data folder, before it sends the key. */
export async function answerSandboxProof(
  { baseUrl, readSandboxKey }: SandboxProofDeps,
  { request, response }: Exchange,
): Promise<void> {
  if (request.method !== 'POST') throw methodNotAllowed(['POST', 'OPTIONS']);
  const { value } = await readJsonBody(request, SANDBOX_BODY);
  const nonce = (value as { nonce?: unknown } | null | undefined)?.nonce;
  if (typeof nonce !== 'string' || nonce.length < 32 || nonce.length > 128)
    throw invalidInput('nonce: must be a text of 32 to 128 characters in a JSON object', ['nonce']);
  const key = (await readSandboxKey?.()) ?? null;
  const proof = key === null ? null : sandboxProof(key, baseUrl(), nonce);
  sendAnswer(response, jsonAnswer(200, { proof }));
}
