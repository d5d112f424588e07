/** The public GraphQL schema of a project, of a remote gateway or of the local database. */
export type Api = {
  /** Data of one document. Throws the first error of the response as an AppError. */
  run<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Milliseconds between two requests of a command that waits for something. */
  readonly pollMs: number;
};

export type PageInfo = { readonly hasNextPage: boolean; readonly endCursor: string | null };
export type Connection<Edge> = { readonly edges: readonly Edge[]; readonly pageInfo: PageInfo };

const MAX_PAGE = 100;

/** The first edges of a connection, page by page. `read` runs a document with `first` and `after`. */
export async function readEdges<Edge>(
  number: number,
  read: (page: { first: number; after: string | null }) => Promise<Connection<Edge>>,
): Promise<Edge[]> {
  const edges: Edge[] = [];
  for (let after: string | null = null; edges.length < number; ) {
    const page: Connection<Edge> = await read({ first: Math.min(MAX_PAGE, number - edges.length), after });
    edges.push(...page.edges);
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  return edges;
}
