/** Variable that names the gateway of a call. */
export const URL_VARIABLE = 'VOUCHGRAPH_URL';

/** The option or the variable that names the gateway of a call; null without one. */
export function gatewaySource(
  args: readonly string[] = process.argv.slice(2),
): '--url' | typeof URL_VARIABLE | null {
  if (args.some((arg) => arg === '--url' || arg.startsWith('--url='))) return '--url';
  // biome-ignore lint/style/noProcessEnv: needed before the settings are loaded, by every start
  return (process.env[URL_VARIABLE] ?? '') === '' ? null : URL_VARIABLE;
}
