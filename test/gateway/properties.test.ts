import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { METHODS } from '../../src/methods/table.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { countRuns } from '../support/count-runs.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedRollup, playing, ScriptedChain } from './scripted-network.ts';

const log = createRecordingLog();
const gateway = composeGateway({
  networks: new NetworkRegistry([]),
  access: openTo(() => undefined),
  clientVersion: 'Portcullis/1.2.3',
  limits: { batchItems: 20 },
  log,
});

async function send(body: Uint8Array): Promise<string> {
  const network = createScriptedRollup(new ScriptedChain(), { callTimeoutMs: 5 });
  const session = { network, principal: { id: 'p', name: 'p' } };
  const answer = await gateway.handle(body, session, new RequestScope(performance.now() + 10_000));
  assert.ok(answer.status === 200 || answer.status === 400);
  assert.ok(typeof answer.body === 'string');
  return answer.body;
}

type Response = { jsonrpc: string; id: unknown; result?: unknown; error?: { code: number; message: string } };

/** @throws when this is no JSON-RPC 2.0 response, or when it reports an internal error. */
function checkResponse(response: Response): void {
  assert.equal(response.jsonrpc, '2.0');
  assert.ok('id' in response);
  assert.notEqual('result' in response, 'error' in response);
  if (response.error === undefined) return;
  assert.ok(Number.isInteger(response.error.code));
  assert.equal(typeof response.error.message, 'string');
  assert.notEqual(response.error.code, -32603, response.error.message);
}

function checkBody(body: string): void {
  if (body === '') return;
  const value = JSON.parse(body) as Response | Response[];
  if (Array.isArray(value)) {
    assert.ok(value.length > 0);
    value.forEach(checkResponse);
  } else checkResponse(value);
}

const hex = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  fc.bigInt(0n, 2n ** 70n).map((value) => `0x${value.toString(16)}`),
  fc.constantFrom(
    '0x',
    '0x0',
    '0x01',
    '0X1',
    '',
    'latest',
    'safe',
    'pending',
    playing(0),
    `0x${'AB'.repeat(32)}`,
  ),
);
/** Nearly valid values, which pass many checks. */
const nearly = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hex,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom(
          'to',
          'from',
          'gas',
          'data',
          'accessList',
          'address',
          'storageKeys',
          'blockHash',
          'state',
        ),
        fc.constantFrom(
          'blockNumber',
          'requireCanonical',
          'number',
          '__proto__',
          'authorizationList',
          playing(0),
        ),
        fc.string({ maxLength: 5 }),
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;
const method = fc.oneof(
  fc.constantFrom('linea_estimateGas', ...METHODS.map(({ name }) => name)),
  fc.string(),
);
const params = fc.oneof(fc.array(nearly, { maxLength: 5 }), nearly);

test('arbitrary bytes get a valid answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (body) => checkBody(await send(body))),
    { numRuns: countRuns(500) },
  );
});

test('arbitrary JSON gets a valid answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (body) => checkBody(await send(Buffer.from(body)))),
    { numRuns: countRuns(500) },
  );
});

test('arbitrary params of real methods get a valid answer with the id as written', async () => {
  const id = fc.oneof(
    fc.constantFrom(
      '0',
      '-0',
      '1.0',
      '1e2',
      '9007199254740993',
      '123456789012345678901234567890',
      'null',
      '""',
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.string().map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(id, method, params, fc.boolean(), async (idText, name, values, idFirst) => {
      const rest = `"jsonrpc":"2.0","method":${JSON.stringify(name)},"params":${JSON.stringify(values)}`;
      const body = await send(Buffer.from(idFirst ? `{"id":${idText},${rest}}` : `{${rest},"id":${idText}}`));
      checkBody(body);
      assert.ok(body.startsWith(`{"jsonrpc":"2.0","id":${idText},`), body);
    }),
    { numRuns: countRuns(2_000) },
  );
});

test('arbitrary batches get one answer per call, in order', async () => {
  const request = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), method, params });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 30 }), async (requests) => {
      const body = await send(Buffer.from(JSON.stringify(requests)));
      checkBody(body);
      assert.deepEqual(
        (JSON.parse(body) as Response[]).map(({ id }) => id),
        requests.map(({ id }) => id),
      );
    }),
    { numRuns: countRuns(300) },
  );
});

test('no request of these tests causes a fault of the service', () => assert.deepEqual(log.lines, []));
