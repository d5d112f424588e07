import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { createFeedContent, type FeedContent, PLAIN_TAG } from '../feed-content.ts';
import { parseDocument, records } from './json-document.ts';

/** The exit-addresses file of the Tor project: `ExitAddress IP date time` among lines about the exit. */
export function parseTorExitAddresses(text: string): FeedContent {
  const content = createFeedContent();
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('ExitAddress ')) continue;
    content.add(index + 1, line, parseRange(line.split(/\s+/)[1] ?? ''), PLAIN_TAG);
  }
  return content;
}

/** Onionoo's details document: exits by their exit addresses, or where they have none by the addresses they answer on. */
export function parseOnionoo(text: string): FeedContent {
  const content = createFeedContent();
  const { relays } = parseDocument(text);
  if (!Array.isArray(relays)) throw new Error('the file has no relays: expected an Onionoo details document');
  for (const [index, relay] of records(relays).entries()) {
    const exits = texts(relay.exit_addresses);
    const isExit = exits.length > 0 || texts(relay.flags).includes('Exit');
    if (!isExit) continue;
    const addresses = exits.length > 0 ? exits : texts(relay.or_addresses).map(withoutPort);
    for (const address of addresses) content.add(index + 1, address, parseRange(address), PLAIN_TAG);
  }
  return content;
}

/** `192.0.2.1:9001`, `[2001:db8::1]:9001`. */
function withoutPort(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
