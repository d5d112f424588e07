import { z } from 'zod';

/** Id of an object of the service, of which each text is accepted: one of no object is answered as unknown. */
export const objectIdShape = z.string();
