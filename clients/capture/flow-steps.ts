import { type Consent, type FailReason, type Handover, isOver, type Started, type Status } from './api.ts';
import { planScan } from './challenge-plan.ts';
import { closeCamera, type FlowState, forget, save, show, showTrouble } from './flow-state.ts';
import { requestWithRetry } from './patience.ts';
import { neededMedia, nextStep } from './progress.ts';

/* Steps of the check that send requests, and the screens that follow. */

/** Delay of the first poll after a simulated result is due. An idle gateway stores the result sooner. */
const SIMULATED_LOOK_MS = 60;
/** Time to read the result before the redirect. */
const RESULT_MS = 3000;

export async function start(state: FlowState, given: Consent): Promise<void> {
  const { api, wait } = state.deps;
  show(state, { screen: 'loading' });
  const answer = await requestWithRetry(wait, () => api.start(given, state.language));
  if (answer.ok) return resume(state, given, answer.body);
  // A check that ended while the page was closed has a result to show.
  if (state.token !== '' && answer.isFinal && (await showsEnd(state))) return;
  if (state.token !== '' && answer.status === 401) {
    forget(state);
    show(state, { screen: 'consent' });
    return;
  }
  showTrouble(state, answer.error, () => void start(state, given));
}

async function resume(state: FlowState, given: Consent, body: Started): Promise<void> {
  state.consent = given;
  state.token = body.capture_token;
  state.handoverUrl = null;
  state.deps.api.useToken(state.token);
  state.kind = body.kind;
  state.plan = planScan(body.challenge);
  state.maxUploadBytes = body.upload.max_bytes;
  state.retakeReason = body.retake?.reason ?? null;
  save(state, false);
  state.facts?.stop();
  state.facts = state.deps.startFacts({ sessionToken: body.session_token });
  await state.shelf.resume(neededMedia(state.kind, state.choices), body.resume);
  goNext(state);
}

export function goNext(state: FlowState): void {
  const next = nextStep(state.kind, state.choices, state.shelf.has);
  if (next === 'face') show(state, state.camera ? { screen: 'face' } : { screen: 'camera', problem: null });
  else if (next === 'document-type') show(state, { screen: 'document-type' });
  else if (next === 'sending') void finish(state);
  else show(state, { screen: 'document', side: next });
}

async function finish(state: FlowState): Promise<void> {
  const { api, wait } = state.deps;
  show(state, { screen: 'sending' });
  const refusal = await state.shelf.queue.drained();
  if (refusal !== null) return ended(state, refusal);
  if (!(await state.facts?.finish())) return failWith(state, 'failed_to_collect_device_data');
  const answer = await requestWithRetry(wait, () => {
    const { kind, choices, cameraInfo: camera } = state;
    const document_type = kind === 'id' ? choices.documentType : null;
    return api.complete({ document_type, challenge: choices.scan ?? [], camera });
  });
  if (!answer.ok && answer.isFinal) return ended(state, answer.error);
  if (!answer.ok) return showTrouble(state, 'offline', () => void finish(state));
  save(state, true);
  await waitForEnd(state, 'waiting');
}

/** The service accepts no more requests: the check has ended or was rejected. */
async function ended(state: FlowState, error: string): Promise<void> {
  if (!(await showsEnd(state))) showTrouble(state, error, () => location.reload());
}

/** Shows the result of the check or that it is processing; false in any other state. */
async function showsEnd(state: FlowState): Promise<boolean> {
  const { api, wait } = state.deps;
  const status = await requestWithRetry(wait, api.status);
  if (!status.ok) return false;
  if (isOver(status.body)) finished(state, status.body);
  else if (status.body.state === 'processing' || status.body.retake) void waitForEnd(state, 'waiting');
  else return false;
  return true;
}

export async function waitForEnd(
  state: FlowState,
  screen: 'waiting' | 'handover',
  firstMs?: number,
): Promise<void> {
  if (screen === 'waiting') show(state, { screen });
  const over = await state.watch.untilOver((stage, { retake, handover = 'offered' }) => {
    if (screen === 'waiting' && retake) return void takeDocumentAgain(state);
    if (screen === 'handover') showPhone(state, stage, handover);
  }, firstMs);
  if (over && 'refused' in over) showTrouble(state, over.refused, null);
  else if (over) finished(state, over);
}

/** Shows the progress of the phone, which also captures a document again. */
function showPhone(state: FlowState, stage: Status['state'], handover: Handover): void {
  const { view, handoverUrl } = state;
  state.handover = handover;
  save(state, false);
  const isShown = view.screen === 'handover' && view.handover === handover;
  if (stage === 'processing') {
    if (view.screen === 'handover') show(state, { screen: 'waiting' });
  } else if (!isShown && (view.screen === 'handover' || view.screen === 'waiting') && handoverUrl) {
    show(state, { screen: 'handover', url: handoverUrl, handover });
  }
}

/** The service has dropped the images of the document, so the page discards its state of them. */
async function takeDocumentAgain(state: FlowState): Promise<void> {
  state.watch.end();
  state.shelf.disown('document');
  if (state.consent) await start(state, state.consent);
}

function finished(state: FlowState, status: Status): void {
  const { wait, leave } = state.deps;
  state.watch.end();
  forget(state);
  show(state, { screen: 'result', status });
  if (status.redirect_url) void wait(RESULT_MS).then(() => leave(status.redirect_url));
}

export async function failWith(state: FlowState, reason: FailReason): Promise<void> {
  const { api, wait } = state.deps;
  state.watch.end();
  show(state, { screen: 'loading' });
  closeCamera(state);
  const answer = await requestWithRetry(wait, () => api.fail(reason));
  if (answer.ok) finished(state, answer.body);
  else showTrouble(state, answer.error, () => void failWith(state, reason));
}

export async function simulate(state: FlowState): Promise<void> {
  const { config, wait, sinceResponseMs, leave } = state.deps;
  show(state, { screen: 'simulated' });
  await wait(Math.max(0, config.dueInMs - sinceResponseMs()));
  const over = await state.watch.untilOver(() => {}, SIMULATED_LOOK_MS);
  if (!over) return;
  if ('refused' in over) showTrouble(state, over.refused, null);
  else if (over.redirect_url) leave(over.redirect_url);
  else show(state, { screen: 'result', status: over });
}

export async function handOver(state: FlowState): Promise<void> {
  const { api, wait } = state.deps;
  const before = state.view;
  show(state, { screen: 'loading' });
  const answer = await requestWithRetry(wait, api.handOver);
  if (!answer.ok) return showTrouble(state, answer.error, () => show(state, before));
  closeCamera(state);
  state.handover = 'offered';
  await waitForPhone(state, answer.body.url);
}

export async function waitForPhone(state: FlowState, url: string, firstMs?: number): Promise<void> {
  state.handoverUrl = url;
  save(state, false);
  show(state, { screen: 'handover', url, handover: state.handover });
  await waitForEnd(state, 'handover', firstMs);
}

/** Reports an invalid link before the consent. */
export async function open(state: FlowState): Promise<void> {
  const { api, wait } = state.deps;
  show(state, { screen: 'consent' });
  const answer = await requestWithRetry(wait, api.open);
  if (state.view.screen !== 'consent') return;
  if (answer.ok && isOver(answer.body)) showTrouble(state, 'session_not_valid_for_this_endpoint', null);
  if (!answer.ok && answer.isFinal) showTrouble(state, answer.error, null);
}
