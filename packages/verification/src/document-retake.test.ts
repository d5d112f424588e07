import type { RiskFlag } from '@vouchgraph/signals';
import type { DocumentJudgment, JudgedDocument } from '@vouchgraph/vision';
import { describe, expect, it, test } from 'vitest';
import { mayRetake, retakeOf, retakeReasonOf } from './document-retake.ts';
import { simulatedResult } from './simulated-result.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const FRONT = { problem: null, hasOutline: true, lines: [{}], barcode: null, sharpness: 300, glare: 0 };
const CUT = 'could_not_confidently_determine_full_id_user_needs_to_retry';

type Shown = {
  flags?: RiskFlag[];
  reasons?: string[];
  front?: object;
  signals?: Partial<DocumentJudgment['signals']>;
  type?: DocumentJudgment['data']['templateInfo']['templateType'];
};

/** A document with fields that were read, none of them vouched for. */
function shown({ flags = ['cannot_confirm_id_is_authentic'], reasons, front, signals, type }: Shown) {
  const result = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: flags }, NOW);
  const document = result.document!;
  const { templateInfo } = document.data;
  const judgment = {
    ...document,
    signals: { ...document.signals, ...signals },
    data: { ...document.data, templateInfo: { ...templateInfo, templateType: type ?? 'driver_license' } },
    reasons: reasons ?? ['nothing_vouched'],
  };
  return { reading: { front: { ...FRONT, ...front }, back: null }, judgment } as unknown as JudgedDocument;
}

describe('a document is captured again', () => {
  it.each([
    ['blurred', { front: { sharpness: 5 }, signals: { isFullIdCaptured: CUT } }],
    ['glare', { front: { glare: 0.1 }, type: 'passport' }],
    ['cut', { signals: { isFullIdCaptured: CUT } }],
    ['unreadable', { type: 'passport' }],
    ['unreadable', { signals: { idBarcodeStatus: 'barcode_requested_but_error_reading' } }],
    ['unreadable', { front: { hasOutline: false, lines: [], sharpness: 0 } }],
    ['unreadable', { front: { problem: 'not_an_image' } }],
  ] as [string, Shown][])('%s', (reason, document) => {
    expect(retakeReasonOf(shown(document))).toBe(reason);
  });
});

describe('a document is assessed without a retake', () => {
  it.each([
    ['with a confirmed field', { reasons: [], signals: { isFullIdCaptured: CUT } }],
    ['with contradictions', { flags: ['likely_fake_id'], signals: { isFullIdCaptured: CUT } }],
    ['on a screen', { flags: ['cannot_confirm_id_is_authentic', 'digital_id'] }],
    ['that is complete and has no machine readable part', {}],
  ] as [string, Shown][])('%s', (_, document) => {
    expect(retakeReasonOf(shown(document))).toBeNull();
  });
});

test('a session has at most two retakes, within its capture time', () => {
  const row = { document_retakes: 0, expires_at: NOW, started_at: new Date(NOW.getTime() - 3_600_000) };
  expect([0, 1, 2].map((count) => mayRetake({ ...row, document_retakes: count }, NOW))).toEqual([
    true,
    true,
    false,
  ]);
  expect(mayRetake({ ...row, started_at: new Date(NOW.getTime() - 24 * 3_600_000) }, NOW)).toBe(false);
});

test('a retake is shown while the session captures, and not before the first one', () => {
  const row = { documentRetakes: 1, retakeReason: 'glare' } as const;
  expect(retakeOf(row, 'capturing')).toEqual({ reason: 'glare', remaining: 1 });
  for (const state of ['processing', 'completed', 'failed', 'expired'] as const)
    expect(retakeOf(row, state)).toBeNull();
  expect(retakeOf({ documentRetakes: 0, retakeReason: '' }, 'capturing')).toBeNull();
});
