/** Documents that browser tokens may execute: any, or only registered ones. */
export const BROWSER_TOKEN_OPERATIONS = ['any', 'registered'] as const;
