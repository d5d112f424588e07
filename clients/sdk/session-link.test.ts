import { describe, expect, test } from 'vitest';
import { createSessionLink } from './session-link.ts';
import type { Answer, Request } from './transport.ts';

const OPENED: Answer = {
  ok: true,
  body: { session_id: 's1', token: 't1', environment: 'sandbox', browser_token: 'b1' },
};

function linkWith(answers: Answer[], environment: 'sandbox' | 'production' | null = null) {
  const requests: Request[] = [];
  const events: string[] = [];
  let clicks = 0;
  const link = createSessionLink({
    settings: { projectId: 'p1', environment },
    version: '1.2.3',
    transport: {
      async ask(request) {
        requests.push(request);
        return answers.shift() ?? { ok: true, body: {} };
      },
    },
    counts: () => ({ bot: { click_num_events: clicks } }),
    onOver: () => events.push('over'),
    onUnsent: () => events.push('unsent'),
  });
  const click = () => {
    clicks += 1;
  };
  return { link, requests, events, click };
}

describe('session link', () => {
  test('opens a session with the project, the signed id and all facts, without an API key', async () => {
    const { link, requests } = linkWith([OPENED]);
    link.add({ browser: { language: 'fr' } });
    const opening = await link.open('kept');
    expect(opening).toEqual({ answer: { session_id: 's1' }, canTryAgain: false, browserToken: 'b1' });
    expect(requests[0]).toEqual({
      method: 'POST',
      path: '/session',
      body: {
        project_id: 'p1',
        browser_token: 'kept',
        source: 'web',
        source_version: 'sdk-1.2.3',
        browser: { language: 'fr' },
        bot: { click_num_events: 0 },
      },
    });
  });

  test('sends nothing before the session is open', async () => {
    const { link, requests, click } = linkWith([]);
    click();
    await link.flush(true);
    await link.complete();
    expect(requests).toEqual([]);
  });

  test('sends later facts to the session with its token', async () => {
    const { link, requests, click } = linkWith([OPENED]);
    await link.open(null);
    click();
    await link.flush(true);
    expect(requests[1]).toEqual({
      method: 'PATCH',
      path: '/session/s1',
      token: 't1',
      body: { bot: { click_num_events: 1 } },
      keepalive: true,
    });
    expect(link.sent()).toEqual({ bot: { click_num_events: 1 } });
  });

  test('stops after a response from another environment than the page expects', async () => {
    const { link, requests, click } = linkWith([OPENED], 'production');
    const { answer, canTryAgain } = await link.open(null);
    expect(answer).toEqual({ session_id: null, error: 'environment_mismatch' });
    expect(canTryAgain).toBe(false);
    click();
    await link.flush(false);
    expect(requests).toHaveLength(1);
  });

  test('continues after a response from the expected environment', async () => {
    const { link } = linkWith([OPENED], 'sandbox');
    expect((await link.open(null)).answer).toEqual({ session_id: 's1' });
  });

  test.each([
    ['network_error', false, true],
    ['server_error', false, true],
    ['refused', true, false],
  ] as const)('returns %s, and whether to retry', async (error, isFinal, canTryAgain) => {
    const { link } = linkWith([{ ok: false, error, isFinal }]);
    expect(await link.open(null)).toEqual({ answer: { session_id: null, error }, canTryAgain });
  });

  test('reports server_error for a malformed response', async () => {
    const { link } = linkWith([{ ok: true, body: { session_id: 7 } }]);
    expect((await link.open(null)).answer).toEqual({ session_id: null, error: 'server_error' });
  });

  test('stops when the session rejects facts, and retries after a network failure', async () => {
    const { link, events, click, requests } = linkWith([
      OPENED,
      { ok: false, error: 'network_error', isFinal: false },
      { ok: false, error: 'refused', isFinal: true },
    ]);
    await link.open(null);
    click();
    await link.flush(false);
    expect(events).toEqual(['unsent']);
    await link.flush(false);
    expect(events).toEqual(['unsent', 'over']);
    expect(requests[2]?.body).toEqual({ bot: { click_num_events: 1 } });
  });

  test('completes the session with its token', async () => {
    const { link, requests } = linkWith([OPENED]);
    await link.open(null);
    await link.complete();
    expect(requests[1]).toEqual({ method: 'POST', path: '/session/s1/complete', token: 't1' });
  });
});
