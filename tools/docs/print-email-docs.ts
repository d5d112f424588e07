/*
 * Writes the tables of docs/email-signals.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { DECISION_BOUNDS as bounds, DELIVERY_RISKS } from '@vouchgraph/email/internals/assess-email';
import { DISPOSABLE_MAIL_HOSTS, SHARED_MAIL_HOSTS } from '@vouchgraph/email/internals/disposable-mail-hosts';
import { GENERIC_COUNTRY_SUFFIXES } from '@vouchgraph/email/internals/domain-country';
import {
  EMAIL_SIGNAL_SOURCES,
  EMAIL_SIGNALS,
  EMAIL_WEIGHTS_VERSION,
} from '@vouchgraph/email/internals/email-weights';
import { GOVERNMENT_DOMAINS, RELAY_DOMAINS, ROLE_LOCAL_PARTS } from '@vouchgraph/email/internals/own-domains';
import { MIN_TRUSTED_BREACH, PRESENCE_TIERS, RECENT_BREACH_DAYS } from '@vouchgraph/email/internals/presence';
import { codeItem } from './code-list.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/email-signals.md', import.meta.url);

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const code = (text: string) => `\`${text}\``;
const codes = (texts: Iterable<string>) => [...texts].map(code).join(' ');

function bandTable(): string {
  const { highTrust, trusted, moderate, risky } = bounds;
  return table(
    ['decision', 'risk score'],
    [
      [code('high_trust'), `below ${highTrust}`],
      [code('trusted'), `from ${highTrust} to below ${trusted}`],
      [code('moderate'), `from ${trusted} to ${moderate}`],
      [code('risky'), `above ${moderate} to ${risky}`],
      [code('high_risk'), `above ${risky}`],
    ],
  );
}

function signalTable(): string {
  const rows = Object.entries(EMAIL_SIGNALS).map(([name, { side, weight, sources, description }]) => [
    code(name),
    side,
    String(weight),
    sources.map(code).join(' '),
    description,
  ]);
  return `Version ${EMAIL_WEIGHTS_VERSION} of the weights.\n\n${table(['signal', 'side', 'weight', 'source', 'meaning'], rows)}`;
}

function sourceTable(): string {
  const rows = Object.entries(EMAIL_SIGNAL_SOURCES).map(([name, meaning]) => [code(name), meaning]);
  return table(['source', 'meaning'], rows);
}

function presenceTable(): string {
  const rows = PRESENCE_TIERS.map(([least, signal], index) => {
    const next = PRESENCE_TIERS[index - 1]?.[0];
    const range =
      next === undefined ? `${least} or more` : next - 1 === least ? `${least}` : `${least} to ${next - 1}`;
    return [code(signal), range, EMAIL_SIGNALS[signal].side];
  });
  return [
    table(['signal', 'services', 'side'], rows),
    `A breach is trusted if its \`trust_weight\` is ${MIN_TRUSTED_BREACH} or more. It is recent for ${RECENT_BREACH_DAYS} days.`,
  ].join('\n\n');
}

function deliveryTable(): string {
  const rows = Object.entries(DELIVERY_RISKS).map(([signal, risk]) => [code(signal), String(risk)]);
  return table(['signal', 'risk of delivery'], rows);
}

function hostTable(): string {
  const rows = [...DISPOSABLE_MAIL_HOSTS].map(([host, source]) => [code(host), source]);
  return `${table(['host and its subdomains', 'source'], rows)}\n\nShared hosts, which are excluded: ${codes(SHARED_MAIL_HOSTS)}`;
}

function includedLists(): string {
  return [
    codeItem('relays', RELAY_DOMAINS),
    codeItem('government domains without a reserved suffix', GOVERNMENT_DOMAINS),
    codeItem('local parts that name a function', ROLE_LOCAL_PARTS),
    codeItem(
      'country domains that are not evidence of a country',
      [...GENERIC_COUNTRY_SUFFIXES].map((suffix) => `.${suffix}`),
    ),
  ].join('\n');
}

const TABLES: Readonly<Record<string, string>> = {
  bands: bandTable(),
  signals: signalTable(),
  sources: sourceTable(),
  presence: presenceTable(),
  delivery: deliveryTable(),
  hosts: hostTable(),
  lists: includedLists(),
};
const page = Object.entries(TABLES).reduce(
  (text, [marker, written]) => replaceBetweenMarkers(text, marker, written),
  readFileSync(FILE, 'utf8'),
);
writeFileSync(FILE, page);
