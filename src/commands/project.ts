import { noneText, print, printJson, printTable } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import { ENVIRONMENTS, type Environment } from '../domain/projects/api-key.ts';
import { settingLines } from './project/setting-lines.ts';
import { JSON_OPTION, oneOf } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';
import { withProjects } from './support/with-database.ts';

/** Registers `project`. */
export function addProjectCommand(program: Command): void {
  const project = program.command('project').description('projects: the tenants of the service');
  project
    .command('create')
    .description('create a project')
    .argument('<name>', 'name of the project')
    .option(
      '-e, --environment <environment>',
      'sandbox or production',
      oneOf(ENVIRONMENTS),
      'sandbox' as Environment,
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph project create "My shop" --environment production')
    .action(createProject);
  project
    .command('list')
    .description('list projects, oldest first')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph project list --json')
    .action(listProjects);
  addProjectOptions(
    projectCommand(project, 'settings', 'show the settings of a project, or change them with --set')
      .option(
        '--set <name=value...>',
        'change a setting, such as fakeFrom=0.8; items of a list are separated by commas',
      )
      .option('-y, --yes', 'confirm a threshold of 0, which decides every account or verification'),
  )
    .addHelpText(
      'after',
      `\nSettings (docs/operating.md describes them):\n${settingLines()}\n${REMOTE_HELP}

Examples:
  vouchgraph project settings PROJECT_ID
  vouchgraph project settings PROJECT_ID --set fakeFrom=0.8 trustedDomains=a.example.com,b.example.com`,
    )
    .action(
      inProject(
        () => import('./project/settings.ts'),
        ({ showSettings }) => showSettings,
      ),
    );
}

async function createProject(
  name: string,
  options: { environment: Environment; json?: boolean },
): Promise<void> {
  const project = await withProjects(
    (projects) => projects.createProject(name, options.environment),
    'created',
  );
  if (options.json)
    return printJson({ project_id: project.projectId, name, environment: options.environment });
  print(`Created the ${options.environment} project ${JSON.stringify(name)}: ${project.projectId}`);
  for (const line of nextSteps(project.projectId, options.environment)) print(line);
}

/** Commands that a new project needs next. */
function nextSteps(projectId: string, environment: Environment): string[] {
  const command = (text: string) => `  npx vouchgraph ${text}`;
  const key = ['Create a key for it:', command(`key create ${projectId}`)];
  if (environment === 'sandbox') return key;
  return [
    ...key,
    'A production project allows no origins yet: verification sessions with a redirect_url and pages with a browser',
    'token are refused. Allow your origins, separated by commas (GraphQL: updateProjectSettings with allowedOrigins):',
    command(`project settings ${projectId} --set allowedOrigins=https://shop.example`),
  ];
}

async function listProjects(options: { json?: boolean }): Promise<void> {
  const rows = await withProjects((projects) => projects.projects(1000));
  const shown = rows.map(({ project_id, name, environment, created_at }) => ({
    project_id,
    name,
    environment,
    created_at,
  }));
  if (options.json) return printJson(shown);
  if (shown.length === 0) return print(noneText('projects'));
  printTable(
    ['ID', 'ENVIRONMENT', 'NAME'],
    shown.map((row) => [row.project_id, row.environment, row.name]),
  );
}
