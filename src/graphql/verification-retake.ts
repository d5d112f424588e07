import type { Retake } from '../domain/verification/document-retake.ts';
import { builder } from './builder.ts';

const RetakeReasonType = builder.enumType('VerificationRetakeReason', {
  description: 'Problem of the images of a document.',
  values: {
    BLURRED: { description: 'The text is not sharp.', value: 'blurred' },
    GLARE: { description: 'A reflection covers a part of the document.', value: 'glare' },
    CUT: { description: 'A part of the document is outside the image.', value: 'cut' },
    UNREADABLE: { description: 'No document was found, or its text could not be read.', value: 'unreadable' },
  } as const,
});

export const VerificationRetakeType = builder.objectRef<Retake>('VerificationRetake').implement({
  description:
    'Request to capture a document again in the same session: upload ID_FRONT (and ID_BACK), then call ' +
    'completeVerificationCapture.',
  fields: (t) => ({
    reason: t.field({
      type: RetakeReasonType,
      description: 'Problem of the last images.',
      resolve: ({ reason }) => reason,
    }),
    remaining: t.int({
      description: 'Number of retakes left after this one, 0 or 1. The last images are judged as they are.',
      resolve: ({ remaining }) => remaining,
    }),
  }),
});
