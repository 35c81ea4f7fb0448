/** Nodes that report the rules of an unknown chain: whether calls are executed by those rules, and reported as verified. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Answer, Fault } from '../../../support/faults/fault.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

const CONTRACT = `0x${'b'.repeat(40)}`;
const REQUEST: CallRequest = { call: { to: CONTRACT, data: '0x' }, block: { kind: 'tag', tag: 'latest' } };
const RESULT = `"0x${'7'.padStart(64, '0')}"`;
const NODES = 3;

type Config = { readonly current: { readonly blobSchedule: object; readonly precompiles: object } };

/** Changes the node's reply to eth_config. */
const tell = (change: (config: Config) => Answer): Fault => ({
  concerns: ({ method }) => method === 'eth_config',
  async answer(call, ask) {
    const answer = await ask(call);
    return 'result' in answer ? change(answer.result as Config) : answer;
  },
});
const LIE = tell((config) => ({
  result: {
    ...config,
    current: { ...config.current, blobSchedule: { target: 1, max: 1, baseFeeUpdateFraction: 1 } },
  },
}));
const NO_METHOD = tell(() => ({ error: { code: -32601, message: 'the method eth_config does not exist' } }));
const NULL = tell(() => ({ result: null }));
const UNREADABLE = tell(() => ({ result: { current: 'Osaka' } }));

describe('chain rules that nodes report', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let doors: readonly FaultUpstream[];
  before(async () => {
    anvil = await startAnvil();
    await anvil.request('anvil_setCode', CONTRACT, bytesToHex(assemble('7 0 MSTORE 32 0 RETURN')));
    await anvil.request('anvil_mine', '0x2');
    doors = await Promise.all(Array.from({ length: NODES }, () => FaultUpstream.start(anvil.httpUrl)));
  });
  after(async () => {
    for (const door of doors) await door.close();
    await anvil.kill();
  });

  /** Opens a network with one node per fault, used in this order. */
  async function withNodes(
    faults: readonly Fault[],
    use: (network: RemoteNetwork) => Promise<void>,
  ): Promise<void> {
    const used = doors.slice(0, faults.length);
    for (const [i, door] of used.entries()) await door.setFault(faults[i]);
    const rows = used.map(({ httpUrl }, i) => ({ url: httpUrl, tier: i + 1 }));
    const network = await openRemote(rows, { verify: 'auto', execution: 'local' });
    try {
      await use(network);
    } finally {
      await network.close();
    }
  }

  const ROWS: readonly (readonly [name: string, faults: readonly Fault[], trust: string, isHere: boolean])[] =
    [
      ['two alike: proven', [{}, {}], 'proven', true],
      ['two alike beside a liar: proven', [LIE, {}, {}], 'proven', true],
      ['two alike beside nodes that do not tell: proven', [UNREADABLE, {}, {}], 'proven', true],
      ['one of two that contradict each other: nodes execute', [LIE, {}], 'single', false],
      ['one beside nodes without the method: one node’s word', [{}, NO_METHOD, NULL], 'single', true],
      ['none: nodes execute', [NO_METHOD, UNREADABLE, NULL], 'single', false],
    ];
  for (const [name, faults, trust, isHere] of ROWS) {
    test(name, async () => {
      await withNodes(faults, async (network) => {
        assert.deepEqual(await network.ask('call', REQUEST), { result: RESULT, trust });
        const { executed, left } = network.figures();
        assert.deepEqual([executed, left['rules']], isHere ? [1, 0] : [0, 1]);
      });
    });
  }

  test('the only node: one node’s word, also for a block by its hash', async () => {
    await withNodes([{}], async (network) => {
      const { hash } = network.chain.heads.served ?? assert.fail('there is no head');
      const request: CallRequest = { ...REQUEST, block: { kind: 'hash', hash, requireCanonical: false } };
      assert.deepEqual(await network.ask('call', request), { result: RESULT, trust: 'single' });
      assert.equal(network.figures().executed, 1);
    });
  });

  test('a node that does not answer gets one request, not one per block', async () => {
    let requested = 0;
    const silent: Fault = {
      concerns: ({ method }) => {
        if (method === 'eth_config') requested++;
        return method === 'eth_config';
      },
      delivery: { kind: 'hang' },
    };
    await withNodes([silent], async (network) => {
      for (let blocks = 0; blocks < 3; blocks++) {
        const { number } = network.chain.heads.served ?? assert.fail('there is no head');
        assert.equal((await network.ask('call', REQUEST)).result, RESULT);
        await anvil.request('anvil_mine', '0x1');
        await network.followTo(number + 1n);
      }
      assert.equal(requested, 1);
    });
  });
});
