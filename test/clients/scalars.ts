/** JSON type of each scalar, for the generated types; the same block is in docs/graphql-clients.md. */
export const scalars = {
  CountryCode: 'string',
  Date: 'string',
  DateTime: 'string',
  IdNumberValue: 'string',
  JSON: 'type-fest#JsonValue',
  JSONObject: 'type-fest#JsonObject',
  UUID: 'string',
};
