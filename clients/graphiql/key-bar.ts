import { forgetSandbox, type OpenedSandbox } from '../pages/sandbox-key.ts';
import { headersOf, type KeySource } from './fetcher.ts';
import { type Headers, post } from './gateway.ts';
import { SampleError, visit } from './samples.ts';
import { resetTabs } from './storage.ts';

/*
 * The field of the key. An entered key is a variable of this page alone: nothing stores it, and a reload forgets it.
 */

const PROJECT = '{ project { name environment } }';
const LINK_REFUSED =
  'This link was used before, has expired, or is of an earlier start. Enter the key of sandbox.json in DATA_DIR (data by default)';
/** Prefix of the codes of errors about the key. */
const KEY_ERRORS = 'auth.';

type Project = { name: string; environment: string };

export function createKeyBar(opened: Promise<OpenedSandbox>): KeySource {
  const field = element<HTMLInputElement>('key');
  const state = element('key-state');
  const sample = element('sample');
  let current = '';
  let accepted = Promise.withResolvers<string>();

  const say = (text: string, isError = false) => {
    state.textContent = text;
    state.dataset.state = isError ? 'error' : '';
  };

  /** Shows whose key it is. Requests use it in any case. */
  const use = async (key: string) => {
    if (key === current) return;
    current = key;
    sample.hidden = true;
    if (key === '') return say('');
    const { data, errors } = await post({ query: PROJECT }, headersOf(key, {}));
    if (key !== current) return;
    const project = data?.project as Project | undefined;
    if (!project) {
      const [error] = errors ?? [];
      // At other errors, as too many requests, the key remains valid.
      if (error?.extensions?.code?.startsWith(KEY_ERRORS)) forgetSandbox(key);
      return say(error?.message ?? 'The gateway did not answer', true);
    }
    say(`${project.name} · ${project.environment.toLowerCase()} project`);
    sample.hidden = project.environment !== 'SANDBOX';
    accepted.resolve(key);
    accepted = Promise.withResolvers<string>();
  };

  field.addEventListener('change', () => void use(field.value.trim()));
  field.addEventListener('paste', () => setTimeout(() => void use(field.value.trim())));
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') void use(field.value.trim());
  });
  wireButtons(field, sample, () => headersOf(current, {}), say);
  void opened.then(({ sandbox, isRefused }) => {
    if (isRefused) say(LINK_REFUSED, true);
    if (sandbox === null || field.value !== '') return field.focus();
    field.value = sandbox.key;
    void use(sandbox.key);
  });
  return { current: () => current, accepted: () => accepted.promise };
}

function wireButtons(
  field: HTMLInputElement,
  sample: HTMLElement,
  headers: () => Headers,
  say: (text: string, isError?: boolean) => void,
): void {
  const show = element('show-key');
  show.addEventListener('click', () => {
    const isShown = field.classList.toggle('shown');
    show.setAttribute('aria-pressed', String(isShown));
    show.textContent = isShown ? 'Hide' : 'Show';
  });
  sample.addEventListener('click', () => {
    visit(headers()).then(
      (accountId) => say(`${accountId} was authenticated`),
      (error: unknown) => say(error instanceof SampleError ? error.message : 'The sample visit failed', true),
    );
  });
  element('examples').addEventListener('click', () => {
    resetTabs(sessionStorage);
    location.reload();
  });
}

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
