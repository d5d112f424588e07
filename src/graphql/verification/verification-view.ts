import DataLoader from 'dataloader';
import type { ResultRecord } from '../../domain/verification/find-verification-service.ts';
import type { VerificationView } from '../../domain/verification/result/verification.ts';
import type { GraphQLContext } from '../kernel/context.ts';

type ViewLoader = DataLoader<ResultRecord, VerificationView | null>;

/** One loader for each request: it reads the views of one level of a query together, and one view for all fields of a record. */
const loaders = new WeakMap<GraphQLContext, ViewLoader>();

/** Null unless there is a result that can be read. */
export function viewOf(record: ResultRecord, context: GraphQLContext): Promise<VerificationView | null> {
  const { verifications } = context.services;
  const loader =
    loaders.get(context) ??
    new DataLoader(async (records) => verifications.viewsIfComplete(context.viewer.project, records));
  loaders.set(context, loader);
  return loader.load(record);
}
