import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Response of the server for a domain; `silence` sends none. */
export type DnsAnswer =
  | { exchanges: readonly { priority: number; name: string }[] }
  | { address: readonly [number, number, number, number] }
  | 'empty'
  | 'no-such-domain'
  | 'failure'
  | 'silence';

export type DnsServer = {
  /** As `address:port`. */
  address: string;
  /** Names of MX queries, in the order of arrival. */
  asked: string[];
  /** Tests change it while the server runs; a name that is missing gets `fallback`. */
  answers: Map<string, DnsAnswer>;
  fallback: DnsAnswer;
  /** Delay before each response. */
  hold: Promise<void> | null;
  close(): Promise<void>;
};

const TYPE_A = 1;
const TYPE_MX = 15;
const RESPONSE_CODES = { 'no-such-domain': 3, failure: 2 } as const;

/** A name server on the loopback interface with the given records (RFC 1035, section 4). */
export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const accepting: DnsAnswer = { exchanges: [{ priority: 10, name: 'mx.example.net' }] };
  const server: DnsServer = {
    address: '',
    asked: [],
    answers: new Map([
      ['gmail.com', accepting],
      ['outlook.com', accepting],
    ]),
    fallback: 'no-such-domain',
    hold: null,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', async (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    if (type === TYPE_MX) server.asked.push(name);
    await server.hold;
    const answer = server.answers.get(name) ?? server.fallback;
    if (answer !== 'silence') socket.send(writeResponse(query, end, recordsOf(answer, type)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

type Records = { code: number; type: number; data: Buffer[] };

function recordsOf(answer: Exclude<DnsAnswer, 'silence'>, type: number): Records {
  if (answer === 'empty') return { code: 0, type, data: [] };
  if (typeof answer === 'string') return { code: RESPONSE_CODES[answer], type, data: [] };
  if ('address' in answer)
    return { code: 0, type, data: type === TYPE_A ? [Buffer.from(answer.address)] : [] };
  const exchanges = type === TYPE_MX ? answer.exchanges : [];
  return { code: 0, type, data: exchanges.map(({ priority, name }) => exchangeData(priority, name)) };
}

function exchangeData(priority: number, name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(`\0${label}`, 'latin1'));
  for (const label of labels) label[0] = label.length - 1;
  return Buffer.concat([Buffer.from([0, priority]), ...labels, Buffer.from([0])]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let position = 12;
  for (let length = query[position]!; length > 0; length = query[position]!) {
    labels.push(query.toString('latin1', position + 1, position + 1 + length));
    position += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(position + 1), end: position + 5 };
}

/** The question again, and after it the records, whose name points back to the question. */
function writeResponse(query: Buffer, questionEnd: number, { code, type, data }: Records): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(data.length, 6);
  const records = data.map((content) => {
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, content.length]);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([header, query.subarray(12, questionEnd), ...records]);
}
