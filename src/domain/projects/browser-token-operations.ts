/** Documents that browser tokens may execute: any, or those that the project registered. */
export const BROWSER_TOKEN_OPERATIONS = ['any', 'registered'] as const;
