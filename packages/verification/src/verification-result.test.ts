import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assessVerification, type VerificationEvidence } from './assess-verification.ts';
import type { FaceMatch, FaceStanding } from './repeat-faces.ts';
import { simulatedResult } from './simulated-result.ts';
import {
  type AssessmentBasis,
  assessmentsOf,
  isReproducible,
  reassess,
  repeatsOfBasis,
  type VerificationResult,
  verificationFacts,
} from './verification-result.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const match = (account: string | null, isFraud = false): FaceMatch => ({
  sessionId: `of ${account}`,
  account,
  isFraud,
  agrees: false,
  isConfirmed: true,
});

/** A result of a session without an account. */
function resultOf(
  matches: FaceMatch[],
  {
    document = 0,
    isVirtualCamera = false,
  }: { document?: AssessmentBasis['document']; isVirtualCamera?: boolean } = {},
): VerificationResult {
  const basis: AssessmentBasis = {
    faces: { owner: null, matches },
    document,
    thresholds: THRESHOLDS,
    at: NOW.toISOString(),
  };
  const evidence = {
    document: null,
    face: { isRecaptured: false, isVirtualCamera },
    session: { riskSignals: {}, riskSignalScores: { impossibleTravel: 0 }, location: {} },
    referring: null,
    repeats: { ...repeatsOfBasis(basis), fraudId: false, device: false, otherEnrolledFace: false },
  } as unknown as VerificationEvidence;
  return {
    ...assessVerification(evidence, THRESHOLDS),
    kind: 'face',
    weightsVersion: '2',
    basis,
    document: null,
    referring: null,
    face: null,
    identifiers: [],
  };
}

test('binding to the matched account clears the flag and keeps the earlier assessment', () => {
  const before = resultOf([match('a')], { isVirtualCamera: true });
  expect(before).toMatchObject({
    decision: 'Suspicious',
    riskFlags: ['repeat_face', 'virtual_camera_detected'],
  });
  const after = reassess(before, { owner: 'a', matches: [match('a')] }, NOW)!;
  expect(after).toMatchObject({ riskScore: 0.6, riskFlags: ['virtual_camera_detected'] });
  expect(assessmentsOf(after).map(({ riskScore }) => riskScore)).toEqual([0.68, 0.6]);
  expect(assessmentsOf(after).every(isReproducible)).toBe(true);
});

test('an unchanged result and a simulated one are unchanged', () => {
  const faces: FaceStanding = { owner: 'b', matches: [match('a')] };
  const simulated = simulatedResult(
    'face',
    { decision: 'Fake', riskScore: 0.9, riskFlags: ['repeat_face'] },
    NOW,
  );
  expect(reassess(simulated, faces, NOW)).toBeNull();
  expect(assessmentsOf(simulated)).toEqual([]);
  const two = [match('a'), match('b')];
  expect(reassess(resultOf(two), { owner: 'a', matches: two }, NOW)).toBeNull();
});

test('a repeated document with the same face has the weight of the face, and another one its own', () => {
  const bound: FaceStanding = { owner: 'a', matches: [match('a')] };
  const like = resultOf([match('a')], { document: 'like face' });
  expect(like).toMatchObject({ riskScore: 0.2, riskFlags: ['repeat_face', 'repeat_id'] });
  expect(reassess(like, bound, NOW)).toMatchObject({ riskScore: 0, riskFlags: [] });
  const other = resultOf([match('a')], { document: 0.6 });
  expect(reassess(other, bound, NOW)).toMatchObject({ riskScore: 0.6, riskFlags: ['repeat_id'] });
});

test('an assessment that differs from its evidence is not reproducible', () => {
  const [stored] = assessmentsOf(resultOf([match('a')]));
  expect(isReproducible({ ...stored!, riskScore: 0.3 })).toBe(false);
  expect(isReproducible({ ...stored!, decision: 'Fake' })).toBe(false);
  expect(isReproducible({ ...stored!, contributions: [] })).toBe(false);
});

test('every assessment of any history is reproducible', () => {
  const matches = fc.array(
    fc.record({
      sessionId: fc.uuid(),
      account: fc.constantFrom(null, 'a', 'b'),
      isFraud: fc.boolean(),
      agrees: fc.boolean(),
      isConfirmed: fc.boolean(),
    }),
    { maxLength: 5 },
  );
  const standing = fc.record({ owner: fc.constantFrom(null, 'new', 'a', 'b'), matches });
  const document = fc.constantFrom<AssessmentBasis['document']>(0, 0.6, 'like face');
  fc.assert(
    fc.property(
      matches,
      fc.boolean(),
      document,
      fc.array(standing, { maxLength: 4 }),
      (first, isVirtualCamera, kind, later) => {
        let result = resultOf(first, { document: kind, isVirtualCamera });
        for (const faces of later) result = reassess(result, faces, NOW) ?? result;
        expect(assessmentsOf(result).every(isReproducible)).toBe(true);
        expect(assessmentsOf(JSON.parse(JSON.stringify(result))).every(isReproducible)).toBe(true);
      },
    ),
  );
});

test.each<[string, FaceStanding, AssessmentBasis['document'], boolean, boolean]>([
  ['of no other account', { owner: 'a', matches: [] }, 0, false, false],
  ['of its own account', { owner: 'a', matches: [match('a')] }, 'like face', false, false],
  ['of sessions without an account', { owner: 'a', matches: [match(null)] }, 'like face', false, false],
  ['of one other account, unbound', { owner: null, matches: [match('b')] }, 'like face', false, false],
  ['of another account', { owner: 'a', matches: [match('b')] }, 0, true, false],
  ['of another account, with its document', { owner: 'a', matches: [match('b')] }, 'like face', true, true],
  [
    'of its own account with the document of another',
    { owner: 'a', matches: [match('a')] },
    0.6,
    false,
    true,
  ],
  ['of its own account with known fraud', { owner: 'a', matches: [match('a', true)] }, 0, false, false],
  ['of another account with known fraud', { owner: 'a', matches: [match('b', true)] }, 0, true, false],
  ['of two accounts, unbound', { owner: null, matches: [match('a'), match('b')] }, 'like face', true, true],
])(
  'rules read whether a face %s, and its document, belong to another account',
  (_, faces, document, face, id) => {
    const before = resultOf([], { document, isVirtualCamera: true });
    const result = { ...before, basis: { ...before.basis!, faces } };
    const fields = (one: VerificationResult) => {
      const facts = verificationFacts(one);
      return [
        facts['verification.face_of_another_account'],
        facts['verification.document_of_another_account'],
      ];
    };
    // A face check has no document.
    expect(fields(result)).toEqual([face, null]);
    expect(fields({ ...result, kind: 'id' })).toEqual([face, id]);
  },
);

test('the flags of a simulated result state whether a face or a document belongs to another account', () => {
  const of = (kind: 'id' | 'face', riskFlags: VerificationResult['riskFlags']) => {
    const facts = verificationFacts(
      simulatedResult(kind, { decision: 'Real', riskScore: 0.1, riskFlags }, NOW),
    );
    return [facts['verification.face_of_another_account'], facts['verification.document_of_another_account']];
  };
  expect(of('face', [])).toEqual([false, null]);
  expect(of('face', ['repeat_face'])).toEqual([true, null]);
  expect(of('id', ['repeat_face'])).toEqual([true, false]);
  expect(of('id', ['repeat_id'])).toEqual([false, true]);
});
