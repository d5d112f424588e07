import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import type { Viewer } from '../graphql/viewer.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { EnvironmentBadge } from './environment-badge.tsx';
import { ENVIRONMENT_TEXTS, ROLE_TEXTS } from './labels.ts';
import { useChosenProject } from './use-chosen-project.ts';

/** Choice among the projects of the person. */
export default function ProjectChooser({ viewer }: { viewer: Viewer }) {
  const { text } = useTexts();
  const { chooseProject } = useChosenProject();
  const { project: current, projects } = viewer;
  return (
    <Select
      className="chooser"
      value={current.projectId}
      onChange={(projectId) => chooseProject(String(projectId))}
    >
      <Label className="unseen">{text('project')}</Label>
      <Button className="chooser-button">
        <SelectValue className="chooser-value">
          <span className="chooser-name">{current.name}</span>{' '}
          <EnvironmentBadge environment={current.environment} />
        </SelectValue>
        <span className="caret" aria-hidden="true" />
      </Button>
      <Popover className="popover" placement="bottom start">
        <ListBox className="options">
          {projects.map(({ project, role }) => (
            <ListBoxItem
              key={project.projectId}
              id={project.projectId}
              textValue={project.name}
              className="option"
            >
              <span className="option-name">{project.name}</span>{' '}
              <span className="option-details">
                {text(ENVIRONMENT_TEXTS[project.environment])}, {text(ROLE_TEXTS[role])}
              </span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
