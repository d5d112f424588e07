import { isNoted, lastRelease, notedCoordinates } from './changelog.ts';
import { compareOpenApi, widenedOpenApi } from './compare-openapi.ts';
import { compareSchemas, widenedSchemas } from './compare-schema.ts';

/** A version of both interfaces. */
export type Contract = { readonly version: string; readonly schema: string; readonly openapi: unknown };

export type Verdict = { readonly isKept: boolean; readonly lines: readonly string[] };

/** Compares the interfaces with those of the last release. Breaking changes need a note in the changelog. */
export function checkContract(released: Contract | null, current: Contract, changelog: string): Verdict {
  const release = lastRelease(changelog);
  if (released === null && release === null)
    return { isKept: true, lines: ['No version is released yet: nothing to compare with.'] };
  if (released === null || (release !== null && released.version !== release))
    return {
      isKept: false,
      lines: [
        `contract/released has ${released?.version ?? 'no version'}, the last release of CHANGELOG.md is ${release}: run npm run contract:release at the release.`,
      ],
    };
  const changes = [
    ...compareSchemas(released.schema, current.schema),
    ...compareOpenApi(released.openapi, current.openapi),
  ];
  const notes = [
    ...widenedSchemas(released.schema, current.schema),
    ...widenedOpenApi(released.openapi, current.openapi),
  ].map(({ coordinate, description }) => `Note: ${coordinate}: ${description}`);
  const noted = notedCoordinates(changelog);
  const missing = changes.filter(({ coordinate }) => !isNoted(coordinate, noted));
  if (missing.length === 0)
    return {
      isKept: true,
      lines: [
        ...notes,
        `${changes.length} breaking changes since ${released.version}, all noted in CHANGELOG.md.`,
      ],
    };
  return {
    isKept: false,
    lines: [
      ...missing.map(({ coordinate, description }) => `${coordinate}: ${description}`),
      `${missing.length} breaking changes since ${released.version} without a note. Keep the interface (CONTRIBUTING.md, Changes of the contract), or add a line to the unreleased section of CHANGELOG.md: - **Breaking**: \`${missing[0]!.coordinate}\` …`,
    ],
  };
}
