import {
  type Api,
  type CameraInfo,
  type Consent,
  type FailReason,
  isOver,
  type RetakeReason,
  type Started,
  type Status,
} from './api.ts';
import type { Camera, CameraProblem } from './camera.ts';
import { framesOf, planScan, type ScanPlan } from './challenge-plan.ts';
import type { Config } from './config.ts';
import { CONSENT_TEXT_VERSION } from './consent.ts';
import type { KeptMedia } from './kept-media.ts';
import { createMediaShelf } from './media-shelf.ts';
import { patiently, type Wait } from './patience.ts';
import {
  type Choices,
  type DocumentType,
  type Kind,
  type MediaName,
  neededMedia,
  nextStep,
  type Side,
} from './progress.ts';
import type { SavedStore } from './saved.ts';
import type { Scan } from './scan.ts';
import type { SessionFacts } from './session-facts.ts';
import type { Language } from './texts/texts.ts';
import type { QueueState } from './upload-queue.ts';
import type { Trouble, View } from './view.ts';
import { createWatch } from './watch.ts';

/** The walk through the check: what is shown, and what each of a person's answers leads to. */
export type Flow = {
  view(): View;
  /** How many views were shown so far: each begins anew, and takes the focus. */
  shown(): number;
  language(): Language;
  kind(): Kind;
  plan(): ScanPlan;
  /** The camera that shows the face, while it is on. */
  camera(): Camera | null;
  documentType(): DocumentType | null;
  /** Why the document has to be captured again; null when it does not. */
  retakeReason(): RetakeReason | null;
  uploads(): QueueState;
  mostUploadBytes(): number;
  begin(): void;
  speak(language: Language): void;
  agree(): void;
  useCamera(camera: Camera): void;
  cameraFailed(problem: CameraProblem): void;
  handOver(): void;
  stayHere(): void;
  reviewScan(scan: Scan): void;
  scanAgain(): void;
  acceptScan(): void;
  chooseDocument(type: DocumentType | null): void;
  reviewDocument(side: Side, picture: Blob): void;
  documentAgain(side: Side): void;
  acceptDocument(side: Side, picture: Blob): void;
  goOnSending(): void;
  askToGiveUp(reason: FailReason): void;
  giveUp(reason: FailReason): void;
  goBack(view: View): void;
};

export type FlowDeps = {
  config: Config;
  api: Api;
  saved: SavedStore;
  kept: KeptMedia;
  startFacts: (session: { sessionToken: string }) => SessionFacts;
  /** Milliseconds since the response of the page began. */
  sinceResponseMs: () => number;
  wait: Wait;
  leave: (url: string) => void;
  onChange: () => void;
};

const NOTHING_CHOSEN: Choices = { scan: null, hasClip: false, documentType: null };
/** The first look at a simulated result after it is due: the gateway stores it in less, when it is not busy. */
const SIMULATED_LOOK_MS = 60;
/** Long enough to read the result, short enough not to be left. */
const RESULT_MS = 3000;

export function createFlow(deps: FlowDeps): Flow {
  const { config, api, saved, kept, wait, onChange } = deps;
  const shelf = createMediaShelf({ upload: api.upload, kept, wait, onChange });
  const watch = createWatch(wait, api.status);
  let view: View = { screen: 'loading' };
  let shown = 0;
  let language = config.language;
  let consent: Consent | null = null;
  let token = '';
  let kind: Kind = 'face';
  let plan = planScan([]);
  let mostUploadBytes = Number.POSITIVE_INFINITY;
  let choices = NOTHING_CHOSEN;
  let camera: Camera | null = null;
  let cameraInfo: CameraInfo | null = null;
  let handoverUrl: string | null = null;
  let facts: SessionFacts | null = null;
  let retakeReason: RetakeReason | null = null;

  function show(next: View): void {
    view = next;
    shown += 1;
    onChange();
  }

  function speak(next: Language): void {
    language = next;
    onChange();
  }

  function choose(next: Partial<Choices>): void {
    choices = { ...choices, ...next };
    save(false);
  }

  function save(isComplete: boolean): void {
    if (!consent) return;
    saved.write({ token, consent, choices, camera: cameraInfo, language, handoverUrl, isComplete });
  }

  async function start(given: Consent): Promise<void> {
    show({ screen: 'loading' });
    const answer = await patiently(wait, () => api.start(given, language));
    if (answer.ok) return resume(given, answer.body);
    // A check that ended while nobody looked has a result to show.
    if (token !== '' && answer.isFinal && (await showsEnd())) return;
    if (token !== '' && answer.status === 401) {
      forget();
      show({ screen: 'consent' });
      return;
    }
    showTrouble(answer.error, () => void start(given));
  }

  async function resume(given: Consent, body: Started): Promise<void> {
    consent = given;
    token = body.capture_token;
    handoverUrl = null;
    api.useToken(token);
    kind = body.kind;
    plan = planScan(body.challenge);
    mostUploadBytes = body.upload.max_bytes;
    retakeReason = body.retake?.reason ?? null;
    save(false);
    facts?.stop();
    facts = deps.startFacts({ sessionToken: body.session_token });
    await shelf.resume(neededMedia(kind, choices), body.resume);
    goNext();
  }

  function goNext(): void {
    const next = nextStep(kind, choices, shelf.has);
    if (next === 'face') show(camera ? { screen: 'face' } : { screen: 'camera', problem: null });
    else if (next === 'document-type') show({ screen: 'document-type' });
    else if (next === 'sending') void finish();
    else show({ screen: 'document', side: next });
  }

  async function finish(): Promise<void> {
    show({ screen: 'sending' });
    const refusal = await shelf.queue.drained();
    if (refusal !== null) return ended(refusal);
    if (!(await facts?.finish())) return failWith('failed_to_collect_device_data');
    const answer = await patiently(wait, () =>
      api.complete({
        document_type: kind === 'id' ? choices.documentType : null,
        challenge: choices.scan ?? [],
        camera: cameraInfo,
      }),
    );
    if (!answer.ok && answer.isFinal) return ended(answer.error);
    if (!answer.ok) return showTrouble('offline', () => void finish());
    save(true);
    await waitForEnd('waiting');
  }

  /** The server takes nothing more: either the check is over, or something is wrong with it. */
  async function ended(error: string): Promise<void> {
    if (!(await showsEnd())) showTrouble(error, () => location.reload());
  }

  /** Shows how the check ended, or that it is being judged; false when it is neither. */
  async function showsEnd(): Promise<boolean> {
    const status = await patiently(wait, api.status);
    if (!status.ok) return false;
    if (isOver(status.body)) finished(status.body);
    else if (status.body.state === 'processing' || status.body.retake) void waitForEnd('waiting');
    else return false;
    return true;
  }

  async function waitForEnd(screen: 'waiting' | 'handover'): Promise<void> {
    if (screen === 'waiting') show({ screen });
    const over = await watch.untilOver((state, { retake }) => {
      if (screen === 'waiting' && retake) return void takeDocumentAgain();
      if (state === 'processing' && view.screen === 'handover') show({ screen: 'waiting' });
      // The phone captures the document again.
      if (retake && view.screen === 'waiting' && handoverUrl) show({ screen: 'handover', url: handoverUrl });
    });
    if (over && 'refused' in over) showTrouble(over.refused, null);
    else if (over) finished(over);
  }

  /** The server has dropped the images of the document: what this page knows of them does not count any more. */
  async function takeDocumentAgain(): Promise<void> {
    watch.end();
    shelf.disown('document');
    if (consent) await start(consent);
  }

  function finished(status: Status): void {
    watch.end();
    forget();
    show({ screen: 'result', status });
    if (status.redirect_url) void wait(RESULT_MS).then(() => deps.leave(status.redirect_url));
  }

  function forget(): void {
    token = '';
    api.useToken(null);
    saved.forget();
    shelf.forget();
    facts?.stop();
    closeCamera();
  }

  function closeCamera(): void {
    camera?.stop();
    camera = null;
  }

  async function failWith(reason: FailReason): Promise<void> {
    watch.end();
    show({ screen: 'loading' });
    closeCamera();
    const answer = await patiently(wait, () => api.fail(reason));
    if (answer.ok) finished(answer.body);
    else showTrouble(answer.error, () => void failWith(reason));
  }

  function showTrouble(error: string, tryAgain: (() => void) | null): void {
    const trouble = troubleOf(error);
    const canTry = trouble === 'offline' || trouble === 'refused';
    show({ screen: 'trouble', trouble, tryAgain: canTry ? tryAgain : null });
  }

  async function simulate(): Promise<void> {
    show({ screen: 'simulated' });
    await wait(Math.max(0, config.dueInMs - deps.sinceResponseMs()));
    const over = await watch.untilOver(() => {}, SIMULATED_LOOK_MS);
    if (!over) return;
    if ('refused' in over) showTrouble(over.refused, null);
    else if (over.redirect_url) deps.leave(over.redirect_url);
    else show({ screen: 'result', status: over });
  }

  async function handOver(): Promise<void> {
    const before = view;
    show({ screen: 'loading' });
    const answer = await patiently(wait, api.handOver);
    if (!answer.ok) return showTrouble(answer.error, () => show(before));
    closeCamera();
    await waitForPhone(answer.body.url);
  }

  async function waitForPhone(url: string): Promise<void> {
    handoverUrl = url;
    save(false);
    show({ screen: 'handover', url });
    await waitForEnd('handover');
  }

  /** A link that leads nowhere is told before anybody agrees to anything. */
  async function open(): Promise<void> {
    show({ screen: 'consent' });
    const answer = await patiently(wait, api.open);
    if (view.screen !== 'consent') return;
    if (answer.ok && isOver(answer.body)) showTrouble('session_not_valid_for_this_endpoint', null);
    if (!answer.ok && answer.error === 'session_not_found') showTrouble(answer.error, null);
  }

  /** The phone may have gone on meanwhile: the service says whether this browser still may. */
  function stayHere(): void {
    watch.end();
    if (consent) void start(consent);
  }

  function begin(): void {
    const before = config.isSimulated ? null : saved.read();
    if (config.isSimulated) void simulate();
    else if (!before) void open();
    else {
      ({ token, consent, choices, language } = before);
      api.useToken(token);
      cameraInfo = before.camera;
      if (before.isComplete) void waitForEnd('waiting');
      else if (before.handoverUrl !== null) void waitForPhone(before.handoverUrl);
      else void start(before.consent);
    }
  }

  async function accept(media: ReadonlyMap<MediaName, Blob>): Promise<void> {
    await shelf.accept(media);
    goNext();
  }

  return {
    view: () => view,
    shown: () => shown,
    language: () => language,
    kind: () => kind,
    plan: () => plan,
    camera: () => camera,
    documentType: () => choices.documentType,
    retakeReason: () => retakeReason,
    uploads: shelf.queue.state,
    mostUploadBytes: () => mostUploadBytes,
    begin,
    speak,
    agree: () => void start({ text_version: CONSENT_TEXT_VERSION, given_at: api.now().toISOString() }),
    useCamera(opened) {
      camera = opened;
      cameraInfo = opened.info;
      facts?.cameraAllowed();
      show({ screen: 'face' });
    },
    cameraFailed(problem) {
      closeCamera();
      show({ screen: 'camera', problem });
    },
    handOver: () => void handOver(),
    stayHere,
    reviewScan: ({ shots, clip }) => show({ screen: 'face-review', shots, clip }),
    scanAgain: goNext,
    acceptScan() {
      if (view.screen !== 'face-review') return;
      const { shots, clip } = view;
      closeCamera();
      choose({ scan: framesOf(plan), hasClip: clip !== null });
      shelf.disown('face');
      const media = new Map<MediaName, Blob>();
      for (const { sequence, picture } of shots) media.set(`face_frame/${sequence}`, picture);
      if (clip) media.set('face_clip/0', clip);
      void accept(media);
    },
    chooseDocument(type) {
      if (type === null) shelf.disown('document');
      choose({ documentType: type });
      goNext();
    },
    reviewDocument: (side, picture) => show({ screen: 'document-review', side, picture }),
    documentAgain: (side) => show({ screen: 'document', side }),
    acceptDocument: (side, picture) => void accept(new Map([[`id_${side}/0` as const, picture]])),
    goOnSending: shelf.queue.goOn,
    askToGiveUp: (reason) => show({ screen: 'give-up', reason, back: view }),
    giveUp: (reason) => void failWith(reason),
    goBack: show,
  };
}

function troubleOf(error: string): Trouble {
  if (error === 'session_not_found') return 'link_broken';
  if (error === 'session_not_valid_for_this_endpoint') return 'link_over';
  if (error === 'session_already_started') return 'started';
  return error === 'offline' ? 'offline' : 'refused';
}
