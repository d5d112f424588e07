import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawLinkGraph, type LinkAnswer } from './link-graph-svg.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

function answerWith(accountId: string, linked: readonly string[]): LinkAnswer {
  const edges = linked.map((id) => ({
    score: 0.5,
    evidence: [{ kind: 'DEVICE', maskedValue: null, weight: 0.45 }],
    node: { accountId: id, decision: 'FAKE' },
  }));
  return { data: { account: { accountId, decision: 'REAL', linkedAccounts: { edges } } } };
}

describe('the link graph of the README', () => {
  it('is drawn from the response in the README', () => {
    const [, answer = ''] = /```json\n([\s\S]*?)```/.exec(read('README.md'))!;
    expect(read('docs/link-graph.svg')).toBe(drawLinkGraph(JSON.parse(answer)));
  });

  it('has a circle for each account and a line for each link', () => {
    const svg = drawLinkGraph(answerWith('a', ['b', 'c', 'd']));
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg.match(/<path/g)).toHaveLength(3);
    for (const id of ['a', 'b', 'c', 'd']) expect(svg).toContain(`>${id}</text>`);
  });

  it('escapes text', () => {
    expect(drawLinkGraph(answerWith('<a&b>', []))).toContain('&lt;a&amp;b&gt;');
  });
});
