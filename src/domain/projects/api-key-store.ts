import type { KeysetPage } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import { prismaPage } from '../../storage/prisma-page.ts';

/** The columns of a key that operators see: neither the key nor its hash. */
const SHOWN = {
  ...{
    projectId: true,
    keyId: true,
    prefix: true,
    label: true,
    role: true,
    createdAt: true,
    expiresAt: true,
  },
  ...{ revokedAt: true, lastUsedAt: true },
} as const;

/** A page of the keys of the project, the newest first: their ids are ordered by time. */
export function findKeys({ projectId, prisma }: ProjectDatabase, page: KeysetPage) {
  const { where, ...order } = prismaPage('keyId', 'desc', page);
  return prisma.apiKey.findMany({ ...order, where: { projectId, ...where }, select: SHOWN });
}

/** Number of keys of the project, counted up to a limit. */
export function countKeys({ projectId, prisma }: ProjectDatabase, limit: number): Promise<number> {
  return prisma.apiKey.count({ where: { projectId }, take: limit });
}
