import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { OperatorError } from '@vouchgraph/platform/errors';
import { counted, noneText, print, printJson, printTable } from '@vouchgraph/terminal';
import { isConfirmed } from '@vouchgraph/terminal/confirm';
import { openProviders } from '../../app/open-people.ts';
import type { Config } from '../../config.ts';
import { redirectUri } from '../../domain/people/provider.ts';
import type { ProviderService } from '../../domain/people/provider-service.ts';
import type { LocalProject } from '../support/project-command.ts';
import { withLocalStorage } from '../support/with-database.ts';
import type { DeleteOptions, JsonOption, MappingOptions, ProviderOptions } from './options.ts';
import { originOf } from './origin.ts';

/** Adds or replaces a provider, and prints the redirect URI to register there. */
export async function setProvider(id: string, options: ProviderOptions): Promise<void> {
  const { name, issuer, clientId, clientSecretFile, scope, json } = options;
  const clientSecret = clientSecretFile === undefined ? null : await readSecret(clientSecretFile);
  const { endpoints, redirect } = await withProviders(async (providers, config) => ({
    endpoints: await providers.put({ id, name, issuer, clientId, clientSecret, scopes: scope }),
    redirect: redirectUri(originOf(config), id),
  }));
  if (json)
    return printJson({
      id,
      issuer,
      redirect_uri: redirect,
      authorization_endpoint: endpoints.authorizationEndpoint,
      token_endpoint: endpoints.tokenEndpoint,
    });
  print(`People can sign in with ${name}. Register this redirect URI at the provider:`, '', `  ${redirect}`);
}

/** Lists the providers with their mappings. */
export async function listProviders({ json }: JsonOption): Promise<void> {
  const found = await withProviders((providers) => providers.list());
  const rows = found.map(({ id, name, issuer, clientId, clientSecret, scopes, createdAt, mappings }) => ({
    id,
    name,
    issuer,
    client_id: clientId,
    has_client_secret: clientSecret !== null,
    scopes,
    created_at: createdAt,
    roles: mappings.map(({ projectId, claim, value, role }) => ({
      project_id: projectId,
      claim,
      value,
      role,
    })),
  }));
  if (json) return printJson(rows);
  if (rows.length === 0) return print(noneText('providers'));
  printTable(
    ['ID', 'NAME', 'ISSUER', 'CLAIM', 'VALUE', 'PROJECT', 'ROLE'],
    rows.flatMap(({ id, name, issuer, roles }) => {
      const shown = roles.length > 0 ? roles : [{ claim: '-', value: '-', project_id: '-', role: '-' }];
      return shown.map(({ claim, value, project_id, role }) => [
        id,
        name,
        issuer,
        claim,
        value,
        project_id,
        role,
      ]);
    }),
  );
}

/** Reads the metadata of a provider. */
export async function checkProvider(id: string, { json }: JsonOption): Promise<void> {
  const { endpoints, redirect } = await withProviders(async (providers, config) => ({
    endpoints: await providers.check(id),
    redirect: redirectUri(originOf(config), id),
  }));
  if (json)
    return printJson({
      id,
      redirect_uri: redirect,
      authorization_endpoint: endpoints.authorizationEndpoint,
      token_endpoint: endpoints.tokenEndpoint,
    });
  print(
    `The metadata of ${id} can be read. People sign in at ${endpoints.authorizationEndpoint}`,
    `and return to ${redirect}`,
  );
}

/** Removes a provider. */
export async function removeProvider(id: string, { yes, json }: DeleteOptions): Promise<void> {
  const question = async () => `Remove ${id} with all identities of people there?`;
  if (!yes && !(await isConfirmed(question, 'to remove a provider'))) {
    process.exitCode = 1;
    return;
  }
  const identities = await withProviders((providers) => providers.remove(id));
  if (json) return printJson({ id, identities });
  print(`Removed ${id} with ${counted(identities, 'identity', 'identities')}.`);
}

/** Lets a claim give a role. */
export async function mapClaim(
  { viewer: { project }, storage }: LocalProject,
  { claim, value, role, json }: MappingOptions,
  providerId: string,
): Promise<void> {
  const { projectId } = project;
  await withOpened(storage, (providers) => providers.map({ providerId, claim, value, projectId, role }));
  if (json) return printJson({ id: providerId, project_id: projectId, claim, value, role });
  print(
    `${claim} ${JSON.stringify(value)} gives the role ${role} in the project ${JSON.stringify(project.name)}.`,
  );
}

/** Ends a mapping. */
export async function unmapClaim(
  { viewer: { project }, storage }: LocalProject,
  { claim, value, json }: Omit<MappingOptions, 'role'>,
  providerId: string,
): Promise<void> {
  const { projectId } = project;
  await withOpened(storage, (providers) => providers.unmap({ providerId, claim, value, projectId }));
  if (json) return printJson({ id: providerId, project_id: projectId, claim, value, role: null });
  print(
    `${claim} ${JSON.stringify(value)} gives no role in the project ${JSON.stringify(project.name)} any more.`,
  );
}

function withProviders<T>(work: (providers: ProviderService, config: Config) => Promise<T>): Promise<T> {
  return withLocalStorage(1, (storage) =>
    withOpened(storage, (providers) => work(providers, storage.config)),
  );
}

async function withOpened<T>(
  storage: LocalProject['storage'],
  work: (providers: ProviderService) => Promise<T>,
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await work(openProviders(storage, opened));
  } finally {
    await opened.disposeAsync();
  }
}

async function readSecret(file: string): Promise<string> {
  const read = file === '-' ? readText(process.stdin) : readFile(file, 'utf8');
  const secret = await read.catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${file} cannot be read: ${error.code}`);
  });
  return secret.trim();
}
