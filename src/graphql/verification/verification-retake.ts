import type { Retake } from '@vouchgraph/verification';
import { builder } from '../kernel/builder.ts';

const RetakeReasonType = builder.enumType('VerificationRetakeReason', {
  description: 'Problem of the images of a document.',
  values: {
    BLURRED: { description: 'Text that is not sharp.', value: 'blurred' },
    GLARE: { description: 'Reflection on a part of the document.', value: 'glare' },
    CUT: { description: 'Part of the document outside the image.', value: 'cut' },
    UNREADABLE: { description: 'No document found, or text that could not be read.', value: 'unreadable' },
  } as const,
});

export const VerificationRetakeType = builder.objectRef<Retake>('VerificationRetake').implement({
  tokenScopes: 'any',
  subjects: 'wide',
  description:
    'Request to capture a document again in the same session. Upload ID_FRONT (and ID_BACK), then call ' +
    'completeVerificationCapture.',
  fields: (t) => ({
    reason: t.expose('reason', { type: RetakeReasonType, description: 'Problem of the latest images.' }),
    remaining: t.exposeInt('remaining', {
      description:
        'Number of further retakes, 0 or 1. The images of the last retake are assessed in any case.',
    }),
  }),
});
