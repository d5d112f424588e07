import { type App, createApp } from '../../app.ts';
import { isStartedByNpm, readConfig } from '../../config.ts';
import { limitHeapWhileServing, limitHeapWhileStarting } from '../../platform/heap.ts';
import { version } from '../../platform/version.ts';
import { print } from '../support/print.ts';
import { prepareSandbox, readSandboxKey, welcomeText } from './first-start.ts';
import { takePrepared } from './prepare.ts';
import { stopAfter, stopOnSignal, stopWithParent } from './stop.ts';

/** Starts the gateway, on a port other than PORT if one is given; it runs until a signal or an error ends it. */
export async function serve({ port }: { port?: number | undefined } = {}): Promise<void> {
  limitHeapWhileStarting();
  const settings = readConfig();
  const config = port === undefined ? settings : { ...settings, port };
  if (isStartedByNpm()) stopWithParent();
  const lost = Promise.withResolvers<Error>();
  const prepared = takePrepared();
  void prepared?.lost.then(lost.resolve);
  const app = await createApp({
    config,
    print: print,
    postgres: prepared?.postgres,
    onDatabaseLost: lost.resolve,
    // Without a terminal the output goes to a log, where a secret would be stored.
    readSandboxKey: process.stdout.isTTY ? () => readSandboxKey(config.dataDir) : undefined,
  });
  stopOnSignal(app, config);
  void lost.promise.then((error) => stopAfter(app, error));
  const { baseUrl } = app.serve();
  limitHeapWhileServing();
  const sandbox = await prepareSandbox(config.dataDir, baseUrl, app.projects);
  print(`Vouchgraph ${version} answers on ${baseUrl} after ${(performance.now() / 1000).toFixed(1)} s`);
  print(`  try it      ${baseUrl}/graphql (GraphiQL)   ${baseUrl}/docs (REST)`);
  await printPageLink(app, baseUrl);
  print(
    `  data        ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}`,
  );
  if (sandbox) print(welcomeText(sandbox, config.dataDir));
  print('Ctrl-C stops it.');
}

/** The link works once. After it, the other pages of the gateway have the key in the same tab. */
async function printPageLink(app: App, baseUrl: string): Promise<void> {
  const secret = await app.sandboxSecret();
  if (secret === null) return;
  print(`  with a key  ${baseUrl}/graphql#secret=${secret} (works once)`);
}
