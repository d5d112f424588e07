import { documentedSchema } from '@vouchgraph/rest';
import { schema } from '../../graphql/schema.ts';

/** The public schema with the words of REST. */
export const restSchema = documentedSchema(schema);
