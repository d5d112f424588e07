import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Feed, listFeed } from '../feeds/feed.ts';
import { decodeOnboardLists } from './onboard-lists-format.ts';

/** The file that `npm run build:lists` writes and the service loads. */
export const ONBOARD_LISTS_FILE = fileURLToPath(new URL('../../data/onboard-lists.bin', import.meta.url));

/** The built-in lists as feeds. They age like an operator's. */
export async function loadOnboardLists(path = ONBOARD_LISTS_FILE): Promise<Feed[]> {
  const { header, tables } = decodeOnboardLists(await readFile(path));
  return header.lists.map(({ name, kind, asOf, source, licence, tags }, index) =>
    listFeed(
      { name, kind, format: 'cidr', path: name, as_of: asOf, source, licence },
      {
        ranges: tables[index]!,
        tags: tags.map((tag) => ({ ...tag, location: null })),
        networks: new Map(),
        badLines: { count: 0, examples: [] },
      },
    ),
  );
}
