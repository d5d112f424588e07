import { MEDIA_BYTES } from '@vouchgraph/media';
import { readUpload, type UploadBodies } from '@vouchgraph/pacing';
import { invalidInput } from '@vouchgraph/platform/errors';
import { type HttpAnswer, headerOf, jsonAnswer } from '@vouchgraph/platform/http';
import { notJson } from '@vouchgraph/platform/json';
import { readText } from '@vouchgraph/rest';
import { languageOf, PAGE_FAILURES } from '@vouchgraph/verification';
import type { ConnectionFacts } from '../../domain/sessions/session-service.ts';
import type {
  CaptureService,
  OpenCapture,
  StartedCapture,
} from '../../domain/verification/capture/capture-service.ts';
import type { VerificationService } from '../../domain/verification/verification-service.ts';
import { bearerOf } from '../access.ts';
import { expectBody } from '../body-time.ts';
import type { Exchange } from '../exchange.ts';
import { readJsonBody } from '../json-body.ts';

/*
 * Actions of the page on its session. A link opens a session. Starting it returns a token, which every later request
 * contains.
 */

export type CaptureActionDeps = {
  captures: CaptureService;
  verifications: VerificationService;
  bodies: UploadBodies;
};

type Body = Readonly<Record<string, unknown>>;
type Action = (
  deps: CaptureActionDeps,
  exchange: Exchange,
  id: string,
  body: Body,
  connection: ConnectionFacts,
) => Promise<HttpAnswer>;

/** POST requests below /verify/{session}/. */
const ACTIONS: Readonly<Record<string, Action>> = { open, start, handover, complete, fail };

export async function act(
  deps: CaptureActionDeps,
  exchange: Exchange,
  id: string,
  action: string,
  connection: ConnectionFacts,
): Promise<HttpAnswer> {
  const body = await readBodyOf(exchange);
  return ACTIONS[action]!(deps, exchange, id, body, connection);
}

async function open(
  { captures }: CaptureActionDeps,
  { requestId }: Exchange,
  id: string,
  body: Body,
): Promise<HttpAnswer> {
  const secret = textOf(body.secret);
  const found = await captures.getForPage(id, secret);
  await captures.setRedirect(found, textOf(body.redirect_url));
  await captures.noteOpened(found);
  return statusAnswer(captures, await captures.getForPage(id, secret), requestId);
}

async function start(
  { captures }: CaptureActionDeps,
  { request, requestId }: Exchange,
  id: string,
  body: Body,
  connection: ConnectionFacts,
): Promise<HttpAnswer> {
  const wish = {
    secret: textOf(body.secret),
    captureToken: bearerOf(request),
    consent: body.consent,
    language: languageOf(textOf(body.language)) ?? '',
    redirectUrl: textOf(body.redirect_url),
  };
  return startedAnswer(captures, await captures.start(id, wish, connection), requestId);
}

async function handover(
  { captures, verifications }: CaptureActionDeps,
  { request, requestId }: Exchange,
  id: string,
): Promise<HttpAnswer> {
  const { found, secret } = await captures.handOver(id, bearerOf(request));
  const url = verifications.pageUrl(found.row.session_id, secret);
  return jsonAnswer(200, { request_id: requestId, url });
}

async function complete(
  { captures }: CaptureActionDeps,
  { request, requestId }: Exchange,
  id: string,
  body: Body,
): Promise<HttpAnswer> {
  const found = await captures.held(id, bearerOf(request));
  await captures.submit(found, captureOf(body));
  return jsonAnswer(200, { request_id: requestId, state: 'processing' });
}

async function fail(
  { captures }: CaptureActionDeps,
  { request, requestId }: Exchange,
  id: string,
  body: Body,
): Promise<HttpAnswer> {
  const token = bearerOf(request);
  const found = await captures.held(id, token);
  const reason = PAGE_FAILURES.find((each) => each === body.reason);
  if (!reason) throw invalidInput(`reason: must be one of ${PAGE_FAILURES.join(', ')}`);
  await captures.giveUp(found, reason);
  return statusAnswer(captures, await captures.held(id, token), requestId);
}

/** State of a session, for its token or for the secret of its link. */
export async function status(
  { captures }: CaptureActionDeps,
  { request, query, requestId }: Exchange,
  id: string,
): Promise<HttpAnswer> {
  const token = bearerOf(request);
  const secret = readText(query, 's');
  const found = token === '' ? await captures.get(id, secret) : await captures.held(id, token);
  return statusAnswer(captures, found, requestId);
}

/** Receives one image or clip. */
export async function receive(
  { captures, bodies }: CaptureActionDeps,
  { request, requestId, ip }: Exchange,
  [, id = '', kind, sequence]: RegExpExecArray,
): Promise<HttpAnswer> {
  expectBody(request, MEDIA_BYTES);
  const found = await captures.held(id, bearerOf(request));
  const slot = {
    kind: kind as Parameters<CaptureService['upload']>[1]['kind'],
    sequence: Number(sequence),
  };
  await bodies.track({ sessionId: found.row.session_id, ip }, () =>
    captures.upload(found, slot, headerOf(request, 'content-type'), () => readUpload(request, MEDIA_BYTES)),
  );
  return jsonAnswer(200, { request_id: requestId, success: true });
}

function statusAnswer(captures: CaptureService, found: OpenCapture, requestId: string): HttpAnswer {
  const { state, success, errorMessage, redirectUrl, retake, handover } = captures.statusOf(found);
  return jsonAnswer(200, {
    request_id: requestId,
    state,
    success,
    error_message: errorMessage,
    redirect_url: redirectUrl,
    ...(retake ? { retake } : {}),
    ...(handover ? { handover } : {}),
  });
}

function startedAnswer(captures: CaptureService, started: StartedCapture, requestId: string): HttpAnswer {
  const { project, row } = started;
  const resume = captures.resumeOf(started);
  const { retake } = captures.statusOf(started);
  return jsonAnswer(200, {
    request_id: requestId,
    capture_token: started.captureToken,
    kind: row.kind,
    challenge: row.challenge,
    language: row.language || 'en',
    project_id: project.projectId,
    session_token: started.sessionToken,
    upload: { max_bytes: MEDIA_BYTES },
    resume: {
      face_frames: resume.faceFrames,
      face_clip: resume.faceClip,
      id_front: resume.idFront,
      id_back: resume.idBack,
    },
    ...(retake ? { retake } : {}),
  });
}

async function readBodyOf({ request }: Exchange): Promise<Body> {
  const { value } = await readJsonBody(request, { types: /^application\/json\s*(;|$)/i });
  if (value === undefined) throw notJson();
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput('Body must be a JSON object');
  return value as Body;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Facts recorded by the page, from its body. */
function captureOf({ camera, document_type: documentType, challenge }: Body): unknown {
  if (typeof camera !== 'object' || camera === null) return { documentType, challenge, camera };
  const { label, width, height, frame_rate: frameRate, device_count: deviceCount } = camera as Body;
  return { documentType, challenge, camera: { label, width, height, frameRate, deviceCount } };
}
