import type { Body, Client } from './client.ts';
import type { World } from './world.ts';

/** Input of a row: the world, and its own preparation. */
export type Known = World & Body;

export type GraphqlRow = {
  /** Field of the root type. */
  field: string;
  /** Description whose subject is the field. */
  name: string;
  /** Preparation of the row. */
  given?: (client: Client, world: World) => Promise<Body>;
  document: string;
  variables?: (known: Known) => Body;
  /** Part of the field's value that the input determines. */
  answer: (known: Known) => Body;
};
