import { serveLimit } from '../limit-server.ts';
import { GRAPH_STATEMENTS, type GraphStatement } from './statements.ts';

/* GET /<statement>/<account id> and, of a path, /<the other's>. */
await serveLimit(async (request, _body, run) => {
  const [, name, ...ids] = request.url!.split('/');
  const [row] = await run(GRAPH_STATEMENTS[name as GraphStatement], [process.env.PROJECT_ID, ...ids]);
  return String(row?.answer);
});
