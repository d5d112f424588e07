import { AppError, type ErrorKind } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import { createLogger } from '@vouchgraph/platform/logger';
import { type DocumentNode, execute, type GraphQLError, parse } from 'graphql';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { createContext } from '../../graphql/kernel/context.ts';
import { schema } from '../../graphql/schema.ts';
import { presentError } from '../../http/graphql/errors.ts';
import type { Api } from './api.ts';
import { openLocalServices } from './local-services.ts';
import type { CommandStorage } from './open-project.ts';

/* The public schema on the local database, executed in this process. Loaded when a command needs it. */

const POLL_MS = 500;
/** No request came in over a network. */
const NO_CONNECTION = { ip: '', headers: {}, edge: {}, browserId: '' };

/** The API of a project of the local database, as its operator. */
export function openLocalApi(viewer: Viewer, storage: CommandStorage): Api {
  const services = openLocalServices(viewer, storage);
  const documents = new Map<string, DocumentNode>();
  return {
    pollMs: POLL_MS,
    async run<Data>(text: string, variables: Record<string, unknown> = {}): Promise<Data> {
      const document = documents.get(text) ?? parse(text);
      documents.set(text, document);
      const requestId = newId();
      const contextValue = createContext(services, { viewer, requestId, connection: NO_CONNECTION });
      const { data, errors } = await execute({ schema, document, variableValues: variables, contextValue });
      if (errors) throw errorOf(errors[0]!, requestId, document);
      return data as Data;
    },
  };
}

const silent = createLogger('silent');

/** The error as a gateway returns it. Errors that a gateway only logs are thrown unchanged. */
function errorOf(error: GraphQLError, requestId: string, document: DocumentNode): unknown {
  const { message, extensions } = presentError(error, silent, requestId, document);
  const { code, kind, inputPath } = extensions as {
    code: string;
    kind: ErrorKind;
    inputPath?: (string | number)[];
  };
  if (kind === 'internal' || kind === 'unavailable') return rootOf(error);
  return new AppError(code, kind, message, { path: inputPath });
}

/** The error of the driver or of the code inside the wrappers of GraphQL. */
function rootOf(error: unknown): unknown {
  const { originalError, cause } = error as { originalError?: unknown; cause?: unknown };
  const next = originalError ?? (error instanceof AppError ? cause : undefined);
  return next === undefined ? error : rootOf(next);
}
