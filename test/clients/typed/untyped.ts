/** Types that a test must find, as a generator writes them for a scalar that it does not know. */
export type Untyped = {
  list: { id: string; data: unknown }[];
  // biome-ignore lint/suspicious/noExplicitAny: what the test must find
  more: any;
};
