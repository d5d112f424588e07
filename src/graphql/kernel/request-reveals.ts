import type { Viewer } from '../../domain/projects/access-service.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import { type ActiveReveals, NO_REVEALS } from '../../domain/reveals/active-reveals.ts';
import type { RevealService } from '../../domain/reveals/reveal-service.ts';

/** Active reveals of the person of a request, read when a masked field is first shown. */
export type RequestReveals = {
  active(): Promise<ActiveReveals>;
  /** After a change, so that the answer shows it. */
  forget(): void;
};

const NOTHING = Promise.resolve(NO_REVEALS);
/** Of all viewers that are no persons: nothing is masked. */
const OF_OTHERS: RequestReveals = { active: () => NOTHING, forget: () => {} };

export function revealsOf(viewer: Viewer, services: { reveals: RevealService }): RequestReveals {
  if (viewer.kind !== 'person') return OF_OTHERS;
  let active: Promise<ActiveReveals> | null = null;
  const mayReveal = refusalOf(viewer, 'personal_data.reveal') === null;
  return {
    active() {
      active ??= mayReveal ? services.reveals.findActive(viewer) : NOTHING;
      return active;
    },
    forget() {
      active = null;
    },
  };
}
