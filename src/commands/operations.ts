import type { Command } from 'commander';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const loadOperations = () => import('./operations/registered.ts');

/** Registers `operations`. */
export function addOperationsCommand(program: Command): void {
  const operations = program
    .command('operations')
    .description('registered GraphQL operations, executed by the SHA-256 of their text');
  operations.addHelpText('after', REMOTE_HELP);
  addProjectOptions(
    projectCommand(
      operations,
      'register',
      'register the documents of manifests; if one is invalid, none is registered',
    ).argument(
      '<file...>',
      'JSON object of hashes and texts (relay-compiler, client preset), or a manifest of Apollo clients',
    ),
  )
    .addHelpText(
      'after',
      '\nWith --url the documents of a call have at most 256 KB together.\n\nExample:\n  vouchgraph operations register PROJECT_ID persisted.json',
    )
    .action(inProject(loadOperations, ({ registerOperations }) => registerOperations));
  addProjectOptions(projectCommand(operations, 'list', 'list registered documents, newest first'))
    .addHelpText('after', '\nExample:\n  vouchgraph operations list PROJECT_ID --json')
    .action(inProject(loadOperations, ({ listOperations }) => listOperations));
  addProjectOptions(
    projectCommand(operations, 'delete', 'delete registered documents; unknown hashes are ignored').argument(
      '<sha256...>',
      'SHA-256 of documents',
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph operations delete PROJECT_ID 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    )
    .action(inProject(loadOperations, ({ deleteOperations }) => deleteOperations));
}
