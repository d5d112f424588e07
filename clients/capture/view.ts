import type { FailReason, Handover, Status } from './api.ts';
import type { CameraProblem } from './camera.ts';
import type { Side } from './progress.ts';
import type { Shot } from './scan.ts';

/** Reason why the page cannot continue. */
export type Trouble = 'link_broken' | 'link_over' | 'started' | 'offline' | 'refused';

/** Current view of the page. */
export type View =
  | { screen: 'loading' }
  | { screen: 'consent' }
  | { screen: 'simulated' }
  | { screen: 'camera'; problem: CameraProblem | null }
  | { screen: 'handover'; url: string; handover: Handover }
  | { screen: 'face' }
  | { screen: 'face-review'; shots: readonly Shot[]; clip: Blob | null }
  | { screen: 'document-type' }
  | { screen: 'document'; side: Side }
  | { screen: 'document-review'; side: Side; image: Blob }
  | { screen: 'sending' }
  | { screen: 'waiting' }
  | { screen: 'result'; status: Status }
  | { screen: 'give-up'; reason: FailReason; back: View }
  | { screen: 'trouble'; trouble: Trouble; tryAgain: (() => void) | null };

/** Number of the step of a view, from 1; null outside of the steps. */
export function stepOf(view: View, kind: 'id' | 'face'): { n: number; total: number } | null {
  const total = kind === 'id' ? 3 : 2;
  switch (view.screen) {
    case 'camera':
    case 'handover':
    case 'face':
    case 'face-review':
      return { n: 1, total };
    case 'document-type':
    case 'document':
    case 'document-review':
      return { n: 2, total };
    case 'sending':
    case 'waiting':
      return { n: total, total };
    default:
      return null;
  }
}
