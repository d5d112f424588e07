import type { Language } from '../shared/languages.ts';
import type { FailReason, RetakeReason } from './api.ts';
import type { Camera, CameraProblem } from './camera.ts';
import { framesOf, type ScanPlan } from './challenge-plan.ts';
import { CONSENT_TEXT_VERSION } from './consent.ts';
import { choose, closeCamera, createFlowState, type FlowDeps, type FlowState, show } from './flow-state.ts';
import { failWith, goNext, handOver, open, simulate, start, waitForEnd, waitForPhone } from './flow-steps.ts';
import type { DocumentType, Kind, MediaName, Side } from './progress.ts';
import type { Scan } from './scan.ts';
import type { QueueState } from './upload-queue.ts';
import type { View } from './view.ts';

/** Flow of the check: the current view, and the actions of the person. */
export type Flow = {
  view(): View;
  /** Number of views shown so far. Each view is mounted again and takes the focus. */
  shown(): number;
  language(): Language;
  kind(): Kind;
  plan(): ScanPlan;
  /** The camera that shows the face, while it is on. */
  camera(): Camera | null;
  documentType(): DocumentType | null;
  /** Reason of a retake of the document; null without one. */
  retakeReason(): RetakeReason | null;
  uploads(): QueueState;
  maxUploadBytes(): number;
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
  reviewDocument(side: Side, image: Blob): void;
  documentAgain(side: Side): void;
  acceptDocument(side: Side, image: Blob): void;
  goOnSending(): void;
  askToGiveUp(reason: FailReason): void;
  giveUp(reason: FailReason): void;
  goBack(view: View): void;
};

export function createFlow(deps: FlowDeps): Flow {
  const state = createFlowState(deps);
  const { api } = deps;
  const { shelf } = state;
  return {
    view: () => state.view,
    shown: () => state.shown,
    language: () => state.language,
    kind: () => state.kind,
    plan: () => state.plan,
    camera: () => state.camera,
    documentType: () => state.choices.documentType,
    retakeReason: () => state.retakeReason,
    uploads: shelf.queue.state,
    maxUploadBytes: () => state.maxUploadBytes,
    begin: () => begin(state),
    speak(language) {
      state.language = language;
      deps.keepLanguage(language);
      deps.onChange();
    },
    agree: () => void start(state, { text_version: CONSENT_TEXT_VERSION, given_at: api.now().toISOString() }),
    useCamera(opened) {
      state.camera = opened;
      state.cameraInfo = opened.info;
      state.facts?.cameraAllowed();
      show(state, { screen: 'face' });
    },
    cameraFailed(problem) {
      closeCamera(state);
      show(state, { screen: 'camera', problem });
    },
    handOver: () => void handOver(state),
    stayHere() {
      state.watch.end();
      // The phone may have continued in the meantime. The service decides whether this browser still may.
      if (state.consent) void start(state, state.consent);
    },
    reviewScan: ({ shots, clip }) => show(state, { screen: 'face-review', shots, clip }),
    scanAgain: () => goNext(state),
    acceptScan: () => acceptScan(state),
    chooseDocument(type) {
      if (type === null) shelf.disown('document');
      choose(state, { documentType: type });
      goNext(state);
    },
    reviewDocument: (side, image) => show(state, { screen: 'document-review', side, image }),
    documentAgain: (side) => show(state, { screen: 'document', side }),
    acceptDocument: (side, image) => void accept(state, new Map([[`id_${side}/0` as const, image]])),
    goOnSending: shelf.queue.goOn,
    askToGiveUp: (reason) => show(state, { screen: 'give-up', reason, back: state.view }),
    giveUp: (reason) => void failWith(state, reason),
    goBack: (view) => show(state, view),
  };
}

/** Delay of the first poll of a reloaded page, whose state may be old. */
const RESUMED_LOOK_MS = 100;

/** Starts a check, or resumes the one started in this browser. */
function begin(state: FlowState): void {
  const { config, saved, api } = state.deps;
  const before = config.isSimulated ? null : saved.read();
  if (config.isSimulated) void simulate(state);
  else if (!before) void open(state);
  else {
    const { token, consent, kind, choices, language, handover, camera: cameraInfo } = before;
    Object.assign(state, { token, consent, kind, choices, language, handover, cameraInfo });
    api.useToken(token);
    if (before.isComplete) void waitForEnd(state, 'waiting', RESUMED_LOOK_MS);
    else if (before.handoverUrl !== null) void waitForPhone(state, before.handoverUrl, RESUMED_LOOK_MS);
    else void start(state, consent);
  }
}

function acceptScan(state: FlowState): void {
  if (state.view.screen !== 'face-review') return;
  const { shots, clip } = state.view;
  closeCamera(state);
  choose(state, { scan: framesOf(state.plan), hasClip: clip !== null });
  state.shelf.disown('face');
  const media = new Map<MediaName, Blob>();
  for (const { sequence, image } of shots) media.set(`face_frame/${sequence}`, image);
  if (clip) media.set('face_clip/0', clip);
  void accept(state, media);
}

async function accept(state: FlowState, media: ReadonlyMap<MediaName, Blob>): Promise<void> {
  await state.shelf.accept(media);
  goNext(state);
}
