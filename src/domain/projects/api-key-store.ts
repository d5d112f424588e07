import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Prisma } from '../../storage/generated/prisma/client.ts';
import { prismaPage } from '../../storage/prisma-page.ts';

/** Columns that a query selects of each key; at least its ids. */
export type KeyQuery = { select: Prisma.ApiKeySelect & { projectId: true; keyId: true } };

/** A page of the keys of the project, the newest first: their ids are ordered by time. */
export function findKeys({ projectId, prisma }: ProjectDatabase, page: KeysetPage, query: KeyQuery) {
  const { where, ...order } = prismaPage('keyId', 'desc', page);
  return prisma.apiKey.findMany({ ...query, ...order, where: { projectId, ...where } });
}

/** Number of keys of the project, counted up to a limit. */
export function countKeys({ projectId, prisma }: ProjectDatabase, limit: number): Promise<number> {
  return prisma.apiKey.count({ where: { projectId }, take: limit });
}
