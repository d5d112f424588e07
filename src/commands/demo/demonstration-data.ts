import { print, printJson, wordOf } from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { CREATE_DATA, DEMONSTRATION_DATA, REMOVE_DATA } from './documents.ts';

type Data = {
  readonly demonstrationState: string;
  readonly progress: number;
  readonly problem: string | null;
};
type Options = { json?: boolean };

const GATEWAY_WORKS = 'A running gateway does the work. "vouchgraph demo status" shows the progress.';

/** Starts to fill the project with demonstration data. */
export async function fillProject(api: Api, { json }: Options): Promise<void> {
  const { createDemonstrationData } = await api.run<{
    createDemonstrationData: { demonstrationData: Data };
  }>(CREATE_DATA);
  show(createDemonstrationData.demonstrationData, json, GATEWAY_WORKS);
}

/** Starts to remove the demonstration data of the project. */
export async function clearProject(api: Api, { json }: Options): Promise<void> {
  const { removeDemonstrationData } = await api.run<{
    removeDemonstrationData: { demonstrationData: Data };
  }>(REMOVE_DATA);
  show(removeDemonstrationData.demonstrationData, json, GATEWAY_WORKS);
}

/** Prints the state of the demonstration data of the project. */
export async function showStatus(api: Api, { json }: Options): Promise<void> {
  const { demonstrationData } = await api.run<{ demonstrationData: Data | null }>(DEMONSTRATION_DATA);
  show(demonstrationData, json);
}

function show(data: Data | null, json: boolean | undefined, ...hints: readonly string[]): void {
  if (json) printJson(data && { ...shown(data), problem: data.problem });
  else print(...(data ? linesOf(data, hints) : ['No demonstration data.']));
}

function linesOf(data: Data, hints: readonly string[]): string[] {
  const { state, progress } = shown(data);
  const line = `${state}  ${Math.round(progress * 100)} %`;
  return [line, ...(data.problem === null ? hints : [data.problem])];
}

const shown = ({ demonstrationState, progress }: Data) => ({ state: wordOf(demonstrationState), progress });
