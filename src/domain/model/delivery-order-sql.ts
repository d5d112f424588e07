/**
 * SQL: the key of the advisory lock of a project's webhook deliveries, whose rules are those of webhooks/delivery-queue-store.ts. The
 * trigger `vouchgraph_release_deliveries` has the same key.
 */
export const orderLockKey = (projectId: string): string =>
  `hashtextextended('webhook deliveries ' || ${projectId}, 0)`;
