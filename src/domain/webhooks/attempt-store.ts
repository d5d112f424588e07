import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Prisma, WebhookAttempt } from '../../storage/generated/prisma/client.ts';
import { prismaPage } from '../../storage/prisma-page.ts';

/** Expressions that a query selects of each attempt besides its columns. */
export type AttemptQuery = { include?: Prisma.WebhookAttemptInclude };

/** A page of the attempts of the project with ids from a minimum, the newest first; for a backward page the oldest first. */
export function attemptPage(
  { projectId, prisma }: ProjectDatabase,
  firstId: string,
  page: KeysetPage,
  query: AttemptQuery,
): Promise<WebhookAttempt[]> {
  const { where, ...order } = prismaPage('attemptId', 'desc', page);
  return prisma.webhookAttempt.findMany({
    ...query,
    ...order,
    where: { projectId, AND: [{ attemptId: { gte: firstId } }, where] },
  });
}

/** Number of the attempts of the project with ids from a minimum, up to a limit. */
export function countAttempts(
  { projectId, prisma }: ProjectDatabase,
  firstId: string,
  limit: number,
): Promise<number> {
  return prisma.webhookAttempt.count({ where: { projectId, attemptId: { gte: firstId } }, take: limit });
}
