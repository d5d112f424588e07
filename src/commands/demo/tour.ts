import { print } from '@vouchgraph/terminal';
import type { Body, DemoClient } from './demo-client.ts';

const CHROME_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';
const SAFARI_IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const CRAWLER = 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)';

type Visit = { ip: string; userAgent: string; timezone: string; device?: string; platform?: string };

async function visit(
  client: DemoClient,
  account: Record<string, unknown>,
  { ip, userAgent, timezone, device, platform }: Visit,
): Promise<Body> {
  const { session_id } = await client.rest('POST', '/session', {
    ip_address: ip,
    device_id: device,
    browser: { user_agent: userAgent, timezone, platform },
  });
  return client.rest('POST', '/session/authenticate', { session_id, account });
}

/** A score with at most two decimals. */
const rounded = (score: number): number => Number(score.toFixed(2));

function showVisit(title: string, answer: Body): void {
  const { session } = answer;
  const place =
    [session.location.city, session.location.country_code].filter(Boolean).join(', ') || 'unknown place';
  print('', `  ${title}`);
  print(
    `    network   ${session.network.ip_address}  ${session.network.service_provider}  (${session.network.connection_type || 'unknown'}, ${place})`,
  );
  print(
    `    device    ${session.device.category}: ${session.browser.type || 'no known browser'}${session.device.os ? ` on ${session.device.os}` : ''}`,
  );
  print(
    `    decision  ${answer.decision}   score ${rounded(answer.account_score)}   linked accounts ${answer.accounts_linked}`,
  );
  const { network, device } = session.risk_signal_details;
  for (const reason of [...network, ...device]) {
    const scores = Object.entries(reason.contributions).map(
      ([key, value]) => `${key} ${rounded(Number(value))}`,
    );
    print(`    reason    ${reason.code}: ${reason.observed} -> ${scores.join(', ')}`);
  }
  if (network.length + device.length === 0) print('    reason    none: no signal is raised');
}

const LINKS = `query Links($id: ID!) {
  account(accountId: $id) {
    decision accountScore multipleAccounts
    linkedAccounts(first: 10) { edges { score matchTypes node { accountId phone username decision } } }
  }
}`;

/** Names and numbers of one run only, so that a second tour is not linked to the first. */
type Run = {
  readonly run: string;
  /** Last four digits of phone numbers. */
  readonly local: string;
  /** Id of the account of a person. */
  id(name: string): string;
};

/** Prints the decisions of the gateway about the visits, and the links between the visitors. */
export async function tour(client: DemoClient): Promise<void> {
  const run = Date.now().toString(36);
  const local = String(Date.now() % 10_000).padStart(4, '0');
  const names: Run = { run, local, id: (name) => `${name}-${run}` };
  print(`A tour of Vouchgraph on ${client.baseUrl}`);
  print('', '1. Four visits, four networks. Each score says why.');
  await showFourVisits(client, names);
  print('', '2. Who is the same person?');
  await visitAgain(client, names);
  for (const name of ['alice', 'bob']) await showLinks(client, names.id(name));
}

async function showFourVisits(client: DemoClient, { run, local, id }: Run): Promise<void> {
  showVisit(
    'Alice, at home in Poitiers',
    await visit(
      client,
      {
        id: id('alice'),
        email: `alice.${run}@orange.fr`,
        phone: `+33 6 12 34 ${local.slice(0, 2)} ${local.slice(2)}`,
      },
      {
        ip: '90.54.1.1',
        userAgent: CHROME_WINDOWS,
        timezone: 'Europe/Paris',
        platform: 'Win32',
        device: id('alice-laptop'),
      },
    ),
  );
  showVisit(
    'Bob, on a mobile network in the United States',
    await visit(
      client,
      { id: id('bob'), username: `bob_${run}` },
      {
        ip: '172.56.20.10',
        userAgent: SAFARI_IPHONE,
        timezone: 'America/Chicago',
        platform: 'iPhone',
        device: id('bob-phone'),
      },
    ),
  );
  showVisit(
    'Carol, through a server in a datacenter, with a clock of another continent',
    await visit(
      client,
      { id: id('carol'), email: `carol.${run}@mailinator.com` },
      {
        ip: '52.95.110.1',
        userAgent: CHROME_WINDOWS,
        timezone: 'Africa/Lagos',
        platform: 'Win32',
        device: id('carol-pc'),
      },
    ),
  );
  showVisit(
    'A crawler, from a Tor operator',
    await visit(
      client,
      { id: id('crawler') },
      { ip: '185.220.101.1', userAgent: CRAWLER, timezone: '', device: id('crawler') },
    ),
  );
}

async function visitAgain(client: DemoClient, { run, local, id }: Run): Promise<void> {
  const home = { ip: '90.54.1.1', userAgent: CHROME_WINDOWS, timezone: 'Europe/Paris', platform: 'Win32' };
  await visit(client, { id: id('alice2') }, { ...home, device: id('alice-laptop') });
  print('', `  ${id('alice2')} uses Alice's laptop and network, without email or phone.`);
  await visit(
    client,
    { id: id('al'), phone: `0033 612 34${local}` },
    { ip: '2.125.160.216', userAgent: SAFARI_IPHONE, timezone: 'Europe/London', device: id('al-phone') },
  );
  print(
    `  ${id('al')} has Alice's phone number, written in another way, on another device in another country.`,
  );
  await visit(
    client,
    { id: id('bobby'), username: `ＢＯＢ_${run}` },
    { ip: '98.97.32.1', userAgent: CHROME_WINDOWS, timezone: 'America/Los_Angeles', device: id('bobby-pc') },
  );
  print(`  ${id('bobby')} has Bob's username in wide capitals, by satellite.`);
}

async function showLinks(client: DemoClient, id: string): Promise<void> {
  const { account } = await client.graphql(LINKS, { id });
  print(
    '',
    `  GraphQL: ${id} is ${account.decision}, score ${rounded(account.accountScore)}, multiple accounts ${rounded(account.multipleAccounts)}`,
  );
  for (const { score, matchTypes, node } of account.linkedAccounts.edges) {
    print(`    ${node.accountId}  score ${rounded(score)}  by ${matchTypes.join(', ')}`);
  }
  const rest = await client.rest('GET', `/account/${encodeURIComponent(id)}/accounts-linked`);
  print(`  REST lists the same:`);
  for (const linked of rest.accounts_linked) {
    print(
      `    ${linked.account_id}  score ${rounded(linked.score)}  by ${linked.match_type.join(', ')}  since ${linked.first_seen}`,
    );
  }
}
