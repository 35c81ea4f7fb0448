import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { SLOT_MS } from '../../src/util/slot-scheduler.ts';
import { openTo } from '../support/access.ts';
import { spin, watchTurns } from '../support/watch-turns.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, ScriptedChain } from './scripted-network.ts';

const CALLS = 12;
const LARGE = new JsonBytes(new SharedBytes(Buffer.from(`"0x${'00'.repeat(400_000)}"`)));

/** Answers all calls at once with the same large result. */
class WaitedChain extends ScriptedChain {
  finish = (): void => {};
  readonly #finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  override async call(_: CallRequest): Promise<string> {
    await this.#finished;
    return LARGE as unknown as string;
  }
}

test('large answers that become ready at the same time are written in several turns of the event loop', async () => {
  const chain = new WaitedChain();
  const network = createScriptedNetwork(chain);
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
  });
  const watch = watchTurns();
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{}, 'latest'] });
  const answered = Array.from({ length: CALLS }, async (_, at) => {
    const scope = new RequestScope(performance.now() + 60_000);
    const session = { network, principal: { id: `key ${at % 3}`, name: 'key' } };
    const { body } = await gateway.handle(Buffer.from(call), session, scope);
    assert.ok(body instanceof JsonBytes);
    watch.note();
    // Stands for the time that writing the answer takes.
    spin(SLOT_MS + 0.1);
  });
  chain.finish();
  await Promise.all(answered);
  assert.equal(watch.end(), 1);
});
