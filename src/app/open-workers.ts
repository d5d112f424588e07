import { recalculateStandings } from '../domain/accounts/standing-service.ts';
import { startAuditChain } from '../domain/audit/audit-chain-worker.ts';
import { startBacktests } from '../domain/decisions/backtests/backtest-worker.ts';
import { createEventHub } from '../domain/events/event-hub-worker.ts';
import { startRelay } from '../domain/events/relay-service.ts';
import { startRecalculationWorker } from '../domain/linking/recalculation-worker.ts';
import { startMemberExpiry } from '../domain/lists/member-expiry-worker.ts';
import { createResolve } from '../domain/outbound/guarded-agent-adapter.ts';
import { startStats } from '../domain/stats/stats-worker.ts';
import { createEndpointService } from '../domain/webhooks/endpoint-service.ts';
import { createSender } from '../domain/webhooks/sender-service.ts';
import { startWebhooks } from '../domain/webhooks/webhook-service.ts';
import { loopbackRule } from './loopback-rule.ts';
import type { Storage } from './open-storage.ts';
import type { Start } from './start.ts';

export type Workers = Awaited<ReturnType<typeof openWorkers>>;

/** Starts what works without requests: events, links, lists, backtests and webhooks. */
export async function openWorkers(start: Start, { database, access, projects }: Storage) {
  const { options, config, clock, opened, onError } = start;
  const relay = startRelay({
    database,
    pollMs: options.relay?.pollMs,
    onStatement: options.onStatement,
    onError: onError('numbering events failed'),
  });
  opened.defer(relay.close);
  const { worksInBackground: runsAlone } = options;
  const auditChain = startAuditChain({
    system: database.system,
    runsAlone,
    onError: onError('chaining audit entries failed'),
  });
  opened.defer(auditChain.close);
  const parts = { database, clock, getProject: access.findProjectById };
  const recalculationWorker =
    options.recalculatesLinks === false
      ? null
      : startRecalculationWorker({
          ...parts,
          recalculateStandings,
          onError: onError('recalculating links failed'),
        });
  opened.defer(() => recalculationWorker?.close());
  const memberExpiry = startMemberExpiry({
    ...parts,
    runsAlone,
    onError: onError('removing expired members of lists failed'),
  });
  opened.defer(memberExpiry.close);
  const backtests = startBacktests({ ...parts, runsAlone, onError: onError('running backtests failed') });
  opened.defer(backtests.close);
  const stats = startStats({
    system: database.system,
    getProject: access.findProjectById,
    runsAlone,
    onError: onError('counting events for statistics failed'),
  });
  opened.defer(stats.close);
  const hub = createEventHub({ relay, onError: onError('reading new events failed') });
  opened.defer(hub.close);
  const sender = createSender({ resolve: createResolve(config.dnsServers), ...options.webhooks });
  opened.defer(sender.close);
  const allowsLoopback = loopbackRule(config, projects);
  const webhooks = startWebhooks({
    system: database.system,
    sender,
    clock,
    relay,
    allowsLoopback,
    getProject: access.findProjectById,
    onError: onError('delivering webhooks failed'),
  });
  opened.defer(webhooks.close);
  const endpoints = createEndpointService({ clock, sender, allowsLoopback, onResent: webhooks.wake });
  return { relay, auditChain, recalculationWorker, memberExpiry, backtests, stats, hub, webhooks, endpoints };
}
