import type { Step, StepFrames } from './challenge-plan.ts';
import type { Config } from './config.ts';
import type { DocumentType, Kind, MediaName, OnServer } from './progress.ts';
import type { Sent } from './upload-queue.ts';

/*
 * Client of /verify/{session_id}. Nothing here throws: errors are returned.
 */

export type Answer<Body> =
  | { ok: true; body: Body }
  /** `isFinal`: a retry of the same request would have the same answer. */
  | { ok: false; error: string; status: number; isFinal: boolean };

export type Started = {
  capture_token: string;
  kind: Kind;
  challenge: Step[];
  language: string;
  project_id: string;
  session_token: string;
  upload: { max_bytes: number };
  resume: OnServer;
  /** Present during a retake of the document. */
  retake?: Retake;
};

export type Status = {
  state: 'created' | 'opened' | 'capturing' | 'processing' | 'completed' | 'failed' | 'expired';
  success: boolean | null;
  error_message: string | null;
  /** Redirect URL; '' without one. */
  redirect_url: string;
  /** Present during a retake of the document. */
  retake?: Retake;
  /** Use of the handover to a phone; absent without one. */
  handover?: Handover;
};

export type Handover = 'offered' | 'expired' | 'used';

/** Reason of a retake, and the number of retakes left after it. */
export type Retake = { reason: RetakeReason; remaining: number };
export type RetakeReason = 'blurred' | 'glare' | 'cut' | 'unreadable';

/** Whether the state of a check is final. */
export function isOver({ state }: Status): boolean {
  return state === 'completed' || state === 'failed' || state === 'expired';
}

export type Consent = { text_version: string; given_at: string };

export type FailReason =
  | 'failed_to_get_camera_permission'
  | 'failed_to_complete_face_scan'
  | 'failed_to_process_id_scan'
  | 'failed_to_collect_device_data';

export type CameraInfo = {
  label: string;
  width: number;
  height: number;
  frame_rate: number;
  device_count: number;
};

export type Completion = {
  document_type: DocumentType | null;
  challenge: readonly StepFrames[];
  camera: CameraInfo | null;
};

export type Api = {
  /** Reports that the page runs in a browser. Link previews do not run its script. */
  open(): Promise<Answer<Status>>;
  start(consent: Consent, language: string): Promise<Answer<Started>>;
  handOver(): Promise<Answer<{ url: string }>>;
  upload(name: MediaName, bytes: Blob, onProgress: (sentBytes: number) => void): Promise<Sent>;
  complete(completion: Completion): Promise<Answer<{ state: string }>>;
  /** Authenticated by the token or by the link's secret: after a handover the phone has the token. */
  status(): Promise<Answer<Status>>;
  fail(reason: FailReason): Promise<Answer<Status>>;
  /** Sets the token of further requests; null for none. */
  useToken(token: string | null): void;
  /** Time by the service's clock if known: clocks of devices may be hours wrong, and may be set during the visit. */
  now(): Date;
};

const MAX_WAIT_MS = 20_000;
const MAX_UPLOAD_MS = 120_000;

export function createApi({ basePath, sessionId, secret, redirectUrl }: Config): Api {
  const base = `${basePath}/verify/${encodeURIComponent(sessionId)}`;
  let token: string | null = null;
  /** Of the last response: the time by the service's clock, and by the page's, which nobody sets. */
  let served: { dateMs: number; atMs: number } | null = null;
  const authorization = (): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {});

  function noteTime(response: Response): void {
    const dateMs = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(dateMs)) served = { dateMs, atMs: performance.now() };
  }

  async function ask<Body>(
    method: string,
    path: string,
    body?: object,
    headers = authorization(),
  ): Promise<Answer<Body>> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), MAX_WAIT_MS);
    try {
      const response = await fetch(base + path, {
        method,
        cache: 'no-store',
        credentials: 'same-origin',
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
        signal: abort.signal,
      });
      noteTime(response);
      const received = (await response.json()) as Body & { error?: unknown };
      if (response.ok) return { ok: true, body: received };
      const { status } = response;
      return {
        ok: false,
        error: String(received.error ?? 'refused'),
        status,
        isFinal: isFinalStatus(status),
      };
    } catch {
      return { ok: false, error: 'offline', status: 0, isFinal: false };
    } finally {
      clearTimeout(timer);
    }
  }

  async function status(): Promise<Answer<Status>> {
    const answer = token ? await ask<Status>('GET', '/status') : null;
    if (answer?.ok || (answer && !answer.isFinal)) return answer;
    token = null;
    return ask('GET', `/status?s=${encodeURIComponent(secret)}`, undefined, {});
  }

  return {
    open: () => ask('POST', '/open', { secret, redirect_url: redirectUrl }),
    start: (consent, language) =>
      ask('POST', '/start', { secret, consent, language, redirect_url: redirectUrl }),
    handOver: () => ask('POST', '/handover', {}),
    upload: (name, bytes, onProgress) => put(`${base}/media/${name}`, bytes, authorization(), onProgress),
    complete: (completion) => ask('POST', '/complete', completion),
    status,
    fail: (reason) => ask('POST', '/fail', { reason }),
    useToken(next) {
      token = next;
    },
    now: () => (served ? new Date(served.dateMs + performance.now() - served.atMs) : new Date()),
  };
}

/** Uses XMLHttpRequest because only it reports upload progress. */
function put(
  url: string,
  bytes: Blob,
  headers: Readonly<Record<string, string>>,
  onProgress: (sentBytes: number) => void,
): Promise<Sent> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.timeout = MAX_UPLOAD_MS;
    request.setRequestHeader('content-type', bytes.type.split(';')[0] || 'application/octet-stream');
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(outcomeOf(request.status, request.responseText));
    request.onerror = () => resolve('again');
    request.ontimeout = () => resolve('again');
    request.onabort = () => resolve('again');
    request.send(bytes);
  });
}

function outcomeOf(status: number, text: string): Sent {
  if (status >= 200 && status < 300) return 'sent';
  return isFinalStatus(status) ? { refused: errorIn(text) } : 'again';
}

function errorIn(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? 'refused');
  } catch {
    return 'refused';
  }
}

function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}
