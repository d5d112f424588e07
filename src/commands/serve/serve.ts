import { limitHeapWhileServing, limitHeapWhileStarting } from '@vouchgraph/platform/heap';
import { print, printText } from '@vouchgraph/terminal';
import { type App, createApp } from '../../app.ts';
import { isStartedByNpm, readConfig } from '../../config.ts';
import { version } from '../../version.ts';
import { showAdministratorLink } from './first-administrator.ts';
import { prepareSandbox, readSandbox, welcomeText } from './first-start.ts';
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
  // Without a terminal the output goes to a log, where a secret or a key would be stored.
  const isTerminal = process.stdout.isTTY;
  const app = await createApp({
    config,
    print: print,
    postgres: prepared?.postgres,
    onDatabaseLost: lost.resolve,
    readSandboxKey: async () => (await readSandbox(config.dataDir))?.api_key ?? null,
    showsSandboxLink: isTerminal,
  });
  stopOnSignal(app, config);
  void lost.promise.then((error) => stopAfter(app, error));
  const { baseUrl } = app.serve();
  limitHeapWhileServing();
  const sandbox = await prepareSandbox(config.dataDir, baseUrl, app.projects);
  print(`Vouchgraph ${version} answers on ${baseUrl} after ${(performance.now() / 1000).toFixed(1)} s`);
  print(`  try it      ${baseUrl}/graphql (GraphiQL)   ${baseUrl}/docs (REST)`);
  await printPageLink(app, baseUrl);
  await showAdministratorLink(config.dataDir, isTerminal, app);
  print(
    `  data        ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}`,
  );
  if (sandbox) printText(welcomeText(sandbox, config.dataDir, isTerminal));
  print('Ctrl-C stops it.');
}

/** The link works once, for 15 minutes. After it, the other pages of the gateway have the key in the same tab. */
async function printPageLink(app: App, baseUrl: string): Promise<void> {
  const secret = await app.sandboxSecret();
  if (secret === null) return;
  print(`  with a key  ${baseUrl}/graphql#secret=${secret} (works once, for 15 minutes)`);
}
