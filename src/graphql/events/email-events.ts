import { shownFacts } from '@vouchgraph/events';
import { EmailBatchType, EmailCheckType } from '../email/email-refs.ts';
import { builder } from '../kernel/builder.ts';
import { eventFacts, facts, text, uuid } from '../kernel/fact-fields.ts';
import { asText } from '../kernel/stored-facts.ts';
import { EmailResultSnapshot } from './email-snapshot.ts';
import { liveNode } from './event.ts';
import { objectType } from './event-objects.ts';

export const EmailCheckCompletedEvent = objectType('email.intelligence.completed');
builder.objectFields(EmailCheckCompletedEvent, (t) => ({
  ...eventFacts(t, {
    checkId: uuid('Id of the check.', { from: 'requestId' }),
    batchId: uuid('Id of the batch of the check.', { nulls: 'Null if it has none.' }),
    email: text('Checked address.', { mask: 'email', from: 'data.input.email' }),
    emailResultSnapshot: facts(EmailResultSnapshot, 'Result at the completion.', {
      from: 'data.result',
      nulls: 'Null if the check failed.',
    }),
  }),
  emailCheck: t.field({
    type: EmailCheckType,
    nullable: true,
    description: 'Current state of the check. Null if it was erased or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const checkId = asText(shownFacts(viewer, event).requestId);
      return liveNode(checkId, (id) => loaders.emailCheck.load(id));
    },
  }),
}));

export const EmailBatchCompletedEvent = objectType('email.batch.completed');
builder.objectFields(EmailBatchCompletedEvent, (t) => ({
  emailBatch: t.field({
    type: EmailBatchType,
    nullable: true,
    description: 'Current state of the batch. Null if it was erased or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const batchId = asText(shownFacts(viewer, event).batchId);
      return liveNode(batchId, (id) => loaders.emailBatch.load(id));
    },
  }),
}));
