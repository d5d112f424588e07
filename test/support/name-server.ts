import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/*
 * A name server on loopback, which replaces the internet in the tests. It has MX and A records of a few
 * domains; every other name does not exist (RFC 1035).
 */

export type NameServer = { readonly address: string; close(): Promise<void> };

const MX = 15;

/** Starts on a free port. `silent`: it receives queries and never responds. */
export async function startNameServer(
  domains: Readonly<Record<string, 'mx'>>,
  { silent = false } = {},
): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (question, peer) => {
    if (!silent) socket.send(answerOf(question, domains), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function answerOf(question: Buffer, domains: Readonly<Record<string, 'mx'>>): Buffer {
  const { name, end } = nameAt(question, 12);
  const type = question.readUInt16BE(end);
  const asked = question.subarray(12, end + 4);
  const isKnown = domains[name] !== undefined;
  const record = isKnown && type === MX ? mxRecord() : Buffer.alloc(0);
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  // A response, recursion available; the name does not exist (3) when it is not one of the records.
  header.writeUInt16BE(0x8180 | (isKnown ? 0 : 3), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(record.length > 0 ? 1 : 0, 6);
  return Buffer.concat([header, asked, record]);
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** `10 mail.<the name of the question>`, for a minute. */
function mxRecord(): Buffer {
  const exchange = Buffer.concat([Buffer.from([4]), Buffer.from('mail'), Buffer.from([0xc0, 12])]);
  const record = Buffer.alloc(14);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(MX, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(2 + exchange.length, 10);
  record.writeUInt16BE(10, 12);
  return Buffer.concat([record, exchange]);
}
