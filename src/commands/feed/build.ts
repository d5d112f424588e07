import type { BadLines } from '@vouchgraph/signals';
import type { FeedBuild, FeedBuildReport } from '@vouchgraph/signals/build-feed';
import { BUILD_FORMAT_NAMES, BUILD_FORMATS, type BuildFormatName } from '@vouchgraph/signals/build-formats';
import { FEED_KINDS } from '@vouchgraph/signals/feed-match';
import { counted, print, printJson } from '@vouchgraph/terminal';
import { type Command, Option } from 'commander';
import { JSON_OPTION } from '../support/arguments.ts';
import { loadConfig } from '../support/with-database.ts';

type BuildOptions = Omit<FeedBuild, 'files'> & { json?: boolean };

/** Registers `feed build`. */
export function addFeedBuildCommand(feed: Command): void {
  feed
    .command('build')
    .description(
      'build a feed from files that VPN providers, Tor, Apple and cloud providers publish; download them first',
    )
    .argument('<files...>', 'downloaded files of one format')
    .addOption(
      new Option('-f, --format <format>', 'publisher of the files')
        .choices(BUILD_FORMAT_NAMES)
        .makeOptionMandatory(),
    )
    .option('-n, --name <name>', 'name of the feed; by default the format')
    .addOption(
      new Option('-k, --kind <kind>', 'kind of the feed; by default that of the format').choices(FEED_KINDS),
    )
    .option(
      '--date <date>',
      'date of the list, such as 2026-11-20; by default the oldest date inside the files',
    )
    .option('--source <text>', 'origin of the files; by default the address of the publisher')
    .option('--license <text>', 'license or terms of the list')
    .option('--provider <name>', 'service that operates all addresses')
    .option('--replace', 'replace a feed of the same name')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `\nWhere to download each format:\n${sourceLines()}

Example:
  vouchgraph feed build mullvad.json --format mullvad --name vpn --date 2026-11-20`,
    )
    .action(runBuild);
}

function sourceLines(): string {
  const names = BUILD_FORMAT_NAMES.filter((name) => BUILD_FORMATS[name].source !== '');
  return names
    .map((name: BuildFormatName) => `  ${name.padEnd(12)} ${BUILD_FORMATS[name].source}`)
    .join('\n');
}

async function runBuild(files: string[], { json, ...options }: BuildOptions): Promise<void> {
  const { buildFeed } = await import('@vouchgraph/signals/build-feed');
  const { feedsDir } = await loadConfig();
  const report = await buildFeed(feedsDir, { ...options, files });
  if (json) printJson(report);
  else printReport(report);
}

function printReport({ feed, source, licence, duplicates, files }: FeedBuildReport): void {
  print(
    `${feed.name}: ${feed.kind} of ${feed.as_of}, ${counted(feed.ranges_ipv4, 'IPv4 range')}, ${counted(feed.ranges_ipv6, 'IPv6 range')}` +
      `${duplicates > 0 ? `, ${counted(duplicates, 'duplicate')}` : ''}; freshness ${feed.freshness}`,
  );
  print(`  source: ${source || 'not given'}`);
  print(`  license: ${licence}`);
  for (const { file, unit, entries, host_names, special, bad_lines } of files) {
    print(`  ${file}: ${counted(entries, 'address or range', 'addresses and ranges')}`);
    printLines(unit, 'named by host name only, not resolved', host_names);
    printLines(unit, 'private or reserved, left out', special);
    printLines(unit, 'unreadable, left out', bad_lines);
  }
  print('A running gateway reads it within seconds.');
}

function printLines(unit: string, what: string, { count, examples }: BadLines): void {
  if (count === 0) return;
  print(`    ${count} ${what}`);
  for (const { line, text } of examples) print(`      ${unit} ${line}: ${JSON.stringify(text)}`);
}
