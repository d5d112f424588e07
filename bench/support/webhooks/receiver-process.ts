import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reached, Target } from './protocol.ts';

/*
 * All receivers in one process. The first part of a path selects the behavior of a receiver. The process reports to its
 * parent when it has received the expected deliveries.
 */
const counts = { ok: 0, fail: 0, hang: 0 };
const reached: Reached = { healthyAt: 0, allAt: 0 };
let target: Target = { healthy: Number.POSITIVE_INFINITY, failing: Number.POSITIVE_INFINITY };
const now = () => performance.timeOrigin + performance.now();

function look(): void {
  if (reached.healthyAt === 0 && counts.ok >= target.healthy) reached.healthyAt = now();
  if (reached.allAt !== 0 || counts.ok < target.healthy || counts.fail < target.failing) return;
  reached.allAt = now();
  process.send!(reached);
}

const server = createServer((request, response) => {
  const kind = (request.url ?? '').split('/')[1] as keyof typeof counts;
  request.resume();
  request.once('end', () => {
    counts[kind] += 1;
    if (kind === 'ok') response.writeHead(200).end();
    else if (kind === 'fail') response.writeHead(500).end();
    look();
  });
});

process.on('message', (next: Target) => {
  Object.assign(counts, { ok: 0, fail: 0, hang: 0 });
  Object.assign(reached, { healthyAt: 0, allAt: 0 });
  target = next;
  process.send!('ready');
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
