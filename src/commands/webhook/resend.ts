import { print, printJson, UsageError } from '@vouchgraph/terminal';
import { globalIdOf } from '../../graphql/kernel/node-id.ts';
import type { Api } from '../support/api.ts';
import { RESEND_DELIVERY, RESEND_SINCE } from './documents.ts';
import { endpointIdOf } from './endpoints.ts';

type ResendOptions = { since?: Date; endpoint?: string; onlyDead?: boolean; json?: boolean };

/** Resends one delivery, or all of an endpoint since a time, and prints their number. */
export async function resend(
  api: Api,
  options: ResendOptions,
  deliveryId: string | undefined,
): Promise<void> {
  const { since, endpoint } = options;
  const isRange = since !== undefined && endpoint !== undefined;
  if ((deliveryId !== undefined) === isRange || (since === undefined) !== (endpoint === undefined))
    throw new UsageError('delivery: required, or --since and --endpoint', 'delivery');
  const count = isRange ? await resendSince(api, endpoint, since, options.onlyDead === true) : 1;
  if (!isRange) await api.run(RESEND_DELIVERY, { id: globalIdOf('WebhookDelivery', deliveryId!) });
  if (options.json) return printJson({ resent: count });
  print(`${count} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again by a running gateway.`);
}

async function resendSince(api: Api, endpoint: string, since: Date, onlyDead: boolean): Promise<number> {
  let count = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const input = { endpointId: endpointIdOf(endpoint), since: since.toISOString(), onlyDead, after };
    const { resendWebhooksSince } = await api.run<{
      resendWebhooksSince: { count: number; endCursor: string | null };
    }>(RESEND_SINCE, { input });
    count += resendWebhooksSince.count;
    after = resendWebhooksSince.endCursor;
  }
  return count;
}
