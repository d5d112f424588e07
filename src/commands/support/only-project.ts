import { AppError } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import { UsageError } from '@vouchgraph/terminal';
import type { Storage } from '../../app/open-storage.ts';
import type { ProjectChoice } from './project-argument.ts';

type Projects = Pick<Storage, 'projects'>;

/** The project of a call. `isFirst`: it is the first argument, which the command has read as its own. */
export type ChosenProject = { readonly projectId: string; readonly isFirst: boolean };

/** Number of projects that the error lists. */
const SHOWN = 10;
/** As many as `project list` shows. */
const MAX_PROJECTS = 1000;

/**
 * Finds the project of a call: the given one, or the only one of the database. An argument that is the id of a project is
 * never read as anything else, so a call with an argument too few does not affect another object or project.
 */
export async function findProject(projects: Projects, choice: ProjectChoice): Promise<ChosenProject> {
  const { given, own, isOptional, missing } = choice;
  if (given !== null && !isUuid(given))
    throw new UsageError(
      `project: must be the id of a project, a UUID as project list shows it: ${JSON.stringify(given)}`,
      'project',
    );
  const known = await knownProjects(projects, own);
  for (const [index, { name, value }] of own.entries()) {
    if (!known.has(value.toLowerCase())) continue;
    if (given !== null || index > 0) throw new UsageError(`${name}: ${value} is the id of a project`, name);
    if (isOptional) return { projectId: value, isFirst: true };
    throw new UsageError(`missing required argument '${missing}': ${value} is the id of a project`, missing);
  }
  return { projectId: given ?? (await onlyProject(projects)), isFirst: false };
}

/** The arguments that are ids of projects, in lower case. One statement for any number of arguments. */
async function knownProjects({ projects }: Projects, own: ProjectChoice['own']): Promise<Set<string>> {
  const ids = own.map(({ value }) => value).filter(isUuid);
  return new Set(ids.length === 0 ? [] : await projects.existingIds(ids));
}

async function onlyProject({ projects }: Projects): Promise<string> {
  const rows = await projects.projects(MAX_PROJECTS);
  if (rows.length === 1) return rows[0]!.project_id;
  if (rows.length === 0)
    throw new AppError(
      'project.not_found',
      'not_found',
      'The database contains no project: create one with project create NAME',
    );
  const lines = rows.slice(0, SHOWN).map((row) => `  ${row.project_id}  ${JSON.stringify(row.name)}`);
  const more = rows.length - lines.length;
  throw new UsageError(
    [
      `missing argument 'project': the database contains ${rows.length} projects`,
      ...lines,
      ...(more > 0 ? [`  and ${more} more: see project list`] : []),
    ].join('\n'),
    'project',
  );
}
