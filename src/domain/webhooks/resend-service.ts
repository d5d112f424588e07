import {
  deliveryNotFound,
  endpointNotEnabled,
  endpointNotFound,
  eventNotFound,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { firstIdAt, isUuid, NIL_UUID } from '@vouchgraph/platform/ids';
import { betweenText } from '@vouchgraph/platform/wording';
import type { ProjectTransaction } from '../../storage/database.ts';
import type { WebhookDelivery } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { shareOrdersCall } from './delivery-queue-store.ts';
import { findDelivery, RESEND_ONE, RESEND_SINCE } from './delivery-store.ts';
import { getOwnEndpoint } from './endpoint-access-service.ts';
import { auditOf } from './endpoint-audit.ts';
import { lockEndpoint, type StoredEndpoint } from './endpoint-store.ts';

/** Maximum number of deliveries of one call. */
const MAX_RESENT = 10_000;

export type ResendSince = {
  endpointId: string;
  since: Date;
  onlyDead?: boolean;
  /** Maximum number of deliveries that the call examines. */
  first?: number;
  /** Id of the delivery to continue after. */
  after?: string | null;
};
/** `endCursor` is null if no deliveries follow those examined. */
export type Resent = { endpoint: StoredEndpoint; count: number; endCursor: string | null };

type ResendDependencies = {
  clock: Clock;
  /** Called when there are deliveries to be attempted again. */
  onResent: () => void;
};

/** Restarts a delivery at its first attempt, in any state. A running attempt ends first. */
export async function resend(
  deps: ResendDependencies,
  viewer: Viewer,
  requestId: string | null,
  deliveryId: string,
): Promise<WebhookDelivery> {
  assertMay(viewer, 'webhook.manage');
  const { clock, onResent } = deps;
  const delivery = isUuid(deliveryId) ? await findDelivery(viewer.project.database, deliveryId) : null;
  if (!delivery) throw deliveryNotFound();
  const { database, projectId } = viewer.project;
  const now = clock.now();
  const resent = await database.transaction(async (transaction) => {
    await lockEnabled(transaction, projectId, delivery.endpointId);
    const [rows] = await transaction.run(RESEND_ONE.call({ projectId, now, deliveryId }));
    if (!rows![0]) throw eventNotFound();
    const line = { action: 'webhook.resend' as const, after: { delivery: deliveryId } };
    const waiting = await findDelivery({ projectId, prisma: transaction.prisma }, deliveryId);
    await transaction.commit(auditOf(viewer, requestId, now, delivery.endpointId, line));
    return waiting!;
  });
  onResent();
  return resent;
}

/** Resends deliveries of events since a time that are delivered or dead, page by page. */
export async function resendSince(
  deps: ResendDependencies,
  viewer: Viewer,
  requestId: string | null,
  { endpointId, since, onlyDead = false, first = MAX_RESENT, after = null }: ResendSince,
): Promise<Resent> {
  assertMay(viewer, 'webhook.manage');
  const { clock, onResent } = deps;
  const { database, projectId } = viewer.project;
  const endpoint = await getOwnEndpoint(viewer, endpointId);
  if (!Number.isInteger(first) || first < 1 || first > MAX_RESENT)
    throw invalidInput(`first: ${betweenText(1, MAX_RESENT)}`, ['first']);
  if (after !== null && !isUuid(after))
    throw invalidInput('after: must be the endCursor of an earlier response', ['after']);
  const now = clock.now();
  const states = onlyDead ? ['dead'] : ['dead', 'delivered'];
  const resent = await database.transaction(async (transaction) => {
    await lockEnabled(transaction, projectId, endpointId);
    const [, rows = []] = await transaction.run(
      shareOrdersCall([projectId]),
      RESEND_SINCE.call({
        projectId,
        now,
        endpointId,
        firstId: firstIdAt(since),
        since,
        states,
        limit: first,
        after: after ?? NIL_UUID,
      }),
    );
    const count = rows.filter((row) => row.is_resent).length;
    const line = { action: 'webhook.resend' as const, after: { since: since.toISOString(), count } };
    await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
    return {
      endpoint,
      count,
      endCursor: rows.length === first ? rows.at(-1)!.delivery_id : null,
    };
  });
  onResent();
  return resent;
}

async function lockEnabled(
  transaction: ProjectTransaction,
  projectId: string,
  endpointId: string,
): Promise<void> {
  const endpoint = await lockEndpoint(transaction, projectId, endpointId);
  if (!endpoint) throw endpointNotFound();
  if (endpoint.state !== 'enabled') throw endpointNotEnabled(endpoint.state);
}
