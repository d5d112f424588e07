import { LINK_ORDERS, type LinkOrder } from '../domain/linking/link-page.ts';
import type { LinkRow } from '../domain/linking/link-read-service.ts';
import type { LinkView } from '../domain/linking/link-view.ts';
import type { ProjectCipher } from '../platform/crypto.ts';
import type { KeysetPosition } from '../platform/keyset.ts';

/**
 * Positions of links in their cursors. A cursor is signed, not encrypted: in a masked view its position, which contains
 * the id of another account and an exact value, is encrypted first.
 */
export function linkPositions(view: LinkView, cipher: ProjectCipher, order: LinkOrder) {
  const { column } = LINK_ORDERS[order];
  const plainOf = (row: LinkRow): KeysetPosition => [
    column === 'score' ? row.score : row[`link_${column}`].toISOString(),
    row.linked_account_id,
  ];
  if (!view.isMasked) return { of: plainOf, read: (position: KeysetPosition | null) => position };
  const purpose = `link cursor ${view.root}`;
  return {
    of: (row: LinkRow): KeysetPosition => [cipher.sealText(purpose, JSON.stringify(plainOf(row)))],
    read: (position: KeysetPosition | null): KeysetPosition | null =>
      position && (JSON.parse(cipher.openText(purpose, String(position[0]))!) as KeysetPosition),
  };
}
