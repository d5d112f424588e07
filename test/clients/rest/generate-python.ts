import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InputData, type JSONSchema, JSONSchemaInput, JSONSchemaStore, quicktype } from 'quicktype-core';
import { GENERATED } from '../support/folders.ts';

type Content = Record<string, { schema: JSONSchema } | undefined>;
type Operation = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: object };

const pascal = (text: string) => text.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The bodies and responses of every operation, under the names of their classes. */
function findSchemas({ paths }: Document): Record<string, JSONSchema> {
  const operations = Object.values(paths).flatMap((route) => Object.values(route));
  return Object.fromEntries(
    operations
      .flatMap(({ operationId, requestBody, responses }) => [
        [`${pascal(operationId)}Body`, requestBody?.content['application/json']?.schema],
        [`${pascal(operationId)}Answer`, responses['200']?.content?.['application/json']?.schema],
      ])
      .filter(([, schema]) => schema !== undefined),
  );
}

/** The one document; nothing is fetched. */
class OneDocument extends JSONSchemaStore {
  readonly #document: JSONSchema;
  constructor(document: JSONSchema) {
    super();
    this.#document = document;
  }
  override fetch(): Promise<JSONSchema> {
    return Promise.resolve(this.#document);
  }
}

/** Timestamps remain text: their decoder would need the package python-dateutil, which may be missing. */
const withoutTimes = (name: string, value: unknown) =>
  name === 'format' && value === 'date-time' ? undefined : value;

/** Python classes with decoders and encoders of every body of the REST interface, from /openapi.json. */
export async function generatePython(): Promise<{ folder: string; classes: string[] }> {
  const text = await readFile(path.join(GENERATED, 'rest/openapi.json'), 'utf8');
  const document: Document = JSON.parse(text, withoutTimes);
  const schemas = findSchemas(document);
  // quicktype reads no pointer with a slash in a name, as in paths and media types.
  const input = new JSONSchemaInput(
    new OneDocument({ components: document.components, schemas } as JSONSchema),
  );
  const classes = Object.keys(schemas);
  for (const name of classes) await input.addSource({ name, uris: [`openapi.json#/schemas/${name}`] });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({
    inputData,
    lang: 'python',
    rendererOptions: { 'python-version': '3.7', 'nice-property-names': true },
  });
  const folder = path.join(GENERATED, 'python');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'vouchgraph.py'), lines.join('\n'));
  return { folder, classes };
}
