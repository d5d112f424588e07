import { z } from 'zod';
import { openApiDocument } from '../../src/http/rest/openapi/openapi.ts';
import type { Body } from './gateway.ts';

/*
 * Bodies as documented in openapi.json, for comparison with real ones. The document allows further keys and
 * values beyond x-extensible-enum, since any version may add some; a body of this version has no others.
 */

const document: Body = openApiDocument('https://gateway.example');

function closed(schema: Body): Body {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, 'x-extensible-enum': values, ...rest } = schema;
  if (values) return { ...rest, enum: values };
  if ($ref) return closed({ ...document.components.schemas[$ref.split('/').pop()], ...rest });
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  const isOpen = !schema.properties || schema.properties.type || schema.additionalProperties;
  return isOpen ? parts : { ...parts, additionalProperties: false };
}

const shapeOf = ({ content }: Body): z.ZodType =>
  z.fromJSONSchema(closed(content['application/json'].schema));

/** The body of each operation's response with status 200. */
export const DOCUMENTED_ANSWERS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.values<Body>(document.paths)
    .flatMap((methods) => Object.values<Body>(methods))
    .filter(({ responses }) => responses['200'].content['application/json'])
    .map(({ operationId, responses }) => [operationId, shapeOf(responses['200'])]),
);

/** The body of the webhook of each type of event. */
export const DOCUMENTED_WEBHOOKS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries<Body>(document.webhooks).map(([type, { post }]) => [type, shapeOf(post.requestBody)]),
);
