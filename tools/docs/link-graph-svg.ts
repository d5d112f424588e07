/** The answer of the request in README.md. */
export type LinkAnswer = {
  readonly data: {
    readonly account: LinkedAccount & { readonly linkedAccounts: { readonly edges: readonly Link[] } };
  };
};
type LinkedAccount = { readonly accountId: string; readonly decision: string };
type Link = {
  readonly score: number;
  readonly evidence: readonly {
    readonly kind: string;
    readonly maskedValue: string | null;
    readonly weight: number;
  }[];
  readonly node: LinkedAccount;
};

const WIDTH = 720;
const ROW = 120;
const RADIUS = 34;
const LEFT = 80;
const RIGHT = WIDTH - LEFT;
/** Colors with enough contrast on the card, which has a background of its own: pages can be light or dark. */
const COLOR_OF_DECISION: Readonly<Record<string, string>> = {
  REAL: '#1a7f37',
  SUSPICIOUS: '#9a6700',
  FAKE: '#cf222e',
};

/** Draws the account on the left, its linked accounts on the right, and the evidence on the lines between them. */
export function drawLinkGraph({ data: { account } }: LinkAnswer): string {
  const { edges } = account.linkedAccounts;
  const height = Math.max(1, edges.length) * ROW;
  const middle = height / 2;
  const rows = edges.map((link, index) => ({ link, y: ROW * index + ROW / 2 }));
  const names = edges.map(({ node }) => node.accountId).join(', ');
  const parts = [
    `<title>${escapeText(`Accounts linked to ${account.accountId}: ${names}`)}</title>`,
    `<rect width="${WIDTH}" height="${height}" rx="12" fill="#f6f8fa"/>`,
    ...rows.map(({ y }) => `<path d="M${LEFT} ${middle}L${RIGHT} ${y}" stroke="#57606a" stroke-width="2"/>`),
    ...rows.flatMap(({ link, y }) => drawEvidence(link, (middle + y) / 2)),
    drawAccount(account, LEFT, middle),
    ...rows.map(({ link, y }) => drawAccount(link.node, RIGHT, y)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="15" text-anchor="middle">
${parts.map((part) => `  ${part}`).join('\n')}
</svg>
`;
}

function drawEvidence({ score, evidence }: Link, y: number): string[] {
  const kinds = evidence.map(
    ({ kind, maskedValue, weight }) => `${kind} ${maskedValue ?? ''} (weight ${weight})`,
  );
  const text = (content: string, dy: number) =>
    `<text x="${WIDTH / 2}" y="${y + dy}" fill="#24292f">${escapeText(content)}</text>`;
  return [text(kinds.join(', '), -12), text(`score ${score}`, 24)];
}

function drawAccount({ accountId, decision }: LinkedAccount, x: number, y: number): string {
  const color = COLOR_OF_DECISION[decision] ?? '#57606a';
  return (
    `<circle cx="${x}" cy="${y}" r="${RADIUS}" fill="#ffffff" stroke="${color}" stroke-width="3"/>` +
    `<text x="${x}" y="${y}" fill="#24292f" font-weight="bold">${escapeText(accountId)}</text>` +
    `<text x="${x}" y="${y + 16}" fill="${color}" font-size="11">${escapeText(decision)}</text>`
  );
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
