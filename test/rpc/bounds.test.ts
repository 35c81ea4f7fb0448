import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError, restoreChainError } from '../../src/chain/errors.ts';
import { configSchema } from '../../src/config/config.ts';
import { toRpcError } from '../../src/gateway/call-errors.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { toChainError } from '../../src/pool/chain-errors.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import { ERRORS, isRefusal, RpcError } from '../../src/rpc/errors.ts';
import { BOUND_NAMES, BOUNDS, type BoundsOf, listErrors } from '../../src/util/bounds.ts';
import { RequestScope } from '../../src/util/request-scope.ts';

const SITE = { method: 'eth_call', network: 'main' };
const BUSY = BOUND_NAMES.filter((name) => listErrors(name).includes('busy')) as BoundsOf<'busy'>[];

test('the default of each bound equals the default of its option', () => {
  const upstreams = ['http://127.0.0.1:1'];
  const config = configSchema.parse({
    networks: { main: { hosts: ['main.localhost'], upstreams } },
  }) as unknown as Record<string, unknown>;
  for (const name of BOUND_NAMES) {
    const { option, byDefault } = BOUNDS[name];
    if (option === undefined) continue;
    assert.equal(findOption(config, option), byDefault, `${name} ${option}`);
  }
});

test('every bound has an error or closes the connection, and has a remedy', () => {
  for (const name of BOUND_NAMES) {
    const { closes, says, counts, remedy } = BOUNDS[name];
    assert.ok(listErrors(name).length > 0 || closes !== undefined, name);
    for (const row of listErrors(name))
      assert.ok(ERRORS[row] !== undefined && isRefusal(row), `${name} ${row}`);
    assert.ok(says !== '' && counts !== '' && remedy !== '', name);
    // The reason in a close frame has at most 123 bytes.
    assert.ok(Buffer.byteLength(`${says} (bound: ${name})`) <= 123, name);
  }
});

test('the error of a busy chain names its bound, even across threads', () => {
  assert.ok(BUSY.length > 5);
  const log = createLogger('silent');
  for (const bound of BUSY) {
    const { kind, message, data } = new ChainError('busy', bound);
    const restored = restoreChainError(JSON.parse(JSON.stringify({ kind, message, data, bound })));
    assert.equal(restored.message, message);
    const error = toRpcError(restored, new RequestScope(performance.now() + 60_000), SITE, log);
    assert.equal(error.bound, bound);
    assert.equal(error.message, `limit exceeded: ${BOUNDS[bound].says} (bound: ${bound})`);
    assert.deepEqual([error.row.code, error.row.status], [-32005, 429]);
  }
});

test('a node at its own bound and a node that limits the rate are different bounds', () => {
  const ownBound = toChainError(new UpstreamFault('rateLimited', 'full', 10, 'node.inFlight')) as ChainError;
  const rate = toChainError(
    new UpstreamFault('rateLimited', 'the node limits the rate of requests'),
  ) as ChainError;
  assert.deepEqual([ownBound.bound, rate.bound], ['node.inFlight', 'nodes.rate']);
});

test('a refusal with a number states the number', () => {
  const { message } = new RpcError('tooManySubscriptions', 'webSocket.subscriptions', 3);
  assert.equal(
    message,
    'limit exceeded: a connection has at most 3 subscriptions (bound: webSocket.subscriptions)',
  );
});

/** Finds a configuration value by path: `*` is the network, `[]` the first item of a list. */
function findOption(config: Record<string, unknown>, path: string): unknown {
  let value: unknown = config;
  for (const step of path.split('.')) {
    const name = step === '*' ? 'main' : step.replace('[]', '');
    value = (value as Record<string, unknown> | undefined)?.[name];
    if (step.endsWith('[]')) value = (value as readonly unknown[])[0];
  }
  return value;
}
