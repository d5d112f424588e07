import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FOLDER, GENERATED } from '../support/folders.ts';
import { convertToOpenApi30 } from './openapi-3-0.ts';
import { run } from './run.ts';

/** OpenAPI Generator, which contains the libraries of its clients too. */
export const GENERATOR = path.join(
  FOLDER,
  'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar',
);

const OPTIONS = {
  library: 'native',
  dateLibrary: 'java8',
  openApiNullable: 'false',
  hideGenerationTimestamp: 'true',
  invokerPackage: 'vouchgraph',
  apiPackage: 'vouchgraph.api',
  modelPackage: 'vouchgraph.model',
};

/** A Java client with a method for each operation of /openapi.json; returns the folder of its sources. */
export async function generateJava(): Promise<string> {
  const folder = path.join(GENERATED, 'java');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const document = JSON.parse(await readFile(path.join(GENERATED, 'rest/openapi.json'), 'utf8'));
  // This version of the generator, the last one whose npm package contains it, reads OpenAPI 3.0.
  const input = path.join(folder, 'openapi-3.0.json');
  await writeFile(input, JSON.stringify(convertToOpenApi30(document)));
  const options = Object.entries(OPTIONS).map((option) => option.join('='));
  await run(
    'java',
    ...['-jar', GENERATOR, 'generate', '--generator-name', 'java', '--input-spec', input, '--output', folder],
    ...['--template-dir', path.join(FOLDER, 'rest/java-templates')],
    ...['--additional-properties', options.join(',')],
    ...[
      '--global-property',
      'apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
    ],
  );
  return path.join(folder, 'src/main/java');
}
