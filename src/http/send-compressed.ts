import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeContent, negotiateEncoding } from '@vouchgraph/platform/content-encoding';
import { type HttpAnswer, headerOf, sendAnswer } from '@vouchgraph/platform/http';

/** Shorter bodies fit one packet with their headers: compression would cost time and save nothing. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * Secrets in a body: tokens, secrets of webhooks, signed addresses, links of verifications. Compressed beside text that
 * an attacker chooses, a secret shows in the length of the answer (BREACH). No cookie authenticates a request, so that
 * a foreign page cannot cause such answers; they are sent plain nonetheless.
 */
const SECRETS = /whsec_|vg[bsv]_|vg_(?:test|live)_|[?&](?:signature|s)=/;

/** Sends a JSON answer, compressed as its client accepts it when it is longer than 1 KB. */
export async function sendCompressed(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpAnswer,
): Promise<void> {
  const { body } = answer;
  if (typeof body !== 'string' || !isLong(body) || !isJson(answer.contentType))
    return sendAnswer(response, answer);
  addVary(response, 'accept-encoding');
  const encoding = negotiateEncoding(headerOf(request, 'accept-encoding'));
  if (encoding === null || response.hasHeader('set-cookie') || SECRETS.test(body))
    return sendAnswer(response, answer);
  const compressed = await encodeContent(body, encoding, 'fast');
  if (response.destroyed) return;
  response.setHeader('content-encoding', encoding);
  sendAnswer(response, { ...answer, body: compressed });
}

function isLong(body: string): boolean {
  return body.length > MIN_COMPRESSED_BYTES || Buffer.byteLength(body) > MIN_COMPRESSED_BYTES;
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

/** Adds a name to the Vary header, which may name others. */
function addVary(response: ServerResponse, name: string): void {
  const present = response.getHeader('vary');
  response.setHeader('vary', present === undefined ? name : `${present}, ${name}`);
}
