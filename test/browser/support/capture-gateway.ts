import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  CAPTURE_SCRIPT_PATH,
  CAPTURE_STYLE_PATH,
  capturePage,
  capturePageHeaders,
} from '../../../clients/capture/page.ts';
import type { Language } from '../../../clients/capture/texts/texts.ts';
import type { Body } from '../../support/gateway.ts';

/** Treatment of a request: a normal response, a 503, or a closed connection. */
export type CaptureTreatment = 'answer' | 'fail' | 'drop';

export type CaptureGatewayOptions = {
  kind?: 'id' | 'face';
  challenge?: readonly string[];
  language?: Language;
  isSimulated?: boolean;
  /** How the check ends; a success by default. */
  outcome?: { success: boolean; error_message: string | null };
  /** Reason for another capture of the document after the first submission. */
  retake?: 'blurred' | 'glare' | 'cut' | 'unreadable';
  treat?: (request: { method: string; path: string }) => CaptureTreatment;
};

/** A service with one session that stores the bodies from the page. */
export type CaptureGateway = {
  /** Link for the person. */
  link: string;
  /** Link for the phone of a handover. */
  phoneLink: string;
  /** Images and video by kind and sequence number. */
  media: Map<string, Buffer>;
  /** Number of uploads of each. */
  arrivals: string[];
  /** Bodies of requests by their action. */
  bodies: { start: Body[]; complete: Body[]; fail: Body[]; facts: Body[] };
  setState(state: 'capturing' | 'processing' | 'expired'): void;
  setTreatment(treat: NonNullable<CaptureGatewayOptions['treat']>): void;
  close(): Promise<void>;
};

type State = {
  token: string | null;
  state: string;
  looks: number;
  outcome: { success: boolean; error_message: string | null };
};

const GENERATED = new URL('../../../clients/capture/generated/', import.meta.url);
const BACK = '<!doctype html><title>Back</title><link rel="icon" href="data:,">Back';
const LOOKS_UNTIL_DONE = 2;

/** Responds like the service, without a database; it closes with the test. */
export async function openCaptureGateway(options: CaptureGatewayOptions = {}): Promise<CaptureGateway> {
  const sessionId = randomUUID();
  const secret = randomBytes(12).toString('base64url');
  const phoneSecret = randomBytes(12).toString('base64url');
  const session: State = {
    token: null,
    state: 'capturing',
    looks: 0,
    outcome: options.outcome ?? { success: true, error_message: null },
  };
  let treat = options.treat ?? ((): CaptureTreatment => 'answer');
  const media = new Map<string, Buffer>();
  const arrivals: string[] = [];
  const bodies: CaptureGateway['bodies'] = { start: [], complete: [], fail: [], facts: [] };
  let url = '';

  const status = () => {
    const isOver = session.state === 'completed' || session.state === 'failed';
    const { success, error_message } = session.outcome;
    return {
      state: session.state,
      success: isOver ? success : null,
      error_message: isOver ? error_message : null,
      redirect_url: isOver
        ? `${url}/back?session_id=${sessionId}&success=${success}${error_message ? `&error_message=${error_message}` : ''}`
        : '',
      ...retakeOf(),
    };
  };
  const retakeOf = () =>
    options.retake && session.state === 'capturing' && bodies.complete.length === 1
      ? { retake: { reason: options.retake, remaining: 1 } }
      : {};
  const start = (body: Body, isBearer: boolean): [number, object] => {
    bodies.start.push(body);
    if (body.secret !== secret && body.secret !== phoneSecret) return [400, failure('session_not_found')];
    if (session.state !== 'capturing') return [400, failure('session_not_valid_for_this_endpoint')];
    if (session.token && !isBearer && body.secret !== phoneSecret)
      return [409, failure('session_already_started')];
    session.token = `token-${randomUUID()}`;
    return [
      200,
      {
        capture_token: session.token,
        kind: options.kind ?? 'face',
        challenge: options.challenge ?? ['left', 'right'],
        language: body.language,
        project_id: randomUUID(),
        session_token: 'session-token',
        upload: { max_bytes: 8_000_000 },
        resume: {
          face_frames: [...media.keys()].filter((name) => name.startsWith('face_frame/')).length,
          face_clip: media.has('face_clip/0'),
          id_front: media.has('id_front/0'),
          id_back: media.has('id_back/0'),
        },
        ...retakeOf(),
      },
    ];
  };
  const look = () => {
    if (session.state === 'processing' || options.isSimulated) session.looks += 1;
    if (options.retake && session.looks === 1 && bodies.complete.length === 1) {
      session.state = 'capturing';
      for (const side of ['id_front/0', 'id_back/0']) media.delete(side);
    }
    if (session.looks > LOOKS_UNTIL_DONE) session.state = session.outcome.success ? 'completed' : 'failed';
    return status();
  };
  const act = async (
    action: string,
    query: URLSearchParams,
    request: IncomingMessage,
  ): Promise<[number, object]> => {
    const isBearer = session.token !== null && request.headers.authorization === `Bearer ${session.token}`;
    const bytes = await bytesOf(request);
    const json = (): Body => JSON.parse(bytes.toString() || '{}');
    if (action === 'start') return start(json(), isBearer);
    if (action === 'open' && json().secret !== secret && json().secret !== phoneSecret)
      return [400, failure('session_not_found')];
    if (action === 'open') return [200, status()];
    const isSecret = !request.headers.authorization && query.get('s') === secret;
    if (action === 'status' && (isBearer || isSecret)) return [200, look()];
    if (!isBearer) return [400, failure('session_not_found')];
    if (action === 'handover') return [200, { url: `${url}/verify/${sessionId}?s=${phoneSecret}` }];
    if (session.state !== 'capturing') return [409, failure('session_not_valid_for_this_endpoint')];
    if (action.startsWith('media/')) {
      media.set(action.slice('media/'.length), bytes);
      arrivals.push(action.slice('media/'.length));
      return [200, { success: true }];
    }
    if (action === 'complete') {
      bodies.complete.push(json());
      session.state = 'processing';
      return [200, { state: 'processing' }];
    }
    if (action === 'fail') {
      bodies.fail.push(json());
      session.state = 'failed';
      session.outcome = { success: false, error_message: json().reason };
      return [200, status()];
    }
    return [404, failure('not_found')];
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const method = request.method ?? 'GET';
    const treatment = treat({ method, path: pathname });
    if (treatment === 'drop') return void request.destroy();
    if (treatment === 'fail') return sendJson(response, 503, failure('unavailable'));
    if (pathname === CAPTURE_SCRIPT_PATH) return sendFile(response, 'capture.js', 'text/javascript');
    if (pathname === CAPTURE_STYLE_PATH) return sendFile(response, 'capture.css', 'text/css');
    if (pathname === '/back') return void response.setHeader('content-type', 'text/html').end(BACK);
    if (pathname === '/livez') return sendJson(response, 200, {});
    const base = `/verify/${sessionId}`;
    if (pathname === base) return sendPage(response, sessionId, options);
    if (pathname === `/session/${sessionId}` && method === 'PATCH') {
      bodies.facts.push(JSON.parse((await bytesOf(request)).toString()));
      return sendJson(response, 200, { session_id: sessionId });
    }
    if (!pathname.startsWith(`${base}/`)) return sendJson(response, 404, failure('not_found'));
    sendJson(response, ...(await act(pathname.slice(base.length + 1), searchParams, request)));
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const gateway: CaptureGateway = {
    link: `${url}/verify/${sessionId}?s=${secret}`,
    phoneLink: `${url}/verify/${sessionId}?s=${phoneSecret}`,
    media,
    arrivals,
    bodies,
    setState(state) {
      session.state = state;
    },
    setTreatment(next) {
      treat = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  onTestFinished(() => gateway.close());
  return gateway;
}

function failure(error: string) {
  return { success: false, error };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function sendFile(response: ServerResponse, file: string, type: string): Promise<void> {
  response.writeHead(200, { 'content-type': type }).end(await readFile(new URL(file, GENERATED)));
}

function sendPage(response: ServerResponse, sessionId: string, options: CaptureGatewayOptions): void {
  const nonce = randomBytes(12).toString('base64url');
  const { language = 'en', isSimulated = false } = options;
  const html = capturePage({ sessionId, nonce, language, baseUrl: '', isSimulated, dueInMs: 3000 });
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...capturePageHeaders(nonce) })
    .end(html);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
