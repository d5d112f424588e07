import type { Gateway } from './gateway.ts';

/** Cost of a request at the database: messages that the gateway waits for, and statements in them. */
export type Cost = { readonly trips: number; readonly statements: number };

/** The round trips of a request, each as the names of its statements. */
export async function tripsOf(gateway: Gateway, request: () => Promise<unknown>): Promise<string[][]> {
  gateway.takeTrips();
  await request();
  return gateway.takeTrips();
}

export function costOf(trips: readonly (readonly string[])[]): Cost {
  return { trips: trips.length, statements: trips.flat().length };
}

/** The names of a trip's statements that lock, in their order. Equal orders everywhere prevent deadlocks. */
export function locksOf(trip: readonly string[] | undefined = []): string[] {
  return trip.filter(isLock);
}

/** Whether a trip acquires its locks before it reads the protected rows. */
export function locksBeforeReads(trip: readonly string[] | undefined = []): boolean {
  const lastLock = trip.findLastIndex(isLock);
  const firstRead = trip.findIndex((name) => /\.(read|find|count)/.test(name));
  return lastLock >= 0 && lastLock < firstRead;
}

function isLock(name: string): boolean {
  return /\.lock/.test(name);
}
