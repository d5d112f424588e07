import type { Body, Client } from './client.ts';
import type { World } from './world.ts';

/** What a row knows: the world, and what it prepared itself. */
export type Known = World & Body;

export type GraphqlRow = {
  /** Field of the root type. */
  field: string;
  /** Sentence whose subject is the field. */
  name: string;
  /** What the row prepares itself. */
  given?: (client: Client, world: World) => Promise<Body>;
  document: string;
  variables?: (known: Known) => Body;
  /** Part of the field's value that follows from what was sent. */
  answer: (known: Known) => Body;
};
