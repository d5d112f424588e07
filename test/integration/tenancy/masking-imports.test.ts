import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from '../../support/email-imports.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { type Caller, keyCaller, type PersonCaller, personCaller } from '../../support/person-calls.ts';

/* Imports of email addresses as persons see them by the routes of files: in masked form, without the file of results. */

const MARKERS = ['gwendolyn', 'blackwood', 'planted', '5557643'];
const FILE = [
  'planted email,planted first,planted last,planted phone',
  'gwendolyn.blackwood@planted-domain.example,Gwendolyn,Blackwood,+14155557643',
  'gwendolyn at planted,Gwendolyn,Blackwood,+14155557643',
  ',Gwendolyn,,',
  '',
].join('\n');
const COLUMNS = {
  email_column: 'planted email',
  first_name_column: 'planted first',
  last_name_column: 'planted last',
  phone_column: 'planted phone',
};

let gateway: Gateway;
let project: TestProject;
let persons: PersonCaller[];
let viewer: PersonCaller;
let analyst: PersonCaller;
let admin: PersonCaller;
let key: Caller;
let path: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  const roles = ['viewer', 'analyst', 'admin'] as const;
  [viewer, analyst, admin] = (await Promise.all(
    roles.map((role) => personCaller(gateway, project, role)),
  )) as [PersonCaller, PersonCaller, PersonCaller];
  persons = [viewer, analyst, admin];
  key = keyCaller(gateway, project);
  const { status, body } = await upload(gateway, project, FILE, {
    query: { name: 'planted import', ...COLUMNS },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  path = `/email/imports/${body.import_id}`;
  await gateway.app.settleEmailChecks(project.projectId);
});
afterAll(() => gateway.close());

const found = (text: string) => MARKERS.filter((marker) => text.toLowerCase().includes(marker));

describe('an import', () => {
  it.each(['', '/problems'])('is masked for persons: GET /email/imports/{import_id}%s', async (part) => {
    const ofKey = await key.rest('GET', path + part);
    for (const person of persons) {
      const answer = await person.rest('GET', path + part);
      expect(answer.status).toBe(200);
      expect(found(answer.text), person.role).toEqual([]);
      expect(Object.keys(answer.body)).toEqual(Object.keys(ofKey.body));
    }
  });

  it('shows its name and columns to a key alone', async () => {
    const names = { name: 'planted import' };
    const ofKey = (await key.rest('GET', path)).body;
    expect(ofKey).toMatchObject(names);
    expect(found(JSON.stringify(ofKey.columns))).toEqual(['planted']);
    for (const person of persons) {
      const { name, columns } = (await person.rest('GET', path)).body;
      expect(name).toBe('•••');
      expect(Object.values(columns).filter((value) => typeof value === 'string' && value !== '•••')).toEqual(
        [],
      );
    }
  });

  it('has the same problems for all, which quote no value', async () => {
    const { problems } = (await key.rest('GET', `${path}/problems`)).body;
    expect(problems.length).toBeGreaterThan(0);
    for (const person of persons) {
      const seen = (await person.rest('GET', `${path}/problems`)).body.problems;
      expect(seen.map(({ line, code }: Body) => [line, code])).toEqual(
        problems.map(({ line, code }: Body) => [line, code]),
      );
    }
  });

  it('is masked in the list', async () => {
    for (const person of persons) {
      const answer = await person.rest('GET', '/email/imports');
      expect(answer.body.imports).toHaveLength(1);
      expect(found(answer.text), person.role).toEqual([]);
    }
  });

  it('has a file of results for keys, and for no person', async () => {
    const ofKey = await key.rest('GET', `${path}/result.csv`);
    expect(found(ofKey.text)).toEqual(MARKERS);
    for (const person of persons) {
      const answer = await person.rest('GET', `${path}/result.csv`);
      expect(answer.status).toBe(403);
      expect(answer.body.code).toBe('auth.forbidden');
      expect(found(answer.text)).toEqual([]);
      expect((await person.rest('HEAD', `${path}/result.csv`)).status).toBe(403);
    }
  });

  it('is masked for the administrator who uploads it, and uploaded by no other person', async () => {
    const send = (person: PersonCaller, to: string) =>
      upload(gateway, project, FILE, {
        path: to,
        query: to === path ? {} : { name: 'planted again', ...COLUMNS },
        headers: { 'x-api-key': '', ...person.headers },
      });
    for (const person of [viewer, analyst]) {
      expect((await send(person, '/email/imports')).status).toBe(403);
      expect((await send(person, path)).status).toBe(403);
      expect((await person.rest('DELETE', path)).status).toBe(403);
    }
    for (const to of ['/email/imports', path]) {
      const { status, body } = await send(admin, to);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(found(JSON.stringify(body))).toEqual([]);
    }
    const erased = await admin.rest('DELETE', path);
    expect([erased.status, found(erased.text)]).toEqual([200, []]);
  });
});
