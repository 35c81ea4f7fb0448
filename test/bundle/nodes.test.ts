/** Bundles of answers from nodes of other programs, and from lying nodes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../scripts/assembler.ts';
import { decodeBundle, lowerHex } from '../../src/bundle/format.ts';
import { verifyBundle } from '../../src/bundle/verify-bundle.ts';
import { startGeth } from '../geth/node/geth-node.ts';
import { GETH_SKIP } from '../geth/node/geth-program.ts';
import { buildHiveChain, SHAPES } from '../geth/node/hive-chain.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import type { Fault } from '../support/faults/fault.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { createConfig, hashOf, makeBundle } from './bundles.ts';

const READER = `0x${'b'.repeat(40)}`;
const HASHER = `0x${'e'.repeat(40)}`;
const REVERTER = `0x${'d'.repeat(40)}`;
const PROGRAMS: Readonly<Record<string, string>> = {
  [READER]: '0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN',
  [HASHER]: '0 CALLDATALOAD NUMBER SUB BLOCKHASH 0 MSTORE 32 0 RETURN',
  [REVERTER]: '0 CALLDATALOAD SLOAD 0 MSTORE 32 0 REVERT',
};
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const folder = makeTemporaryFolder();
after(() => folder.remove());

/** Makes a bundle with a node, and verifies it like another process. @returns the answer */
async function proveBy(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const config = createConfig({ node: { upstreams: [url] } }, folder.path);
  const text = await makeBundle(config, { network: 'node', method, params });
  await verifyBundle(text, { hash: hashOf(text) });
  const { answer } = decodeBundle(text);
  return 'result' in answer ? answer.result : answer.error;
}

describe('bundles of answers from anvil', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let door: FaultUpstream;

  before(async () => {
    anvil = await startAnvil();
    const [sender = ''] = (await anvil.request('eth_accounts')) as string[];
    for (const [address, source] of Object.entries(PROGRAMS)) {
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(source)));
      for (let slot = 1; slot <= 20; slot++)
        await anvil.request('anvil_setStorageAt', address, word(slot), word(slot * 7));
    }
    for (let count = 0; count < 3; count++)
      await anvil.request('eth_sendTransaction', { from: sender, to: READER, data: word(count) });
    await anvil.request('anvil_mine', '0x5');
    await anvil.request('eth_sendTransaction', { from: sender, to: HASHER, value: '0x1' });
    door = await FaultUpstream.start(anvil.httpUrl);
  });
  after(async () => {
    await door.close();
    await anvil.kill();
  });

  const QUESTIONS: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_getBlockReceipts', ['latest']],
    ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x0']],
    ['eth_getUncleByBlockNumberAndIndex', ['latest', '0x0']],
    ['eth_call', [{ to: READER, data: word(5) }, 'latest']],
    ['eth_call', [{ to: READER, data: word(99) }, 'latest']],
    ['eth_call', [{ to: HASHER, data: word(4) }, 'latest']],
    ['eth_call', [{ to: REVERTER, data: word(6) }, 'latest']],
    [
      'eth_call',
      [{ to: READER, data: word(5) }, 'latest', { [READER]: { stateDiff: { [word(5)]: word(9) } } }],
    ],
  ];
  for (const [method, params] of QUESTIONS) {
    test(`${method} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      const answer = await proveBy(anvil.httpUrl, method, params);
      const own = await anvil.request(method, ...params).catch(({ code, data }) => ({ code, data }));
      // The error messages differ, so code and data are compared.
      const isError = typeof answer === 'object' && answer !== null && 'code' in answer;
      const found = isError ? { code: answer.code, data: 'data' in answer && answer.data } : answer;
      assert.deepEqual(found, lowerHex(own));
    });
  }

  test('eth_estimateGas returns the estimate computed here', async () => {
    const gas = await proveBy(anvil.httpUrl, 'eth_estimateGas', [{ to: READER, data: word(5) }]);
    assert.ok(Number(gas) > 21_000 && Number(gas) < 40_000);
  });

  const call: readonly [string, readonly unknown[]] = ['eth_call', [{ to: READER, data: word(5) }, 'latest']];
  const receipts: readonly [string, readonly unknown[]] = ['eth_getBlockReceipts', ['latest']];
  type Members = Record<string, unknown>;
  const LIES: readonly (readonly [string, string, (result: never) => unknown, typeof call])[] = [
    ['another result', 'eth_call', () => word(36), call],
    ['a slot of another value', 'eth_getProof', (proof: Members) => alterSlot(proof, () => []), call],
    ['a node of a proof', 'eth_getProof', (proof: Members) => alterSlot(proof, alterNode), call],
    ['another code', 'eth_getCode', () => bytesToHex(assemble('36 0 MSTORE 32 0 RETURN')), call],
    [
      'another state root',
      'eth_getBlockByHash',
      (block: Members) => ({ ...block, stateRoot: word(1) }),
      call,
    ],
    ['another status', 'eth_getBlockReceipts', ([one]: Members[]) => [{ ...one, status: '0x0' }], receipts],
    ['another sender', 'eth_getBlockReceipts', ([one]: Members[]) => [{ ...one, from: READER }], receipts],
  ];
  for (const [name, of, change, [method, params]] of LIES) {
    test(`refuses a node that reports ${name}`, async (t) => {
      await door.setFault(alter(of, change as (result: unknown) => unknown));
      t.after(() => door.setFault());
      await assert.rejects(proveBy(door.httpUrl, method, params));
    });
  }
});

/** Creates a fault that changes the results of a method. */
function alter(of: string, change: (result: unknown) => unknown): Fault {
  return {
    concerns: ({ method }) => method === of,
    async answer(asked, ask) {
      const answer = await ask(asked);
      return 'result' in answer && answer.result !== null ? { result: change(answer.result) } : answer;
    },
  };
}

function alterSlot(proof: Record<string, unknown>, change: (nodes: string[]) => string[]): unknown {
  const slots = proof['storageProof'] as { readonly proof: string[] }[];
  return { ...proof, storageProof: slots.map((slot) => ({ ...slot, proof: change(slot.proof) })) };
}

function alterNode(nodes: string[]): string[] {
  return nodes.map((node) => `${node.slice(0, -1)}${node.endsWith('1') ? '2' : '1'}`);
}

test('bundles of answers from geth', { skip: GETH_SKIP }, async (t) => {
  const files = await buildHiveChain(SHAPES.amsterdam, folder.path);
  const node = await startGeth({ ...files, blockGasLimit: 30_000_000n });
  t.after(() => node.close());
  const head = Number(await node.ask('eth_blockNumber', []));
  assert.ok(head > 4);
  // Blocks from before the fork have other rules than those in eth_config.
  for (let number = 2; number <= 4; number++) {
    const at = `0x${number.toString(16)}`;
    for (const [method, params] of [
      ['eth_getBlockReceipts', [at]],
      ['eth_getTransactionByBlockNumberAndIndex', [at, '0x0']],
      ['eth_call', [{ data: bytesToHex(assemble('1 NUMBER SUB BLOCKHASH 0 MSTORE 32 0 RETURN')) }, at]],
      ['eth_estimateGas', [{ data: bytesToHex(assemble('NUMBER 0 MSTORE 32 0 RETURN')) }, at]],
    ] as const) {
      assert.deepEqual(await proveBy(node.httpUrl, method, params), await node.ask(method, params));
    }
  }
});
