import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type S3Server = {
  endpoint: string;
  /** Content of the bucket, by key. */
  files: Map<string, { bytes: Buffer; modifiedAt: Date }>;
  /** Method and key of every request so far. */
  requests: string[];
  /** While true, every request is answered with 403. */
  isLocked: boolean;
  close(): Promise<void>;
};

const PAGE = 3;

/**
 * The part of S3 that a gateway uses, with the bucket in the path: PUT, GET with ranges, HEAD, DELETE and lists
 * of three.
 */
export async function startS3Server(bucket: string, accessKeyId: string): Promise<S3Server> {
  const state: Omit<S3Server, 'endpoint' | 'close'> = { files: new Map(), requests: [], isLocked: false };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://s3');
    const [, first, ...rest] = decodeURIComponent(url.pathname).split('/');
    const key = rest.join('/');
    state.requests.push(`${request.method} ${key}`);
    const isSigned = request.headers.authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${accessKeyId}/`);
    if (!isSigned || first !== bucket || state.isLocked) return refuse(response, 403, 'AccessDenied');
    if (request.method === 'PUT') {
      state.files.set(key, { bytes: Buffer.concat(await request.toArray()), modifiedAt: new Date() });
      return response.writeHead(200, { etag: '"new"' }).end();
    }
    if (request.method === 'DELETE') {
      state.files.delete(key);
      return response.writeHead(204).end();
    }
    if (url.searchParams.get('list-type') === '2') return list(state.files, url.searchParams, response);
    const file = state.files.get(key);
    if (!file) return refuse(response, 404, 'NoSuchKey');
    send(request, response, file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function send(request: IncomingMessage, response: ServerResponse, bytes: Buffer): unknown {
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  const { 'if-match': match, range } = request.headers;
  if (match !== undefined && match !== etag) return refuse(response, 412, 'PreconditionFailed');
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(bytes.length, Number(to ?? bytes.length - 1) + 1);
  if (start >= bytes.length) return refuse(response, 416, 'InvalidRange');
  const part = range ? { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` } : {};
  response.writeHead(range ? 206 : 200, { etag, 'content-length': end - start, ...part });
  return response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end));
}

function list(files: S3Server['files'], query: URLSearchParams, response: ServerResponse): unknown {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...files.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, PAGE);
  const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => {
    const { bytes, modifiedAt } = files.get(key)!;
    return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${modifiedAt.toISOString()}</LastModified></Contents>`;
  });
  response.writeHead(200, { 'content-type': 'application/xml' });
  return response.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

function refuse(response: ServerResponse, status: number, code: string): unknown {
  response.writeHead(status, { 'content-type': 'application/xml' });
  return response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
