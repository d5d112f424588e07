import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OperatorError } from '@vouchgraph/platform/errors';
import { objectOf, redirected, unreachable } from './remote-http.ts';
import { failureOf } from './rest-failure.ts';

export type UploadSource = {
  open(): Readable;
  readonly size: number;
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
};

/**
 * Sends a file of any size, and returns the JSON of the response. Not with fetch: it limits the time of the upload, and
 * loses a response that is sent before the end of the file.
 */
export async function uploadFile(
  address: string,
  headers: Record<string, string>,
  source: UploadSource,
): Promise<Record<string, unknown>> {
  const response = await respond(address, headers, source).catch((error: unknown) => {
    source.signal.throwIfAborted();
    if (error instanceof OperatorError) throw error;
    throw unreachable(address, error);
  });
  const status = response.statusCode!;
  if (status >= 300 && status < 400) throw redirected(address, status);
  const answer = await text(response).catch((error: unknown) => {
    throw unreachable(address, error);
  });
  if (status !== 200) throw failureOf(address, status, answer);
  return objectOf(address, status, answer);
}

function respond(
  address: string,
  headers: Record<string, string>,
  { open, size, signal, onProgress }: UploadSource,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (address.startsWith('https:') ? requestHttps : requestHttp)(address, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/octet-stream',
        // The size of a pipe is unknown.
        ...(size > 0 ? { 'content-length': size } : {}),
      },
      signal,
    });
    const file = open();
    let bytes = 0;
    file.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      onProgress(bytes);
    });
    file.once('error', ({ code }: NodeJS.ErrnoException) =>
      request.destroy(new OperatorError(`The file cannot be read (${code})`)),
    );
    request.once('error', reject);
    // A response before the end of the file rejects it.
    request.once('response', (response) => {
      file.unpipe(request);
      file.destroy();
      resolve(response);
      response.once('end', () => request.destroy());
    });
    file.pipe(request);
  });
}
