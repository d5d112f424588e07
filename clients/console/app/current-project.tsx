import { lazy, Suspense } from 'react';
import { useViewer, type Viewer } from '../graphql/viewer.tsx';
import { EnvironmentBadge } from './environment-badge.tsx';

/** Only people with several projects load it. */
const ProjectChooser = lazy(() => import('./project-chooser.tsx'));

/** The current project in the header, and the choice of another one if the person has several. */
export function CurrentProject() {
  const state = useViewer();
  if (state.state !== 'ready') return null;
  const { viewer } = state;
  if (viewer.projects.length < 2) return <ProjectName viewer={viewer} />;
  return (
    <Suspense fallback={<ProjectName viewer={viewer} />}>
      <ProjectChooser viewer={viewer} />
    </Suspense>
  );
}

function ProjectName({ viewer: { project } }: { viewer: Viewer }) {
  return (
    <p className="current-project">
      <span className="chooser-name">{project.name}</span>
      <EnvironmentBadge environment={project.environment} />
    </p>
  );
}
