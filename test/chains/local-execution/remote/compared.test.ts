import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

const READER = `0x${'b'.repeat(40)}`;
const PAUSE_MS = 20;
const MAX_CALLS = 2_000;

const request = (slot: number): CallRequest => ({
  call: { to: READER, data: `0x${slot.toString(16).padStart(64, '0')}` },
  block: { kind: 'tag', tag: 'latest' },
});

describe('execution: auto', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let door: FaultUpstream;
  before(async () => {
    anvil = await startAnvil();
    await anvil.request(
      'anvil_setCode',
      READER,
      bytesToHex(assemble('0 CALLDATALOAD DUP1 @go JUMPI REVERT go: SLOAD 0 MSTORE 32 0 RETURN')),
    );
    await anvil.request('anvil_mine', '0x2');
    door = await FaultUpstream.start(anvil.httpUrl);
  });
  after(async () => {
    await door.close();
    await anvil.kill();
  });

  /** Makes calls until the network has decided where they are executed. */
  async function decide(network: RemoteNetwork): Promise<string> {
    for (let i = 0; i < MAX_CALLS; i++) {
      const { state } = network.figures();
      if (state !== 'comparing') return state;
      await network.ask(i % 2 === 0 ? 'call' : 'estimateGas', request(i % 5));
      await sleep(PAUSE_MS);
    }
    return 'undecided';
  }

  test('nodes answer until twenty calls have had the same outcome locally', async () => {
    await door.setFault();
    const network = await openRemote(door.httpUrl, { execution: 'auto' });
    try {
      assert.deepEqual(await network.ask('call', request(1)), {
        result: `"0x${'0'.repeat(64)}"`,
        trust: 'single',
      });
      assert.equal(network.figures().state, 'comparing');
      assert.equal(await decide(network), 'local');
      const { trust } = await network.ask('call', request(1));
      assert.equal(trust, 'single');
    } finally {
      await network.close();
    }
  });

  test('a different outcome leaves calls to the nodes, with a reason', async () => {
    await door.setFault({
      concerns: ({ method, params }) => method === 'eth_call' && JSON.stringify(params[0]).includes('"gas"'),
      answer: async () => ({ result: '0x01' }),
    });
    const network = await openRemote(door.httpUrl, { execution: 'auto' });
    try {
      assert.equal(await decide(network), 'node');
      assert.match(
        network.figures().reason ?? '',
        /^a call of 0xb+ had a different result here than at every node$/,
      );
      assert.equal((await network.ask('call', request(1))).trust, 'single');
    } finally {
      await network.close();
    }
  });

  test('nodes that do not prove state leave calls to the nodes, with a reason', async () => {
    await door.setFault({
      concerns: ({ method }) => method === 'eth_getProof',
      answer: async () => ({ error: { code: -32_601, message: 'the method eth_getProof does not exist' } }),
    });
    const network = await openRemote(door.httpUrl, { execution: 'auto' });
    try {
      assert.equal(await decide(network), 'node');
      assert.equal(network.figures().reason, 'nodes do not prove the state that calls read');
    } finally {
      await network.close();
    }
  });
});
