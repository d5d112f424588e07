import { attempt } from '../sdk/attempt.ts';
import type { CameraInfo, Consent } from './api.ts';
import type { Choices } from './progress.ts';
import type { Language } from './texts/texts.ts';

/** What a page that is loaded again needs to go on. It holds no picture. */
export type Saved = {
  token: string;
  consent: Consent;
  choices: Choices;
  camera: CameraInfo | null;
  language: Language;
  /** Where a phone goes on, null while this browser does. */
  handoverUrl: string | null;
  /** Everything was handed in: what is left is to wait. */
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
