import pg from 'pg';
import { releaseAfter } from './connection-pool.ts';

type ProjectPoolOptions = {
  acquire: () => Promise<pg.PoolClient>;
  onStatement: (text: string) => void;
  /** An error of the driver as the rest of the gateway knows it. */
  toError: (error: unknown) => unknown;
};

type QueryInput = string | { text: string };

/**
 * A pool for Prisma's adapter: every connection comes from the shared pool and is bound to one project before its first
 * statement. It owns no connections.
 */
export class ProjectPool extends pg.Pool {
  readonly #acquire: () => Promise<pg.PoolClient>;
  readonly #onStatement: (text: string) => void;
  readonly #toError: (error: unknown) => unknown;

  constructor(options: ProjectPoolOptions) {
    super({ max: 0 });
    this.#acquire = options.acquire;
    this.#onStatement = options.onStatement;
    this.#toError = options.toError;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: never): void;
  override async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#acquire();
    } catch (error) {
      throw this.#toError(error);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares query with nine overloads; Prisma uses this one
  override query = async (input: any, values?: any): Promise<any> => {
    this.#onStatement(typeof input === 'string' ? input : (input as QueryInput & { text: string }).text);
    const client = await this.connect();
    try {
      const result = await client.query(input, values);
      client.release();
      return result;
    } catch (error) {
      releaseAfter(client, error);
      throw this.#toError(error);
    }
  };
}
