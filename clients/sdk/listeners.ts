import { attempt } from './attempt.ts';
import type { EventKind, Interaction } from './interaction.ts';

/** Called on activity of the page. `isUrgent`: the page may be closed in a moment. */
export type OnActivity = (isUrgent: boolean) => void;

const CAPTURE: AddEventListenerOptions = { capture: true, passive: true };

const KINDS: ReadonlyArray<readonly [type: string, kind: EventKind]> = [
  ['pointermove', 'mouse'],
  ['wheel', 'mouse'],
  ['click', 'click'],
  ['keydown', 'keyboard'],
  ['touchstart', 'touch'],
  ['touchmove', 'touch'],
  ['copy', 'clipboard'],
  ['cut', 'clipboard'],
  ['paste', 'clipboard'],
];

/**
 * form.submit() by a script dispatches no submit event, only formdata, like reading a form. It counts as a submission if the
 * page is closed soon after, or if the response goes to another window.
 */
const MAX_SENDING_MS = 3000;

function leavesPageAsItIs(form: EventTarget | null): boolean {
  const target = form instanceof HTMLFormElement ? form.getAttribute('target') : null;
  return target !== null && target !== '' && target.toLowerCase() !== '_self';
}

/**
 * Adds passive listeners to the page, before the page's own listeners, which may stop an event. Returns a function that
 * removes them.
 */
export function listenToPage(interaction: Interaction, onActivity: OnActivity): () => void {
  const listening = new AbortController();
  const on = (target: EventTarget, type: string, handle: (event: Event) => void) => {
    const listener = (event: Event) => attempt(() => handle(event), undefined);
    target.addEventListener(type, listener, CAPTURE);
    listening.signal.addEventListener('abort', () => target.removeEventListener(type, listener, CAPTURE));
  };
  for (const [type, kind] of KINDS)
    on(window, type, (event) => countEvent(interaction, kind, event, onActivity));
  on(window, 'input', (event) => {
    const field = event.composedPath()[0];
    if (!field || !isTextField(field)) return;
    interaction.fieldChanged(field, (event as InputEvent).inputType, event.isTrusted);
    onActivity(false);
  });
  const sent = () => {
    interaction.formSent();
    onActivity(true);
  };
  let lastFormDataMs = Number.NEGATIVE_INFINITY;
  on(window, 'submit', sent);
  on(window, 'formdata', (event) => {
    if (leavesPageAsItIs(event.target)) sent();
    else lastFormDataMs = event.timeStamp;
  });
  on(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') onActivity(true);
  });
  on(window, 'pagehide', (event) => {
    if (event.timeStamp - lastFormDataMs < MAX_SENDING_MS) interaction.formSent();
    onActivity(true);
  });
  return () => listening.abort();
}

function countEvent(interaction: Interaction, kind: EventKind, event: Event, onActivity: OnActivity): void {
  // A finger that moves is counted as a touch.
  if (event.type === 'pointermove' && (event as PointerEvent).pointerType === 'touch') return;
  interaction.seen(kind, event.isTrusted, event.timeStamp);
  const isKey = kind === 'keyboard' && event.isTrusted && !(event as KeyboardEvent).repeat;
  if (isKey) interaction.keyPressed(event.timeStamp);
  onActivity(false);
}

const NOT_TEXT = /^(?:button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;

function isTextField(target: EventTarget): boolean {
  if (target instanceof HTMLInputElement) return !NOT_TEXT.test(target.type);
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
}
