import type { Language } from '../shared/languages.ts';
import type { Api, CameraInfo, Consent, Handover, RetakeReason } from './api.ts';
import type { Camera } from './camera.ts';
import { planScan, type ScanPlan } from './challenge-plan.ts';
import type { Config } from './config.ts';
import type { KeptMedia } from './kept-media.ts';
import { createMediaShelf, type MediaShelf } from './media-shelf.ts';
import type { Wait } from './patience.ts';
import type { Choices, Kind } from './progress.ts';
import type { SavedStore } from './saved.ts';
import type { SessionFacts } from './session-facts.ts';
import type { Trouble, View } from './view.ts';
import { createWatch, type Watch } from './watch.ts';

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
  /** Keeps the chosen language for a reload. */
  keepLanguage: (language: Language) => void;
  onChange: () => void;
};

/** State of the check while the page is open. */
export type FlowState = {
  readonly deps: FlowDeps;
  readonly shelf: MediaShelf;
  readonly watch: Watch;
  view: View;
  shown: number;
  language: Language;
  consent: Consent | null;
  token: string;
  kind: Kind;
  plan: ScanPlan;
  maxUploadBytes: number;
  choices: Choices;
  /** The camera that shows the face, while it is on. */
  camera: Camera | null;
  cameraInfo: CameraInfo | null;
  handoverUrl: string | null;
  handover: Handover;
  facts: SessionFacts | null;
  retakeReason: RetakeReason | null;
};

export function createFlowState(deps: FlowDeps): FlowState {
  const { api, kept, wait, onChange } = deps;
  return {
    deps,
    shelf: createMediaShelf({ upload: api.upload, kept, wait, onChange }),
    watch: createWatch(wait, api.status),
    view: { screen: 'loading' },
    shown: 0,
    language: deps.config.language,
    consent: null,
    token: '',
    kind: 'face',
    plan: planScan([]),
    maxUploadBytes: Number.POSITIVE_INFINITY,
    choices: { scan: null, hasClip: false, documentType: null },
    camera: null,
    cameraInfo: null,
    handoverUrl: null,
    handover: 'offered',
    facts: null,
    retakeReason: null,
  };
}

export function show(state: FlowState, next: View): void {
  state.view = next;
  state.shown += 1;
  state.deps.onChange();
}

export function choose(state: FlowState, next: Partial<Choices>): void {
  state.choices = { ...state.choices, ...next };
  save(state, false);
}

export function save(state: FlowState, isComplete: boolean): void {
  const { token, consent, kind, choices, cameraInfo: camera, language, handoverUrl, handover } = state;
  if (!consent) return;
  const known = { token, consent, kind, choices, camera, language, handoverUrl, handover };
  state.deps.saved.write({ ...known, isComplete });
}

export function forget(state: FlowState): void {
  const { api, saved } = state.deps;
  state.token = '';
  api.useToken(null);
  saved.forget();
  state.shelf.forget();
  state.facts?.stop();
  closeCamera(state);
}

export function closeCamera(state: FlowState): void {
  state.camera?.stop();
  state.camera = null;
}

export function showTrouble(state: FlowState, error: string, tryAgain: (() => void) | null): void {
  const trouble = troubleOf(error);
  const canTry = trouble === 'offline' || trouble === 'refused';
  show(state, { screen: 'trouble', trouble, tryAgain: canTry ? tryAgain : null });
}

function troubleOf(error: string): Trouble {
  if (error === 'session_not_found') return 'link_broken';
  if (error === 'session_not_valid_for_this_endpoint') return 'link_over';
  if (error === 'session_already_started') return 'started';
  return error === 'offline' ? 'offline' : 'refused';
}
