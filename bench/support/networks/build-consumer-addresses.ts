/*
 * Writes the committed sample of addresses of ordinary users, which must raise no signal. Run it with `npm run
 * build:consumer-addresses` after an update of the table of networks. The same table generates the same
 * addresses.
 */
import { writeFileSync } from 'node:fs';
import { loadAsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import { drawConsumerAddresses } from './consumer-addresses.ts';
import { CONSUMER_SYSTEMS } from './consumer-systems.ts';

const COUNT = 5000;
const SEED = 20_261_123;
const FILE = new URL('../../../test/fixtures/networks/consumer-addresses.txt', import.meta.url);

const table = await loadAsnTable();
const addresses = drawConsumerAddresses(table, CONSUMER_SYSTEMS, COUNT, SEED);
writeFileSync(FILE, `${addresses.join('\n')}\n`);
process.stdout.write(
  `${addresses.length} addresses of ${CONSUMER_SYSTEMS.length} operators, table of ${table.header.dataDate}\n`,
);
