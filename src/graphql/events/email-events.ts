import { shownFacts } from '../../domain/events/event-selection.ts';
import { builder } from '../builder.ts';
import { EmailBatchType, EmailCheckType } from '../email-refs.ts';
import { EmailResultSnapshot } from './email-snapshot.ts';
import { eventObject, liveNode } from './event.ts';
import { readFacts, readInt, readText } from './stored-facts.ts';

export const EmailCheckCompletedEvent = eventObject('email.intelligence.completed');
builder.objectFields(EmailCheckCompletedEvent, (t) => ({
  checkId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the check. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('requestId')(shownFacts(viewer, event)),
  }),
  batchId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the batch of the check. Null if it has none.',
    resolve: (event, _args, { viewer }) => readText('batchId')(shownFacts(viewer, event)),
  }),
  email: t.string({
    nullable: true,
    description: 'Checked address. Null if unknown.',
    resolve: (event, _args, { viewer }) => {
      const data = readFacts('data')(shownFacts(viewer, event)) ?? {};
      return readText('email')(readFacts('input')(data) ?? {});
    },
  }),
  emailResultSnapshot: t.field({
    type: EmailResultSnapshot,
    nullable: true,
    description: 'Result at the completion. Null if the check failed.',
    resolve: (event, _args, { viewer }) => {
      const data = readFacts('data')(shownFacts(viewer, event)) ?? {};
      return readFacts('result')(data);
    },
  }),
  emailCheck: t.field({
    type: EmailCheckType,
    nullable: true,
    description: 'Current state of the check. Null if it was erased or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const checkId = readText('requestId')(shownFacts(viewer, event));
      return liveNode(checkId, (id) => loaders.emailCheck.load(id));
    },
  }),
}));

export const EmailBatchCompletedEvent = eventObject('email.batch.completed');
builder.objectFields(EmailBatchCompletedEvent, (t) => ({
  batchId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the batch. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('batchId')(shownFacts(viewer, event)),
  }),
  totalCount: t.int({
    nullable: true,
    description: 'Number of checks. Null if unknown.',
    resolve: (event, _args, { viewer }) => readInt('totalCount')(shownFacts(viewer, event)),
  }),
  completedCount: t.int({
    nullable: true,
    description: 'Number of completed checks, including those without a result. Null if unknown.',
    resolve: (event, _args, { viewer }) => readInt('completedCount')(shownFacts(viewer, event)),
  }),
  failedCount: t.int({
    nullable: true,
    description: 'Number of checks without a result. Null if unknown.',
    resolve: (event, _args, { viewer }) => readInt('failedCount')(shownFacts(viewer, event)),
  }),
  emailBatch: t.field({
    type: EmailBatchType,
    nullable: true,
    description: 'Current state of the batch. Null if it was erased or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const batchId = readText('batchId')(shownFacts(viewer, event));
      return liveNode(batchId, (id) => loaders.emailBatch.load(id));
    },
  }),
}));
