import { type CombinedError, cacheExchange, createClient, fetchExchange, mapExchange } from 'urql';
import { problemOfAnswer, type RequestProblem } from '../auth/request-problem.ts';

/** Client for a project of the signed-in person; null is the project that the gateway chooses. Each project has its own cache. */
export function createGraphqlClient(projectId: string | null, onSessionEnded: () => void) {
  return createClient({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: {
      credentials: 'same-origin',
      headers: projectId === null ? {} : { 'x-project-id': projectId },
    },
    exchanges: [
      mapExchange({
        onError(error) {
          if (graphqlProblem(error).kind === 'signed-out') onSessionEnded();
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
  });
}

/** Problem of a failed operation. */
export function graphqlProblem(error: CombinedError): RequestProblem {
  const code = String(error.graphQLErrors[0]?.extensions.code ?? '');
  const answer: Response | undefined = error.response;
  if (code === 'auth.unauthenticated' || answer?.status === 401) return { kind: 'signed-out' };
  if (!answer) return { kind: 'offline' };
  // Errors of single fields come with status 200.
  const status = code === 'auth.forbidden' ? 403 : answer.status === 200 ? 400 : answer.status;
  return problemOfAnswer(status, code, answer.headers);
}
