import type { Command } from 'commander';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';
import { loadConfig } from './support/with-database.ts';

const loadData = () => import('./demo/demonstration-data.ts');

/** Registers `demo`. */
export function addDemoCommand(program: Command): void {
  const demo = program.command('demo').description('example requests, and demonstration data of a project');
  demo.addHelpText(
    'after',
    `${REMOTE_HELP}

"demo" is short for "demo tour".`,
  );
  demo
    .command('tour', { isDefault: true })
    .description('send example requests to a running gateway, or to a temporary one, and print the answers')
    .addHelpText('after', '\nExample:\n  vouchgraph demo')
    .action(async () => {
      const { runDemo } = await import('./demo/run-demo.ts');
      await runDemo(await loadConfig());
    });
  addProjectOptions(projectCommand(demo, 'fill', 'create demonstration data in a sandbox project'))
    .addHelpText('after', '\nExample:\n  vouchgraph demo fill PROJECT_ID')
    .action(inProject(loadData, ({ fillProject }) => fillProject));
  addProjectOptions(projectCommand(demo, 'status', 'show the state of the demonstration data'))
    .addHelpText('after', '\nExample:\n  vouchgraph demo status PROJECT_ID')
    .action(inProject(loadData, ({ showStatus }) => showStatus));
  addProjectOptions(projectCommand(demo, 'clear', 'remove all demonstration data'))
    .addHelpText('after', '\nExample:\n  vouchgraph demo clear PROJECT_ID')
    .action(inProject(loadData, ({ clearProject }) => clearProject));
}
