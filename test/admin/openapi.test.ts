/** The OpenAPI document and docs/admin-api.md, both made from the table of routes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderAdminApiPage } from '../../scripts/docs/admin-api-docs.ts';
import { roleOf } from '../../src/admin/api/api-route.ts';
import { API_PATH, API_ROUTES } from '../../src/admin/api/api-routes.ts';
import { toJsonSchema } from '../../src/admin/api/openapi.ts';
import { startApi, TOKENS } from './api-support.ts';

type Operation = {
  readonly operationId: string;
  readonly 'x-role': string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>;
};
type Schema = {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

type Document = {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

test('docs/admin-api.md matches the table of routes', () => {
  const page = readFileSync(new URL('../../../docs/admin-api.md', import.meta.url), 'utf8');
  const hint = 'run: npm run build && node build/scripts/write-docs.js';
  assert.equal(page, renderAdminApiPage(API_ROUTES, API_PATH), hint);
});

test('the OpenAPI document has each route with its role, body and answers', async (t) => {
  const api = await startApi(t);
  const got = await api.send({ path: '/admin/v1/openapi.json', token: TOKENS.read });
  assert.equal(got.status, 200);
  const document = JSON.parse(got.body) as Document;
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.2.3');
  const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = API_ROUTES.map(({ method, path }) => `${method} ${API_PATH}${path}`);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
  for (const route of API_ROUTES) {
    const operation = document.paths[`${API_PATH}${route.path}`]?.[route.method.toLowerCase()];
    assert.ok(operation !== undefined);
    assert.equal(operation.operationId, route.operation);
    assert.equal(operation['x-role'], roleOf(route));
    assert.equal(operation.requestBody !== undefined, roleOf(route) === 'write');
    for (const status of [route.answer.status, 401, 403, 429])
      assert.ok(operation.responses[status], route.path);
    assert.deepEqual(Object.keys(operation.responses[401]?.content ?? {}), ['application/problem+json']);
  }
  const operations = API_ROUTES.map(({ operation }) => operation);
  assert.equal(new Set(operations).size, operations.length);
  const create = document.paths['/admin/v1/keys']?.['post'];
  const body = create?.requestBody?.content['application/json']?.schema;
  assert.deepEqual(body?.required, ['name']);
  assert.deepEqual(Object.keys(body?.properties['settings']?.properties ?? {}).toSorted(), [
    'addresses',
    'dailyCredits',
    'expiresAt',
    'jwt',
    'methods',
    'networks',
    'origins',
    'rate',
    'send',
    'userAgents',
  ]);
  assert.ok(!got.body.includes('secretHash'));
  const audit = document.paths['/admin/v1/audit']?.['get']?.parameters;
  assert.deepEqual(
    audit?.map(({ name, in: place }) => [name, place]),
    [
      ['limit', 'query'],
      ['before', 'query'],
    ],
  );
});

test('examples have all members of their bodies, and their schemas accept them', () => {
  const examples = API_ROUTES.flatMap(({ body, example }) => (body && example ? [{ body, example }] : []));
  assert.ok(examples.length > 0);
  for (const { body, example } of examples) {
    assert.ok(body.safeParse(example).success);
    assertComplete(toJsonSchema(body) as Schema, example);
  }
});

function assertComplete({ properties }: Partial<Schema>, value: unknown): void {
  if (properties === undefined) return;
  assert.deepEqual(Object.keys(value as object).toSorted(), Object.keys(properties).toSorted());
  for (const [name, one] of Object.entries(properties))
    assertComplete(one, (value as Readonly<Record<string, unknown>>)[name]);
}

test('the page describes the members of nested objects', () => {
  const page = renderAdminApiPage(API_ROUTES, API_PATH);
  assert.match(page, /^ {4}- `perSecond` \(number from 0\.001 to 1000000\): /m);
  assert.doesNotMatch(page, /\(object of /);
});

test('answers have the form that the table gives them', async (t) => {
  const node = {
    network: 'mainnet',
    node: 'a',
    state: 'up',
    head: 7,
    isCordoned: false,
    inFlight: 0,
  } as const;
  const api = await startApi(t, {
    sources: {
      listNodes: async () => [node, { ...node, node: 'b', state: 'down', reason: 'it does not answer' }],
      cordon: async () => ({ outcome: 'done' }),
      uncordon: async () => ({ outcome: 'done' }),
      reload: async () => ({ outcome: 'applied', changes: ['networks.a added'] }),
    },
  });
  const { record } = await api.call<{ record: { id: string } }>('POST', '/keys', { name: 'a', secret: true });
  const bodies: Readonly<Record<string, object>> = {
    createKey: { name: 'b' },
    updateKey: { name: 'c' },
    cordonNode: { network: 'mainnet', node: 'a' },
    drainNode: { network: 'mainnet', node: 'a' },
    uncordonNode: { network: 'mainnet', node: 'a' },
  };
  for (const { method, path, operation, answer, body } of API_ROUTES) {
    const value = await api.call(method, path.replace('{id}', record.id), body && (bodies[operation] ?? {}));
    assert.deepEqual(answer.schema.parse(value), value, operation);
  }
});

test('a drain waits until nothing is in flight, or its timeout passes', async (t) => {
  let inFlight = 3;
  let isCordoned = false;
  const node = { network: 'mainnet', node: 'a', state: 'excluded', isCordoned: true } as const;
  const api = await startApi(t, {
    sources: {
      listNodes: async () => {
        const now = inFlight;
        if (isCordoned) inFlight = Math.max(0, inFlight - 1);
        return [{ ...node, inFlight: now }];
      },
      cordon: async () => {
        isCordoned = true;
        return { outcome: 'done' };
      },
    },
  });
  type Drained = { readonly isDrained: boolean; readonly node: { readonly inFlight: number } };
  const body = { network: 'mainnet', node: 'a' };
  const early = await api.call<Drained>('POST', '/nodes/drain', { ...body, timeout: '0s' });
  assert.deepEqual([early.isDrained, early.node.inFlight], [false, 3]);
  const late = await api.call<Drained>('POST', '/nodes/drain', body);
  assert.deepEqual([late.isDrained, late.node.inFlight], [true, 0]);
});
