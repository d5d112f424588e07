import { VERIFICATION_STATES, type VerificationState } from '../domain/verification/state-table.ts';
import { CHALLENGE_STEPS } from '../domain/vision/readings.ts';
import { builder } from './builder.ts';

export const VerificationKindType = builder.enumType('VerificationKind', {
  description: 'What is verified.',
  values: {
    ID_CHECK: { description: 'A document, and the face of who shows it.', value: 'id' },
    FACE_CHECK: { description: 'A face.', value: 'face' },
  } as const,
});

const STATE_MEANINGS: Readonly<Record<VerificationState, string>> = {
  created: 'Its page was not asked for yet.',
  opened: 'Its page was shown; nobody has started.',
  capturing: 'Pictures are being taken.',
  processing: 'Pictures were submitted and are being read.',
  completed: 'There is a result.',
  failed: 'There is none; failure says why.',
  expired: 'Nobody started within 24 hours, or the capture was not over 24 hours later.',
};

export const VerificationStateType = builder.enumType('VerificationState', {
  description:
    'Where a verification session stands: created, opened, capturing, processing, then completed or failed; expired ' +
    'when it was not started within 24 hours, or not captured within 24 more. Processing returns to capturing when the document has to be captured again (retake). None is left once it is completed, failed or expired.',
  values: Object.fromEntries(
    VERIFICATION_STATES.map((state) => [
      state.toUpperCase(),
      { description: STATE_MEANINGS[state], value: state },
    ]),
  ) as Record<Uppercase<VerificationState>, { description: string; value: VerificationState }>,
});

export const ChallengeStepType = builder.enumType('ChallengeStep', {
  description: 'What the head did.',
  values: Object.fromEntries(
    CHALLENGE_STEPS.map((step) => [
      step.toUpperCase(),
      {
        description: step === 'center' ? 'Looked into the camera.' : `Turned to the person’s ${step}.`,
        value: step,
      },
    ]),
  ) as Record<
    Uppercase<(typeof CHALLENGE_STEPS)[number]>,
    { description: string; value: (typeof CHALLENGE_STEPS)[number] }
  >,
});
