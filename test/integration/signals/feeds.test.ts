import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../support/gateway.ts';

const COMMAND = new URL('../../../bin/vouchgraph.mjs', import.meta.url).pathname;

let folder: string;
const vouchgraph = async (...words: string[]) => {
  const env = { ...process.env, DATA_DIR: folder, FEEDS_DIR: path.join(folder, 'feeds') };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...words], { env });
  return stdout;
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-feeds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('lines of a feed with an invalid country', () => {
  it('count as invalid lines, and leave the country of their ranges unset', async () => {
    const file = path.join(folder, 'ranges.csv');
    const lines = [
      '90.54.1.0/26,gb,GB-LND,London,',
      '90.54.1.64/26,XX,,Nowhere,',
      '90.54.1.128/26,United Kingdom,,London,',
      '90.54.1.192/26,,,,',
      'nonsense,US,US-TX,Dallas,',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const added = await vouchgraph(
      ...['feed', 'add', file, '--name', 'ranges', '--kind', 'relay', '--format', 'geofeed', '--json'],
    );
    expect(JSON.parse(added)).toMatchObject({
      bad_lines: 3,
      bad_line_examples: [
        { line: 2, text: lines[1] },
        { line: 3, text: lines[2] },
        { line: 5, text: lines[4] },
      ],
      error: null,
    });
    expect(await vouchgraph('feed', 'check')).toContain('line 2 cannot be read');

    const network = await openNetworkIntelligence({ feedsDir: path.join(folder, 'feeds') });
    const gateway = await startGateway({ network });
    onTestFinished(async () => {
      await gateway.close();
      network.close();
    });
    const project = await gateway.project();
    const placeOf = async (ip_address: string) => {
      const { body } = await project.rest('GET', `/session/${await project.session({ ip_address })}`);
      return [body.network.connection_type, body.location.country_code, body.location.city];
    };
    expect(await placeOf('90.54.1.1')).toEqual(['private_relay', 'GB', 'London']);
    // Still on the list; located by the bundled database.
    for (const ip of ['90.54.1.65', '90.54.1.129', '90.54.1.193']) {
      expect(await placeOf(ip)).toEqual(['private_relay', 'FR', expect.not.stringMatching(/Nowhere|London/)]);
    }
    const ready = await fetch(`${gateway.baseUrl}/readyz`);
    const { sources } = await ready.json();
    expect(sources).toContainEqual(expect.objectContaining({ name: 'feed:ranges', badLines: 3 }));
  });
});

describe('a feed that is built from a published list', () => {
  it('names its source, reports omitted entries, and applies to the sessions of a gateway', async () => {
    const file = path.join(folder, 'relays.json');
    const relays = [
      { hostname: 'fr-par-wg-001', ipv4_addr_in: '90.54.7.1', ipv6_addr_in: '::' },
      { hostname: 'fr-par-wg-002.relays.mullvad.net', ipv4_addr_in: '' },
    ];
    await writeFile(file, JSON.stringify(relays));
    const today = new Date().toISOString().slice(0, 10);
    const build = ['feed', 'build', file, '--format', 'mullvad'];
    await expect(vouchgraph(...build)).rejects.toThrow('--date YYYY-MM-DD is needed');
    const dated = [...build, '--date', today];
    expect(await vouchgraph(...dated, '--license', 'MIT')).toContain('license: MIT');
    expect(await vouchgraph(...dated, '--license', 'CC0', '--replace')).toContain('license: CC0');
    const report = await vouchgraph(...dated, '--replace');
    expect(report).toContain('source: https://api.mullvad.net/www/relays/all/');
    expect(report).toContain('1 named by host name only, not resolved');
    expect(report).toContain('1 private or reserved, left out');

    const network = await openNetworkIntelligence({ feedsDir: path.join(folder, 'feeds') });
    const gateway = await startGateway({ network });
    onTestFinished(async () => {
      await gateway.close();
      network.close();
    });
    const project = await gateway.project();
    const id = await project.session({ ip_address: '90.54.7.1' });
    const { body } = await project.rest('GET', `/session/${id}`);
    expect(body.risk_signals.vpn).toBe(true);
    expect(body.risk_signal_details.network).toContainEqual(
      expect.objectContaining({
        code: 'ip_on_vpn_list',
        source: 'feed:mullvad',
        source_as_of: today,
        observed: 'on a list of vpn addresses: Mullvad',
      }),
    );
  });
});
