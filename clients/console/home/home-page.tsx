import { EnvironmentBadge } from '../app/environment-badge.tsx';
import { ROLE_TEXTS } from '../app/labels.ts';
import { useChosenProject } from '../app/use-chosen-project.ts';
import type { RequestProblem } from '../auth/request-problem.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Page, Section } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { Spinner } from '../components/spinner.tsx';
import { useViewer, type Viewer } from '../graphql/viewer.tsx';
import type { PersonRole } from '../operations/generated/operations.ts';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** What a role may do, in the words of src/domain/projects/actions.ts. Each role may do what the ones before it may. */
const RIGHTS: Readonly<Record<PersonRole, readonly TextKey[]>> = {
  VIEWER: ['may_read'],
  ANALYST: ['may_read', 'may_work', 'may_check'],
  ADMIN: ['may_read', 'may_work', 'may_check', 'may_configure', 'may_people', 'may_erase'],
};

/** First page of a project. */
export function HomePage() {
  const state = useViewer();
  if (state.state === 'loading') return <Spinner />;
  if (state.state === 'failed') return <ProjectProblem problem={state.problem} reload={state.reload} />;
  return <ProjectOverview viewer={state.viewer} />;
}

function ProjectOverview({ viewer: { project, role } }: { viewer: Viewer }) {
  const { text } = useTexts();
  const isSandbox = project.environment === 'SANDBOX';
  return (
    <Page title={project.name} lead={text(isSandbox ? 'home_sandbox' : 'home_production')}>
      <Section title={text('project')}>
        <dl className="facts">
          <dt>{text('home_environment')}</dt>
          <dd>
            <EnvironmentBadge environment={project.environment} />
          </dd>
          <dt>{text('home_role')}</dt>
          <dd>{text(ROLE_TEXTS[role])}</dd>
          <dt>{text('home_project_id')}</dt>
          <dd>
            <code dir="ltr">{project.projectId}</code>
          </dd>
        </dl>
      </Section>
      <Section title={text('home_permissions')}>
        <ul>
          {RIGHTS[role].map((right) => (
            <li key={right}>{text(right)}</li>
          ))}
        </ul>
        {role !== 'ADMIN' && <p className="lead">{text('home_more')}</p>}
      </Section>
    </Page>
  );
}

function ProjectProblem({ problem, reload }: { problem: RequestProblem; reload: () => void }) {
  const { text } = useTexts();
  const { project, chooseProject } = useChosenProject();
  const isForbidden = problem.kind === 'rejected' && problem.status === 403;
  if (isForbidden && project !== null) {
    return (
      <Page title={text('project_refused_title')} lead={text('project_refused_lead')}>
        <ActionButton kind="main" onPress={() => chooseProject(null)}>
          {text('project_refused_other')}
        </ActionButton>
      </Page>
    );
  }
  return (
    <Page
      title={text(isForbidden ? 'no_project_title' : 'error_title')}
      lead={isForbidden ? text('no_project_lead') : undefined}
    >
      {!isForbidden && <ProblemMessage problem={problem} />}
      <ActionButton kind="main" onPress={reload}>
        {text('try_again')}
      </ActionButton>
    </Page>
  );
}
