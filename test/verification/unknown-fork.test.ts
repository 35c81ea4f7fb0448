import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { BlockReference } from '../../src/chain/chain.ts';
import { isComplete, type JsonResult } from '../../src/primitives/json-result.ts';
import { encodeQuantity } from '../../src/primitives/quantity.ts';
import { useDevnetNode } from '../support/devnet-node.ts';
import type { Call, Fault } from '../support/faults/fault.ts';
import { createScope } from '../upstream/support/exchange.ts';
import { type LiedNetwork, openNetwork } from './liars.ts';

type Members = Readonly<Record<string, unknown>>;
type Change = (value: Members) => Members;

const node = useDevnetNode();
const { ask } = node;
/** The first block of the fork, and a node's truth about blocks before, at and behind it. */
let fork: bigint;

before(async () => {
  const head = BigInt(String(await ask('eth_blockNumber')));
  fork = await findBusy(head - 6n);
});

/** The newest block up to a height that has transactions. */
async function findBusy(from: bigint): Promise<bigint> {
  for (let number = from; number >= 0n; number--) {
    const block = (await ask('eth_getBlockByNumber', encodeQuantity(number), false)) as Members;
    if ((block['transactions'] as readonly unknown[]).length > 0) return number;
  }
  throw new Error('the chain has no block with transactions');
}

/** Nodes of a chain with blocks that from a height on follow rules that are not known here: what they give does not recompute. */
function beginFork(changeBlock: Change, changeReceipt: Change, isFromFork = true): Fault {
  const isAfter = ({ number, blockNumber }: Members): boolean => {
    const at = number ?? blockNumber;
    return typeof at === 'string' && (!isFromFork || BigInt(at) >= fork);
  };
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null || !isAfter(value as Members)) return value;
    if ('cumulativeGasUsed' in value) return changeReceipt(value as Members);
    return 'parentHash' in value ? changeBlock(value as Members) : value;
  };
  return {
    concerns: ({ method }: Call) =>
      method.startsWith('eth_getBlock') || method === 'eth_getTransactionReceipt',
    answer: async (call, askReal) => {
      const answer = await askReal(call);
      return 'result' in answer ? { result: change(answer.result) } : answer;
    },
  };
}

const same: Change = (value) => value;
const withField: Change = (block) => ({
  ...block,
  futureRoot: `0x${'07'.repeat(32)}`,
  mixHash: `0x${'11'.repeat(32)}`,
});
const withType: Change = (block) => ({
  ...block,
  transactions: (block['transactions'] as readonly unknown[]).map((transaction) =>
    typeof transaction === 'string' ? transaction : { ...(transaction as Members), type: '0x66' },
  ),
});
const withReceipt: Change = (receipt) => ({
  ...receipt,
  futureGas: '0x1',
  logsBloom: `0x${'00'.repeat(255)}01`,
});
const lie: Change = (block) => ({ ...withField(block), gasUsed: '0x1234' });

const at = (number: bigint): BlockReference => ({ kind: 'number', number });

async function read(result: unknown): Promise<unknown> {
  const value = (await result) as JsonResult;
  assert.ok(isComplete(value));
  return JSON.parse(typeof value === 'string' ? value : value.text);
}

async function setFault(network: LiedNetwork, ...faults: readonly Fault[]): Promise<void> {
  await Promise.all(network.nodes.map((each, i) => each.setFault(faults[i] ?? (faults.at(-1) as Fault))));
}

/** Asks for blocks and receipts around the fork. @returns trusts of the blocks at the fork */
async function readAround({ chain }: LiedNetwork): Promise<readonly (string | undefined)[]> {
  const trusts: (string | undefined)[] = [];
  for (let number = fork - 2n; number <= fork + 3n; number++) {
    for (const isFull of [true, false]) {
      const scope = createScope();
      const block = (await read(chain.blocks.getBlock(at(number), isFull, scope))) as Members;
      assert.equal(block['number'], encodeQuantity(number));
      assert.notEqual(block['gasUsed'], '0x1234');
      if (number === fork) trusts.push(scope.trust);
    }
    const scope = createScope();
    const receipts = (await read(chain.blocks.getReceipts(at(number), scope))) as readonly Members[];
    const told = (await ask('eth_getBlockReceipts', encodeQuantity(number))) as readonly Members[];
    assert.deepEqual(
      receipts.map((each) => each['transactionHash']),
      told.map((each) => each['transactionHash']),
    );
    if (number === fork) trusts.push(scope.trust);
  }
  return trusts;
}

function listGivenUp({ chain }: LiedNetwork): readonly string[] {
  const rows = chain.describe().verification?.rows ?? [];
  return rows.flatMap(({ subject, reason }) => (reason === undefined ? [] : [subject]));
}

const FORKS: readonly (readonly [
  name: string,
  block: Change,
  receipt: Change,
  subject: string | undefined,
])[] = [
  ['a header field', withField, same, 'header'],
  ['a transaction type', withType, same, undefined],
  ['a receipt field', same, withReceipt, 'receipts'],
];

describe('a fork that is not known here', () => {
  for (const [name, changeBlock, changeReceipt, subject] of FORKS) {
    for (const count of [1, 3]) {
      it(`answers go on: ${name}, ${count} nodes`, async () => {
        const network = await openNetwork(node.answer, count, 0, {});
        try {
          assert.deepEqual(listGivenUp(network), []);
          await setFault(network, beginFork(changeBlock, changeReceipt));
          const trusts = await readAround(network);
          assert.ok(
            trusts.some((trust) => trust === (count === 1 ? 'single' : 'agreed')),
            trusts.join(),
          );
          assert.deepEqual(listGivenUp(network), subject === undefined ? [] : [subject]);
          for (const { state } of network.chain.describe().upstreams) assert.notEqual(state, 'excluded');
        } finally {
          await network.close();
        }
      });
    }
  }

  it('answers go on with one liar of three, which is quarantined', async () => {
    const network = await openNetwork(node.answer, 3, 1, {});
    try {
      await setFault(network, beginFork(lie, same), beginFork(withField, same));
      await readAround(network);
      assert.deepEqual(listGivenUp(network), ['header']);
      const states = network.chain.describe().upstreams.map(({ state }) => state);
      assert.deepEqual(states, ['excluded', 'up', 'up']);
    } finally {
      await network.close();
    }
  });

  it('is refused, with the reason, where everything has to be proven', async () => {
    const network = await openNetwork(node.answer, 3, 0, {}, { verify: 'require' });
    try {
      await setFault(network, beginFork(withField, same));
      await assert.rejects(
        async () => network.chain.blocks.getBlock(at(fork), true, createScope()),
        /the header does not hash to the hash of the block/,
      );
      assert.deepEqual(listGivenUp(network), []);
    } finally {
      await network.close();
    }
  });
});

it('a lie that most nodes tell alike is found while one tells the truth', async () => {
  const network = await openNetwork(node.answer, 3, 2, {});
  try {
    await setFault(network, beginFork(lie, same), beginFork(lie, same), {});
    const block = (await read(network.chain.blocks.getBlock(at(fork), true, createScope()))) as Members;
    assert.deepEqual(block, await ask('eth_getBlockByNumber', encodeQuantity(fork), true));
    const states = network.chain.describe().upstreams.map(({ state }) => state);
    assert.deepEqual(states.slice(0, 2), ['excluded', 'excluded']);
    assert.deepEqual(listGivenUp(network), []);
  } finally {
    await network.close();
  }
});
