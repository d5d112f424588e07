import { openSandbox } from '../../pages/sandbox-key.ts';
import type { Client } from '../client.ts';
import { byId, element, fillFacts } from './dom.ts';
import { countsOf, groupsOf } from './groups.ts';
import { renderScores, type SessionBody } from './scores.ts';

/*
 * Demo page of the script. It uses the script like any site, and requests the scores from the service with a sandbox key
 * that is kept in a variable, unless the tab has the key of the link that the gateway prints.
 */

const TROUBLE: Readonly<Record<string, string>> = {
  not_configured: 'The project id is missing.',
  environment_mismatch: 'This page requires a sandbox project.',
  refused: 'The service did not open a session. Check the project id.',
  server_error: 'The service reported an internal error. Try again.',
  network_error: 'The service cannot be reached.',
  timeout: 'The service did not answer in time.',
};

const REFRESH_MS = 500;

const { Vouchgraph } = window as unknown as { Vouchgraph: Client };
let apiKey = '';
let sessionId: string | null = null;

const opened = openSandbox();
start(new URLSearchParams(location.search).get('project_id') ?? '');

function start(projectId: string): void {
  byId('project-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = byId<HTMLInputElement>('project-id').value.trim();
    location.assign(`?project_id=${encodeURIComponent(chosen)}`);
  });
  byId(projectId === '' ? 'choose' : 'session').hidden = false;
  void fillIn();
  if (projectId === '') return;
  Vouchgraph.init({ projectId, environment: 'sandbox' });
  listen();
  void showSession(Vouchgraph.session());
  setInterval(showCounts, REFRESH_MS);
}

/** Fills in the sandbox of the tab where nothing was entered. */
async function fillIn(): Promise<void> {
  const { sandbox } = await opened;
  if (sandbox === null) return;
  for (const [id, value] of [
    ['project-id', sandbox.projectId],
    ['api-key', sandbox.key],
  ] as const) {
    const field = byId<HTMLInputElement>(id);
    if (field.value === '') field.value = value;
  }
}

function listen(): void {
  byId('play-form').addEventListener('submit', (event) => event.preventDefault());
  byId('new-session').addEventListener('click', () => void showSession(Vouchgraph.reinitialize()));
  byId('send-counts').addEventListener('click', () => void sendCounts());
  byId('copy').addEventListener('click', () => void copyFacts());
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey = byId<HTMLInputElement>('api-key').value.trim();
    void showScores();
  });
}

async function showSession(opening: ReturnType<Client['session']>): Promise<void> {
  say('status', 'Opening the session …');
  const { session_id, error } = await opening;
  sessionId = session_id;
  if (error) say('status', TROUBLE[error] ?? error, true);
  else say('status', 'Open. Changed counts are sent automatically.');
  const collected = Vouchgraph.collected();
  fillFacts(byId('session-facts'), {
    'Session id': session_id ?? '',
    'Collected in': collected?.milliseconds == null ? '' : `${collected.milliseconds} ms`,
  });
  byId('collected').hidden = false;
  showFacts();
  if (apiKey !== '') await showScores();
}

async function sendCounts(): Promise<void> {
  await Vouchgraph.session();
  say('status', 'The counts were sent.');
  showFacts();
  if (apiKey !== '') await showScores();
}

function showFacts(): void {
  // Groups that the person opened stay open.
  const isOpen = new Set(
    Array.from(
      document.querySelectorAll<HTMLDetailsElement>('details[open]'),
      ({ dataset }) => dataset.title,
    ),
  );
  const groups = groupsOf(Vouchgraph.collected()?.facts ?? {}).map(({ title, values }) => {
    const list = element('dl', { className: 'facts' });
    fillFacts(list, values);
    const count = element('span', {}, ` ${Object.keys(values).length}`);
    const details = element('details', {}, element('summary', {}, title, count), list);
    details.dataset.title = title;
    details.open = isOpen.has(title);
    return details;
  });
  byId('groups').replaceChildren(...groups);
}

function showCounts(): void {
  const counts = countsOf(Vouchgraph.collected()?.facts ?? {});
  const cells = Object.entries(counts).map(([label, value]) =>
    element('div', {}, element('dt', {}, label), element('dd', {}, value)),
  );
  byId('counts').replaceChildren(...cells);
}

async function copyFacts(): Promise<void> {
  const text = JSON.stringify(Vouchgraph.collected()?.facts ?? {}, null, 2);
  const copied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  byId('copy').textContent = copied ? 'Copied' : 'Copying is not allowed';
}

async function showScores(): Promise<void> {
  if (sessionId === null) return say('scores-status', 'There is no session yet.', true);
  say('scores-status', 'Loading …');
  try {
    const response = await fetch(`session/${sessionId}`, {
      headers: { 'x-api-key': apiKey },
      cache: 'no-store',
    });
    const body = (await response.json()) as SessionBody & { message?: string };
    if (!response.ok) return say('scores-status', body.message ?? `Status ${response.status}`, true);
    say('scores-status', '');
    byId('scores').replaceChildren(...renderScores(body));
  } catch {
    say('scores-status', 'The service cannot be reached.', true);
  }
}

function say(id: string, text: string, isTrouble = false): void {
  byId(id).textContent = text;
  byId(id).classList.toggle('trouble', isTrouble);
}
