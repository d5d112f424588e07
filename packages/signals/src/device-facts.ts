import { numberBetween, wholeBetween } from '@vouchgraph/platform/wording';
import { z } from 'zod';

/*
 * Facts of a device that a session shows as the device reported them, each described once. The field of the input, the stored
 * result, the field of GraphQL, REST, events and exports, and the field of rules follow from the row.
 */

type DeviceFact<Reported extends z.ZodType, Shown extends string | number | null> = {
  /** Field of the input, with its limits and description. */
  readonly reported: Reported;
  /** Value of a session: text is '' and a number null if unknown. */
  readonly toShown: (reported: z.output<Reported>) => Shown;
  readonly type: 'text' | 'int';
  /** Description of the field of a session. */
  readonly description: string;
  /** Description of the field of rules; rules do not read a fact without one. */
  readonly rule?: string;
};

type Words = {
  /** Largest number, or length of a text. */
  readonly max: number;
  /** Description of the field of the input. */
  readonly reported: string;
  readonly description: string;
  readonly rule?: string;
};

const text = ({ max, reported, ...words }: Words) => {
  const shape = z.string().max(max).nullish().describe(reported);
  return { ...words, type: 'text', reported: shape, toShown: (value) => value ?? '' } satisfies DeviceFact<
    typeof shape,
    string
  >;
};

const whole = ({ max, reported, ...words }: Words) => {
  const shape = wholeBetween(0, max).nullish().describe(reported);
  return { ...words, type: 'int', reported: shape, toShown: (value) => value ?? null } satisfies DeviceFact<
    typeof shape,
    number | null
  >;
};

/** Browsers report gigabytes in steps down to a quarter; the interface has whole numbers. */
const rounded = ({ max, reported, ...words }: Words) => {
  const shape = numberBetween(0, max).nullish().describe(reported);
  return {
    ...words,
    type: 'int',
    reported: shape,
    toShown: (value) => (value == null ? null : Math.round(value)),
  } satisfies DeviceFact<typeof shape, number | null>;
};

/** In the order of payloads. */
export const DEVICE_FACTS = {
  gpu: text({ max: 512, reported: 'Graphics renderer.', description: 'Graphics renderer from the browser.' }),
  cpuCores: whole({
    max: 4096,
    reported: 'Number of logical processors.',
    description: 'Number of logical processors.',
  }),
  memory: rounded({
    max: 65_536,
    reported: 'Memory in GB.',
    description: 'Memory in GB, rounded by the browser.',
  }),
  screenHeight: whole({
    max: 100_000,
    reported: 'Screen height in CSS pixels.',
    description: 'Height of the screen in CSS pixels.',
  }),
  screenWidth: whole({
    max: 100_000,
    reported: 'Screen width in CSS pixels.',
    description: 'Width of the screen in CSS pixels.',
  }),
};

type Facts = typeof DEVICE_FACTS;
type FactName = keyof Facts;
type ReportedDevice = { readonly [Name in FactName]?: z.output<Facts[Name]['reported']> };

export type ShownDevice = { [Name in FactName]: ReturnType<Facts[Name]['toShown']> };

/** Fields of the input. */
export const REPORTED_DEVICE = mapFacts(({ reported }) => reported) as {
  [Name in FactName]: Facts[Name]['reported'];
};

/** Values of a session from what its device reported. */
export function shownDevice(device: ReportedDevice | null | undefined): ShownDevice {
  return mapFacts(({ toShown }, name) => toShown(device?.[name] as never)) as ShownDevice;
}

/** Facts that rules read, each with its description. */
export const RULE_DEVICE_FACTS = Object.entries(DEVICE_FACTS).flatMap(([name, { rule, type }]) =>
  rule === undefined ? [] : [{ name: name as FactName, rule, type }],
);

function mapFacts(
  toValue: (fact: Facts[FactName], name: FactName) => unknown,
): Partial<Record<FactName, unknown>> {
  const names = Object.keys(DEVICE_FACTS) as FactName[];
  return Object.fromEntries(names.map((name) => [name, toValue(DEVICE_FACTS[name], name)]));
}
