import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FOLDER } from '../support/folders.ts';
import { sandbox } from '../support/sandbox.ts';

const execute = promisify(execFile);

const options = {
  cwd: FOLDER,
  env: { ...process.env, BASE_URL: sandbox.base_url, API_KEY: sandbox.api_key },
  maxBuffer: 16 * 1024 * 1024,
};

/** Packages of Debian with the programs that npm does not install. */
const DEBIAN_PACKAGES: Record<string, string> = {
  python3: 'python3',
  java: 'default-jre-headless',
  javac: 'default-jdk-headless',
};

/** Runs a program and returns its output; fails with the output, or when the program is not installed. */
export async function run(program: string, ...args: string[]): Promise<string> {
  return await execute(program, args, options).then(
    ({ stdout }) => stdout,
    ({ code, message, stdout, stderr }) => {
      if (code === 'ENOENT' && program in DEBIAN_PACKAGES)
        throw new Error(`${program} is not installed: apt-get install ${DEBIAN_PACKAGES[program]}`);
      throw new Error([message, stdout, stderr].join('\n'));
    },
  );
}
