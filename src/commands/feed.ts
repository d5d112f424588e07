import type { FeedReport, NewFeed } from '@vouchgraph/signals/feed-commands';
import { FEED_FORMATS, type FeedFormat } from '@vouchgraph/signals/feed-formats';
import { FEED_KINDS, type FeedKind } from '@vouchgraph/signals/feed-match';
import { counted, noneText, print, printJson } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import { addFeedBuildCommand } from './feed/build.ts';
import { JSON_OPTION, numberBetween, oneOf } from './support/arguments.ts';
import { loadConfig } from './support/with-database.ts';

/** Registers `feed`. */
export function addFeedCommand(program: Command): void {
  const feed = program
    .command('feed')
    .description('your own lists of IP addresses: VPN, Tor, proxies, relays …');
  feed
    .command('add')
    .description('add a feed; the file is checked and copied')
    .argument('<file>', 'list of addresses')
    .requiredOption('-n, --name <name>', 'name of the feed')
    .requiredOption('-k, --kind <kind>', FEED_KINDS.join(', '), oneOf(FEED_KINDS))
    .requiredOption('-f, --format <format>', FEED_FORMATS.join(', '), oneOf(FEED_FORMATS))
    .option('--as-of <date>', 'date of the list, such as 2026-11-20; without a date the list does not age')
    .option('--half-life-days <days>', 'days after which the list counts half', numberBetween(0.01, 36_500))
    .option('--confidence <share>', 'confidence of its entries, 0 to 1', numberBetween(0, 1))
    .option('--column <name>', 'csv: column of the addresses')
    .option('--provider-column <name>', 'csv: column of the service')
    .option('--replace', 'replace a feed of the same name')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph feed add vpn.txt --name vpn --kind vpn --format cidr --as-of 2026-11-20
  vouchgraph feed add proxies.csv --name proxies --kind proxy --format csv --column ip --provider-column service`,
    )
    .action(addFeedFile);
  addFeedBuildCommand(feed);
  feed
    .command('list')
    .description('list feeds; doctor also shows the included lists')
    .argument('[name]', 'name of one feed')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph feed list vpn --json')
    .action(showFeeds);
  feed
    .command('check')
    .description('read the feeds again and show unreadable lines; exit code 1 if a feed cannot be used')
    .argument('[name]', 'name of one feed')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph feed check vpn')
    .action(checkFeeds);
  feed
    .command('remove')
    .description('remove a feed')
    .argument('<name>', 'name of the feed')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph feed remove vpn')
    .action(dropFeed);
}

type FeedOptions = {
  name: string;
  kind: FeedKind;
  format: FeedFormat;
  asOf?: string;
  halfLifeDays?: number;
  confidence?: number;
  column?: string;
  providerColumn?: string;
  replace?: boolean;
  json?: boolean;
};

async function addFeedFile(file: string, options: FeedOptions): Promise<void> {
  const feed: NewFeed = {
    file,
    name: options.name,
    kind: options.kind,
    format: options.format,
    as_of: options.asOf,
    half_life_days: options.halfLifeDays,
    confidence: options.confidence,
    column: options.column,
    provider_column: options.providerColumn,
    replace: options.replace,
  };
  const { addFeed } = await loadFeedCommands();
  const report = await addFeed(await feedsFolder(), feed);
  if (options.json) return printJson(report);
  printFeed(report);
  print('A running gateway reads it within seconds.');
}

async function showFeeds(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const { reportFeeds } = await loadFeedCommands();
  const reports = await reportFeeds(await feedsFolder(), name);
  if (options.json) printJson(reports);
  else for (const report of reports) printFeed(report);
  if (!options.json && reports.length === 0)
    print('No feeds yet. The included lists are in use: see vouchgraph doctor.');
}

/** Also the lines that could not be read; exit code 1 when a list is not in use as it stands. */
async function checkFeeds(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const { reportFeeds } = await loadFeedCommands();
  const reports = await reportFeeds(await feedsFolder(), name);
  if (options.json) printJson(reports);
  for (const report of options.json ? [] : reports) {
    printFeed(report);
    for (const { line, text } of report.bad_line_examples)
      print(`    line ${line} cannot be read: ${JSON.stringify(text)}`);
  }
  if (!options.json && reports.length === 0) print(noneText('feeds'));
  if (reports.some(({ error }) => error !== null)) process.exitCode = 1;
}

function printFeed(report: FeedReport): void {
  if (report.kind === '') {
    print(
      `${report.name}: CANNOT BE READ, ${report.error}; a running gateway continues to use the previous list`,
    );
    return;
  }
  const counts = (
    [
      [report.ranges_ipv4, 'IPv4 range'],
      [report.ranges_ipv6, 'IPv6 range'],
      [report.networks, 'network'],
      [report.nodes, 'node'],
      [report.bad_lines, 'unreadable line'],
    ] as const
  )
    .filter(([number]) => number > 0)
    .map(([number, noun]) => counted(number, noun));
  const age =
    report.as_of === null ? 'no date, does not age' : `of ${report.as_of}, freshness ${report.freshness}`;
  print(`${report.name}: ${report.kind} (${report.format}), ${age}; ${counts.join(', ')}`);
  if (report.error !== null) print(`    CANNOT BE USED: ${report.error}`);
}

async function dropFeed(name: string, options: { json?: boolean }): Promise<void> {
  const { removeFeed } = await loadFeedCommands();
  await removeFeed(await feedsFolder(), name);
  if (options.json) return printJson({ name, removed: true });
  print(`Removed ${name}. A running gateway stops using it within seconds.`);
}

const loadFeedCommands = () => import('@vouchgraph/signals/feed-commands');

async function feedsFolder(): Promise<string> {
  return (await loadConfig()).feedsDir;
}
