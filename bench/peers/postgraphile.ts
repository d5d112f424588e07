import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { announce, pool } from './connection.ts';

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool, schemas: ['peers'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  schema: { exportSchemaSDLPath: process.env.PEERS_SDL },
});
const server = createServer();
server.on('error', (error) => {
  throw error;
});
await instance.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () =>
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`),
);
