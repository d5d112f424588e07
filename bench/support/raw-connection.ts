import { connect, type Socket } from 'node:net';

export type RawAnswer = {
  status: number;
  body: Buffer;
  /** Content-Encoding of the body, '' for none. */
  encoding: string;
};

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * One HTTP/1.1 connection that sends prepared request texts, one at a time. It parses only the responses of our
 * servers (a status and a content-length), so that the client takes little of the machine that it measures.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    const fail = (error: Error) => {
      this.#waiting?.reject(error);
      this.#waiting = null;
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server closed the connection')));
  }

  static async open(host: string, port: number): Promise<RawConnection> {
    const socket = connect(port, host);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  /** Whether the server still listens: it closes connections that are idle for a while. */
  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  send(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) throw new Error('the server closed the connection before the request');
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const bodyStart = headEnd + HEAD_END.length;
    if (this.#received.length < bodyStart + length) return;
    const body = this.#received.subarray(bodyStart, bodyStart + length);
    this.#received = this.#received.subarray(bodyStart + length);
    const waiting = this.#waiting;
    this.#waiting = null;
    const encoding = /\r\ncontent-encoding: (\w+)/i.exec(head)?.[1] ?? '';
    waiting?.resolve({ status: Number(head.slice(9, 12)), body, encoding });
  }
}
