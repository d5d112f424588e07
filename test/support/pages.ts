import type { Body, TestProject } from './gateway.ts';

/** Reads a page of a connection. */
export type ReadPage = (args: {
  first?: number;
  after?: string | null;
  last?: number;
  before?: string | null;
}) => Promise<Body>;

/** Runs a document with `$first`, `$after`, `$last` and `$before` besides these variables. */
export const pagesOf =
  (
    project: TestProject,
    query: string,
    connectionOf: (data: Body) => Body,
    variables: Record<string, unknown> = {},
  ): ReadPage =>
  async (args) =>
    connectionOf(await project.graphql(query, { first: null, ...variables, ...args }));

/** The nodes of all pages of a size, from the first page on. */
export async function readForward(
  read: ReadPage,
  size: number,
  afterPage: (page: Body) => Promise<unknown> = async () => {},
): Promise<Body[]> {
  const nodes: Body[] = [];
  for (let after: string | null = null; ; ) {
    const page: Body = await read({ first: size, after });
    nodes.push(...page.edges.map((edge: Body) => edge.node));
    if (!page.pageInfo.hasNextPage) return nodes;
    after = page.pageInfo.endCursor;
    await afterPage(page);
  }
}

/** The nodes of all pages of a size, from the last page back, in the order of the connection. */
export async function readBackward(
  read: ReadPage,
  size: number,
  afterPage: (page: Body) => Promise<unknown> = async () => {},
): Promise<Body[]> {
  const nodes: Body[] = [];
  for (let before: string | null = null; ; ) {
    const page: Body = await read({ last: size, before });
    nodes.unshift(...page.edges.map((edge: Body) => edge.node));
    if (!page.pageInfo.hasPreviousPage) return nodes;
    before = page.pageInfo.startCursor;
    await afterPage(page);
  }
}
