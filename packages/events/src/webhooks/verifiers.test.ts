import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventBody } from '../event-body.ts';
import { newSecret, signedHeaders } from './signature.ts';

const STANDARD = { signatureFormat: 'standard', signatureKey: 'text' } as const;

/*
 * The functions of the documents in other languages, copied as by a reader, with content signed by the gateway.
 * Each runs when its language is installed.
 */

type Case = { name: string; secret: string; headers: Record<string, string>; body: string; isRight: boolean };

const HOUR = 3_600_000;
const TEXTS = ['plain', 'ünïcödé 😀 \u2028', 'x'.repeat(200_000), '"quotes" and \\ and \n lines', ''];

function sign(text: string, secrets: readonly string[], at = new Date()) {
  const id = newId();
  const body = eventBody({
    id,
    type: 'rule.custom',
    position: 1,
    createdAt: at,
    projectId: newId(),
    sessionId: null,
    referringSessionId: null,
    requestId: null,
    accountId: text,
    facts: { accountId: text },
  });
  return { body, headers: signedHeaders({ id, type: 'rule.custom', body }, secrets, STANDARD, at) };
}

function makeCases(): Case[] {
  const [secret, other] = [newSecret(), newSecret()];
  const made = sign('plain', [secret]);
  const wrong = (name: string, changes: Partial<Case>): Case => ({
    ...made,
    name,
    secret,
    isRight: false,
    ...changes,
  });
  const header = (name: string, value: string) => ({ headers: { ...made.headers, [name]: value } });
  return [
    ...TEXTS.map((text) => ({ ...sign(text, [secret]), name: text.slice(0, 10), secret, isRight: true })),
    { ...sign('rotated', [other, secret]), name: 'the older secret', secret, isRight: true },
    { ...sign('rotated', [secret, other]), name: 'the newer secret', secret, isRight: true },
    wrong('another secret', { secret: other }),
    wrong('another body', { body: made.body.replace('plain', 'plaiN') }),
    wrong('another id', header('webhook-id', newId())),
    wrong('another timestamp', header('webhook-timestamp', String(Math.floor(Date.now() / 1000) - 60))),
    wrong('no timestamp', header('webhook-timestamp', '')),
    wrong('a timestamp that is none', header('webhook-timestamp', '1e9')),
    wrong('no signature', header('webhook-signature', '')),
    wrong('a signature that is none', header('webhook-signature', 'v1, v1 ,')),
    wrong('an hour ago', sign('plain', [secret], new Date(Date.now() - HOUR))),
    wrong('in an hour', sign('plain', [secret], new Date(Date.now() + HOUR))),
  ];
}

const PYTHON = `
import base64, json, sys
from verify import verify_webhook
for case in json.load(sys.stdin):
    try:
        event = verify_webhook(case["secret"], case["headers"], base64.b64decode(case["body"]))
        print("right" if event["type"] == "rule.custom" else "another event")
    except ValueError:
        print("wrong")
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"verify/webhooks"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		if webhooks.Verify(one.Secret, header, one.Body) == nil {
			fmt.Println("right")
		} else {
			fmt.Println("wrong")
		}
	}
}
`;

const LANGUAGES = [
  {
    language: 'python',
    command: 'python3',
    version: '--version',
    arguments: ['main.py'],
    verifier: 'verify.py',
    files: { 'main.py': PYTHON },
  },
  {
    language: 'go',
    command: 'go',
    version: 'version',
    arguments: ['run', '.'],
    verifier: 'webhooks/verify.go',
    files: { 'main.go': GO, 'go.mod': 'module verify\n\ngo 1.19\n' },
  },
];

describe.each(LANGUAGES)('the documented verifier in $language', (subject) => {
  const exists = spawnSync(subject.command, [subject.version]).status === 0;
  let folder: string;

  beforeAll(async () => {
    const page = await readFile(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
    const verifier = new RegExp(`\`\`\`${subject.language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
    folder = await mkdtemp(join(tmpdir(), 'verify-'));
    for (const [name, text] of Object.entries({ ...subject.files, [subject.verifier]: verifier })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Its result for each case; compiling takes some time. */
  function ask(cases: readonly Case[]): Promise<string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const child = execFile(subject.command, subject.arguments, { cwd: folder }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout.trim().split(/\r?\n/)),
    );
    const encoded = cases.map(({ secret, headers, body }) => ({
      secret,
      headers,
      body: Buffer.from(body).toString('base64'),
    }));
    child.stdin!.end(JSON.stringify(encoded));
    return promise;
  }

  it('accepts only signed content', { timeout: 120_000 }, async (context) => {
    if (!exists) return context.skip(`${subject.command} is not installed on this machine`);
    const cases = makeCases();
    const said = await ask(cases);
    const verdicts = cases.map(({ name }, index) => [name, said[index]]);
    expect(verdicts).toEqual(cases.map(({ name, isRight }) => [name, isRight ? 'right' : 'wrong']));
  });
});
