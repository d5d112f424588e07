/*
 * Runs commands one after the other in this process, as src/main.ts runs each in its own: the modules of the service are
 * loaded once, not for each command. A command that leaves a socket or a timer open ends for its caller only when that has
 * closed, as its process would.
 */

export type HostedCall = { args: readonly string[]; environment: Record<string, string>; folder: string };
export type HostedEnd = { code: number; output: string; errors: string; isClean: boolean };

/** How long a command which called `process.exit` may take to close what it had opened: what it left open ends the host. */
const CLOSING_MS = 1000;

/** Ends the work of a command, as `process.exit` does. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super('exit');
    this.code = code;
  }
}

let calls = 0;
let output = '';
let errors = '';

collect(process.stdout, (text) => {
  output += text;
});
collect(process.stderr, (text) => {
  errors += text;
});
const endHost = process.exit;
process.once('disconnect', () => endHost(0));
process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0));
};
process.on('message', (call: HostedCall) => {
  void run(call).then((end) => process.send!(end));
});
/** Resources of this process itself, of which the channel is one once somebody listens. */
const baseline = process.getActiveResourcesInfo().length;

/** Passes what is written to a stream on to the collector. */
function collect(stream: NodeJS.WriteStream, onText: (text: string) => void): void {
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const onWritten = rest.at(-1);
    if (typeof onWritten === 'function') setImmediate(() => onWritten());
    return true;
  };
}

async function run({ args, environment, folder }: HostedCall): Promise<HostedEnd> {
  output = '';
  errors = '';
  process.exitCode = undefined;
  process.chdir(folder);
  process.argv.splice(1, process.argv.length, 'vouchgraph', ...args);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  const listeners = listenersOf();
  const exited = await main();
  const isClean = await isDrained(exited === null ? Number.POSITIVE_INFINITY : CLOSING_MS);
  for (const [emitter, name, known] of listeners)
    for (const each of emitter.listeners(name))
      if (!known.includes(each)) emitter.off(name, each as () => void);
  return { code: exited ?? Number(process.exitCode ?? 0), output, errors, isClean };
}

/** Runs the main module anew. Null: it ended without a call of `process.exit`. */
async function main(): Promise<number | null> {
  calls += 1;
  try {
    await import(`../../src/main.ts?call=${calls}`);
    return null;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

/** Whether everything that the command opened is closed, within this time. */
async function isDrained(withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (process.getActiveResourcesInfo().length > baseline) {
    if (performance.now() > giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return true;
}

/** Listeners that a command adds to the process, which a process of its own takes with it. */
function listenersOf() {
  const emitters: [NodeJS.EventEmitter, string][] = [
    [process, 'SIGINT'],
    [process, 'SIGTERM'],
    [process.stdout, 'error'],
  ];
  return emitters.map(([emitter, name]) => [emitter, name, emitter.listeners(name)] as const);
}
