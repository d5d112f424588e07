import type { Environment } from '../operations/generated/operations.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { ENVIRONMENT_TEXTS } from './labels.ts';

/** Environment of a project, in a color of its own, so that production is not mistaken for a sandbox. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  const { text } = useTexts();
  return <span className={`badge ${environment.toLowerCase()}`}>{text(ENVIRONMENT_TEXTS[environment])}</span>;
}
