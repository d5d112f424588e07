/** Types that a test must find, as generated for an unknown scalar. */
export type Untyped = {
  list: { id: string; data: unknown }[];
  // biome-ignore lint/suspicious/noExplicitAny: what the test must find
  more: any;
};
