import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/** A gateway for the snippets of documents, with the variables of a command on its database. */
export type DocumentGateway = {
  gateway: Gateway;
  environment: Record<string, string>;
  close(): Promise<void>;
};

export async function openDocumentGateway(): Promise<DocumentGateway> {
  const masterKey = generateMasterKey();
  const gateway = await startGateway({ masterKey, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  const environment = {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    WEBHOOK_ALLOW_LOOPBACK: '1',
    MX_LOOKUPS: 'off',
  };
  return { gateway, environment, close: () => gateway.close() };
}

/** Accounts whose ids the documents use, in a new sandbox project. */
export async function seedProject(gateway: Gateway): Promise<TestProject> {
  const project = await gateway.project();
  for (const id of ['alice', 'bob', 'mallory', 'user-42']) {
    const lists = id === 'mallory' ? ['watch'] : ['vip'];
    await project.authenticate({ id, email: `${id}@shop.example`, lists }, { ip_address: '90.54.1.1' });
  }
  await project.rest('PUT', '/account/bob', { phone: '+447911123456' });
  return project;
}

const MULLVAD = [{ hostname: 'al-tia-wg-003', ipv4_addr_in: '103.204.123.130' }];
const PIA = {
  groups: {},
  regions: [{ dns: 'a.privacy.network', servers: { wg: [{ ip: '84.239.47.133', cn: 'x' }] } }],
};

const OPERATION = 'query Project { project { name } }';
export const OPERATION_HASH = createHash('sha256').update(OPERATION).digest('hex');

/** Files of the reader that the commands of documents name. */
const FILES: Readonly<Record<string, string>> = {
  'accounts.csv': 'account_id,reason,expires_at\nbob,chargeback,2099-06-30\nmallory,,\n',
  'breaches.csv':
    'sha1,breach,date,country,industry,trust_weight\nfc2398a73dd54d6237c4fdb58fd7d75347cf5af3,Example Shop,2019-05-04,DE,Retail,1\n',
  'contacts.csv': 'id,email\n1,ada@example.com\n2,grace@example.com\n',
  'customers.ndjson': '{"id":"customer-1","email":"customer-1@shop.example"}\n',
  'exit-addresses':
    'ExitNode 0011\nPublished 2026-11-19 01:00:00\nExitAddress 204.8.96.141 2026-11-19 02:00:00\n',
  'mullvad.json': JSON.stringify(MULLVAD),
  'persisted.json': JSON.stringify({ [OPERATION_HASH]: OPERATION }),
  'pia-1.json': `${JSON.stringify(PIA)}\n`,
  'pia-2.json': `${JSON.stringify(PIA)}\n`,
  'vpn-ranges.txt': '2.26.157.0/24\n2a0d:5600::/32\n',
};

/** The folder of a reader: the key of the sandbox project in `data/sandbox.json`, and files of the reader. */
export async function makeReaderFolder(baseUrl: string, { projectId, key }: TestProject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-documents-'));
  await mkdir(path.join(folder, 'data'));
  const sandbox = { base_url: baseUrl, project_id: projectId, api_key: key };
  await writeFile(path.join(folder, 'data', 'sandbox.json'), `${JSON.stringify(sandbox, null, 2)}\n`);
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
