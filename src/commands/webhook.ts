import { type Command, Option } from 'commander';
import { timestamp } from './support/arguments.ts';
import {
  addProjectOptions,
  inProject,
  projectCommand,
  REMOTE_HELP,
  withTarget,
} from './support/project-command.ts';

const loadEndpoints = () => import('./webhook/endpoints.ts');

/** Registers `webhook`. */
export function addWebhookCommand(program: Command): void {
  const webhook = program.command('webhook').description('webhook endpoints: URLs that receive events');
  webhook.addHelpText('after', REMOTE_HELP);
  addAdd(webhook);
  addList(webhook);
  addTest(webhook);
  addPause(webhook);
  addSignature(webhook);
  addRotate(webhook);
  addTail(webhook);
  addResend(webhook);
}

const endpointCommand = (webhook: Command, name: string, description: string) =>
  projectCommand(webhook, name, description).argument('<endpoint>', 'id of the endpoint');

const signatureOption = () =>
  new Option(
    '--signature <format>',
    'compat adds the older headers and body for receivers of another service',
  ).choices(['standard', 'compat']);
const signatureKeyOption = () =>
  new Option(
    '--signature-key <key>',
    'key of x-signature in the format compat: the secret as text, or its decoded bytes',
  ).choices(['text', 'decoded']);

function addAdd(webhook: Command): void {
  addProjectOptions(
    projectCommand(webhook, 'add', 'create an endpoint; its secret is shown once')
      .argument('<address>', 'URL that events are sent to')
      .option('-t, --types <types>', 'types of events, separated by commas; all by default')
      .option('-d, --description <text>', 'purpose of the endpoint')
      .addOption(signatureOption())
      .addOption(signatureKeyOption()),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph webhook add PROJECT_ID https://shop.example/hook --types account.authenticated',
    )
    .action(inProject(loadEndpoints, ({ addEndpoint }) => addEndpoint));
}

function addList(webhook: Command): void {
  addProjectOptions(
    projectCommand(
      webhook,
      'list',
      'list endpoints with their state, and since when all attempts failed',
    ).alias('ls'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph webhook list --url https://id.example.com --json')
    .action(inProject(loadEndpoints, ({ listEndpoints }) => listEndpoints));
}

function addTest(webhook: Command): void {
  addProjectOptions(
    endpointCommand(
      webhook,
      'test',
      'send a test event and show the response; exit code 1 unless its status is 2xx',
    ).option('-t, --type <type>', 'type of the event', 'account.authenticated'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph webhook test PROJECT_ID ENDPOINT_ID --type rule.triggered',
    )
    .action(inProject(loadEndpoints, ({ testEndpoint }) => testEndpoint));
}

function addPause(webhook: Command): void {
  addProjectOptions(
    endpointCommand(webhook, 'pause', 'pause an endpoint; after it is resumed it receives the missed events'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph webhook pause PROJECT_ID ENDPOINT_ID')
    .action(inProject(loadEndpoints, ({ pauseEndpoint }) => pauseEndpoint));
  addProjectOptions(
    endpointCommand(webhook, 'resume', 'resume an endpoint that is paused or disabled').option(
      '--from <timestamp>',
      'drop events before this time; by default all missed events are sent',
      timestamp,
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph webhook resume PROJECT_ID ENDPOINT_ID --from 2027-01-31T12:00:00Z',
    )
    .action(inProject(loadEndpoints, ({ resumeEndpoint }) => resumeEndpoint));
}

function addSignature(webhook: Command): void {
  addProjectOptions(
    endpointCommand(webhook, 'signature', 'change how deliveries to an endpoint are signed')
      .addOption(signatureOption())
      .addOption(signatureKeyOption()),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph webhook signature PROJECT_ID ENDPOINT_ID --signature compat --signature-key decoded',
    )
    .action(inProject(loadEndpoints, ({ setSignature }) => setSignature));
}

function addRotate(webhook: Command): void {
  addProjectOptions(
    endpointCommand(
      webhook,
      'rotate',
      'rotate the secret of an endpoint; the new secret is shown once, and the previous secret remains valid for a day',
    ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph webhook rotate PROJECT_ID ENDPOINT_ID --json')
    .action(inProject(loadEndpoints, ({ rotateSecret }) => rotateSecret));
}

const TAIL_HELP = `
Each line is one attempt: its start, its result (the status, or an error such as "connection" for a failed
connection), its duration, the event, the delivery with its current state, and the URL of the endpoint. While the
gateway or the database restarts, it waits, and continues with the first attempt that it has not printed. --json prints
one object per line.

Examples:
  vouchgraph webhook tail PROJECT_ID --endpoint ENDPOINT_ID
  vouchgraph webhook tail --url https://id.example.com --key-file operator.key --since 2027-01-31T12:00:00Z --json`;

function addTail(webhook: Command): void {
  addProjectOptions(
    projectCommand(webhook, 'tail', 'print delivery attempts as they happen')
      .option('-e, --endpoint <id>', 'attempts of one endpoint only')
      .option(
        '--since <timestamp>',
        'attempts at or after this time; only new attempts by default',
        timestamp,
      ),
  )
    .addHelpText('after', TAIL_HELP)
    .action(
      withTarget(async (target, options: { endpoint?: string; since?: Date }) => {
        const { tailAttempts } = await import('./webhook/tail.ts');
        await tailAttempts(target, options);
      }),
    );
}

function addResend(webhook: Command): void {
  addProjectOptions(
    projectCommand(webhook, 'resend', 'resend one delivery, or all deliveries of an endpoint since a time')
      .argument('[delivery]', 'id of the delivery')
      .option('--since <timestamp>', 'events at or after this time, such as 2027-01-31T00:00:00Z', timestamp)
      .option('-e, --endpoint <id>', 'id of the endpoint; requires --since')
      .option('--only-dead', 'with --since: only dead deliveries'),
  )
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph webhook resend PROJECT_ID DELIVERY_ID
  vouchgraph webhook resend PROJECT_ID --since 2027-01-31 --endpoint ENDPOINT_ID --only-dead`,
    )
    .action(
      inProject(
        () => import('./webhook/resend.ts'),
        ({ resend }) => resend,
      ),
    );
}
