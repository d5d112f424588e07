import { attempt } from '../sdk/attempt.ts';
import type { Language } from '../shared/languages.ts';
import type { CameraInfo, Consent, Handover } from './api.ts';
import type { Choices, Kind } from './progress.ts';

/** State that a reloaded page needs to resume. Contains no images. */
export type Saved = {
  token: string;
  consent: Consent;
  choices: Choices;
  camera: CameraInfo | null;
  language: Language;
  /** Link with which a phone resumes; null while this browser captures. */
  handoverUrl: string | null;
  /** Last known use of that link. */
  handover: Handover;
  /** Kind of the check, which determines the number of its steps. */
  kind: Kind;
  /** Whether everything is submitted and the page only waits. */
  isComplete: boolean;
};

export type SavedStore = { read(): Saved | null; write(saved: Saved): void; forget(): void };

const PREFIX = 'vouchgraph.capture.';

/** Stored in the browser, because a phone may discard the page while the camera is in use. */
export function createSavedStore(sessionId: string): SavedStore {
  const name = PREFIX + sessionId;
  return {
    read: () => attempt(() => parse(localStorage.getItem(name)), null),
    write: (saved) => attempt(() => localStorage.setItem(name, JSON.stringify(saved)), undefined),
    forget: () => attempt(() => localStorage.removeItem(name), undefined),
  };
}

function parse(text: string | null): Saved | null {
  const saved = JSON.parse(text ?? 'null') as Partial<Saved> | null;
  return saved && typeof saved.token === 'string' && saved.consent && saved.choices ? (saved as Saved) : null;
}
