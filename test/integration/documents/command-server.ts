import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { runInHost } from '../../support/run-command.ts';

/**
 * Definition of the shell function `hosted`, which runs a command of the program in the shared process of the worker. It
 * sends the folder, the number of arguments, the arguments and the environment, and receives its end as words of the shell.
 */
export const HOSTED = `
hosted() {
  local end
  end=$( { printf '%s\\0' "$PWD" "$#" "$@"; env -0; } |
    command curl --silent --show-error --fail --unix-socket "$COMMAND_SERVER" --data-binary @- http://commands/ )
  eval "$end"
}
`;

export type CommandServer = { socket: string; close(): Promise<void> };

/** Runs the commands of `hosted`, whose socket is in a folder. */
export async function startCommandServer(folder: string): Promise<CommandServer> {
  const socket = path.join(folder, 'commands.sock');
  let last = Promise.resolve();
  const server = createServer(async (request, response) => {
    const [cwd = '', count = '', ...words] = (await buffer(request)).toString().split('\0');
    const args = words.slice(0, Number(count));
    const variables = words.slice(Number(count), -1).map((word) => word.split(/=(.*)/s).slice(0, 2));
    const run = last.then(() => runInHost({ args, environment: Object.fromEntries(variables), folder: cwd }));
    last = run.then(
      () => {},
      () => {},
    );
    run.then(
      ({ code, output, errors }) =>
        response.end(`printf %s ${quoted(output)}\nprintf %s ${quoted(errors)} >&2\nreturn ${code ?? 1}\n`),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(socket);
  await once(server, 'listening');
  return {
    socket,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
