import type { Facts } from '../facts.ts';

/*
 * Facts of the browser in other execution contexts of the page. They contradict a disguise that covers only the window.
 */

type Scope = Pick<typeof globalThis, 'Intl' | 'Date'> & { navigator: Navigator };

/** A worker without an answer by then was blocked silently. */
const MAX_WAIT_MS = 5000;

/** Facts of a context. Sent to a worker as text, so it may use only its argument. */
export function describeContext(scope: Scope): Record<string, unknown> {
  const { navigator } = scope;
  return {
    user_agent: navigator.userAgent,
    platform: navigator.platform,
    language: navigator.language,
    languages: Array.from(navigator.languages || []),
    timezone: scope.Intl.DateTimeFormat().resolvedOptions().timeZone,
    timezone_offset_minutes: new scope.Date().getTimezoneOffset(),
    cpu_cores: navigator.hardwareConcurrency,
    webdriver: navigator.webdriver,
  };
}

/** Facts of a worker. Empty if the page's policy (`worker-src`) forbids workers from a Blob. */
export async function workerFacts(): Promise<Facts> {
  const source = `postMessage((${describeContext})(self))`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return { checks: { worker: await answerOfWorker(url) } };
  } finally {
    URL.revokeObjectURL(url);
  }
}

function answerOfWorker(url: string): Promise<unknown> {
  const worker = new Worker(url);
  const answer = new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      // A worker that a policy blocked is no error of the page.
      event.preventDefault();
      resolve(undefined);
    };
    setTimeout(resolve, MAX_WAIT_MS);
  });
  return answer.finally(() => worker.terminate());
}

/**
 * Runs a function with the window of an empty frame of the page's own, which is taken away at once. What a frame knows
 * of the browser has not passed through the page's scripts.
 */
export function withFrame<Result>(use: (frame: Window & typeof globalThis) => Result): Result | undefined {
  const element = document.createElement('iframe');
  // Out of sight, yet displayed: text cannot be measured in a frame that is not.
  element.style.cssText =
    'position:absolute!important;width:0!important;height:0!important;border:0!important;visibility:hidden!important';
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  (document.body ?? document.documentElement).appendChild(element);
  try {
    const frame = element.contentWindow as (Window & typeof globalThis) | null;
    return frame ? use(frame) : undefined;
  } finally {
    element.remove();
  }
}
