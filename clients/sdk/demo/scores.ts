import { element, fillFacts } from './dom.ts';

type Reason = {
  code: string;
  contributions: Readonly<Record<string, number>>;
  confidence: number;
  source: string;
  source_as_of: string | null;
  observed: string;
};

/** Fields of GET /session/{id} that the page shows. */
export type SessionBody = {
  network?: { connection_type?: string };
  location?: { city?: string; country_code?: string };
  browser?: { type?: string; version?: string };
  device?: { type?: string; os?: string; category?: string };
  risk_signals: Readonly<Record<string, boolean>>;
  risk_signal_scores: Readonly<Record<string, number>>;
  risk_signal_details: { network: readonly Reason[]; device: readonly Reason[] };
};

const RAISED = 0.5;

/** Scores with their booleans, and the codes behind them. */
export function renderScores(body: SessionBody): HTMLElement[] {
  const { network, device } = body.risk_signal_details;
  const reasons = [...network, ...device];
  const none = element('p', { className: 'hint' }, 'No reason codes: no risk was found.');
  return [
    summary(body),
    element('ul', { className: 'scores' }, ...scoreRows(body)),
    element('h3', {}, 'Reason codes'),
    ...(reasons.length > 0 ? reasons.map(renderReason) : [none]),
  ];
}

function summary(body: SessionBody): HTMLElement {
  const list = element('dl', { className: 'facts' });
  fillFacts(list, {
    browser: joined(body.browser?.type, body.browser?.version),
    device: joined(body.device?.type, body.device?.os, body.device?.category),
    network: joined(body.network?.connection_type, body.location?.city, body.location?.country_code),
  });
  return list;
}

function joined(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

function scoreRows({ risk_signals, risk_signal_scores }: SessionBody): HTMLElement[] {
  return Object.keys(risk_signals).map((name) => {
    const score = risk_signal_scores[name];
    return element(
      'li',
      {},
      element('span', {}, name.replace(/_/g, ' ')),
      score === undefined ? element('span', {}) : bar(score),
      element('span', { className: 'number' }, score === undefined ? '' : score.toFixed(2)),
      answer(risk_signals[name] === true),
    );
  });
}

function bar(score: number): HTMLElement {
  const filled = element('span', {});
  filled.style.width = `${Math.round(score * 100)}%`;
  const frame = element('span', { className: score >= RAISED ? 'bar raised' : 'bar' }, filled);
  frame.setAttribute('aria-hidden', 'true');
  return frame;
}

function answer(isOn: boolean): HTMLElement {
  return element('span', { className: isOn ? 'answer yes' : 'answer' }, isOn ? 'yes' : 'no');
}

function renderReason({
  code,
  contributions,
  confidence,
  source,
  source_as_of,
  observed,
}: Reason): HTMLElement {
  const added = Object.entries(contributions).map(
    ([name, value]) => `${name.replace(/_/g, ' ')} ${value.toFixed(2)}`,
  );
  const origin = source_as_of ? `${source} of ${source_as_of}` : source;
  return element(
    'div',
    { className: 'code' },
    element('p', { className: 'name' }, code),
    element('p', {}, observed),
    element('p', { className: 'hint' }, `Adds to ${added.join(', ') || 'no score'}`),
    element('p', { className: 'hint' }, `Confidence ${confidence.toFixed(2)}, from ${origin}`),
  );
}
