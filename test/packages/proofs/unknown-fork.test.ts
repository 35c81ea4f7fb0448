import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { poolOptionsSchema } from '../../../src/pool/options.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../support/anvil.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Call, Fault } from '../../support/faults/fault.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type LiedNetwork, openNetwork } from './liars.ts';

type Members = Readonly<Record<string, unknown>>;
type Change = (value: Members) => Members;

const node = useDevnetNode();
const { ask } = node;
/** First block of the fork, and a true node's blocks before, at and behind it. */
let fork: bigint;

before(async () => {
  const head = BigInt(String(await ask('eth_blockNumber')));
  fork = await findBusy(head - 6n);
});

/** Finds the newest block with transactions at or below a height. */
async function findBusy(from: bigint): Promise<bigint> {
  for (let number = from; number >= 0n; number--) {
    const block = (await ask('eth_getBlockByNumber', encodeQuantity(number), false)) as Members;
    if ((block['transactions'] as readonly unknown[]).length > 0) return number;
  }
  throw new Error('the chain has no block with transactions');
}

function numberOf({ number, blockNumber }: Members): bigint | undefined {
  const at = number ?? blockNumber;
  return typeof at === 'string' ? BigInt(at) : undefined;
}

/** Nodes of a chain whose blocks follow unknown rules from a height on: their answers do not recompute. */
function beginFork(changeBlock: Change, changeReceipt: Change, first = fork): Fault {
  const isAfter = (value: Members): boolean => (numberOf(value) ?? -1n) >= first;
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

/** The fork, on a node that lies about an older block. */
const liarAbout = (old: bigint, changeBlock: Change, changeReceipt: Change): Fault => {
  const from =
    (change: Change, told: Change): Change =>
    (value) =>
      numberOf(value) === old ? told(value) : (numberOf(value) ?? 0n) >= fork ? change(value) : value;
  const lieOfReceipt: Change = (receipt) => ({ ...receipt, cumulativeGasUsed: '0x1234' });
  return beginFork(from(changeBlock, lieOfGas), from(changeReceipt, lieOfReceipt), old);
};
const lieOfGas: Change = (block) => ({ ...block, gasUsed: '0x1234' });

const at = (number: bigint) => ({ kind: 'number', number }) as const;

async function read(result: unknown): Promise<unknown> {
  const value = (await result) as JsonResult;
  assert.ok(isComplete(value));
  return JSON.parse(typeof value === 'string' ? value : value.text);
}

async function setFault(network: LiedNetwork, ...faults: readonly Fault[]): Promise<void> {
  await Promise.all(network.nodes.map((each, i) => each.setFault(faults[i] ?? (faults.at(-1) as Fault))));
}

/** Requests blocks and receipts around the fork. @returns trusts of the blocks at the fork */
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

/** First block from which a subject counts as unverifiable. */
function fromOf({ chain }: LiedNetwork, subject: string): bigint | undefined {
  const row = chain.describe().verification?.rows.find((each) => each.subject === subject);
  return row?.from === undefined ? undefined : BigInt(row.from);
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

describe('a fork with unknown rules', () => {
  for (const [name, changeBlock, changeReceipt, subject] of FORKS) {
    for (const count of [1, 3]) {
      it(`does not stop answers: ${name}, ${count} nodes`, async () => {
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

  it('does not stop answers with one liar of three, which is quarantined', async () => {
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

  it('is unverifiable from its first requested block on, and from lower ones once they are requested', async () => {
    const network = await openNetwork(node.answer, 3, 0, {});
    try {
      await setFault(network, beginFork(withField, same));
      for (const number of [fork + 3n, fork + 1n, fork + 2n, fork, fork - 1n]) {
        const scope = createScope();
        await network.chain.blocks.getBlock(at(number), true, scope);
        assert.equal(scope.trust, number < fork ? 'proven' : 'agreed', `block ${number - fork} of the fork`);
      }
      assert.equal(fromOf(network, 'header'), fork);
      assert.match(network.log.lines.join('\n'), new RegExp(`"from":"${fork + 3n}"`));
    } finally {
      await network.close();
    }
  });

  for (const [name, changeBlock, changeReceipt, subject] of [
    ['a header field', withField, same, 'header'],
    ['a receipt field', same, withReceipt, 'receipts'],
  ] as const) {
    for (const liars of [1, 2]) {
      it(`does not hide lies about older blocks: ${name}, ${liars} liars of three`, async () => {
        const network = await openNetwork(node.answer, 3, liars, {});
        try {
          await setFault(network, beginFork(changeBlock, changeReceipt));
          await readAround(network);
          assert.equal(fromOf(network, subject), fork);
          const old = await findBusy(fork - 3n);
          const liar = liarAbout(old, changeBlock, changeReceipt);
          const lies = Array.from({ length: liars }, () => liar);
          await setFault(network, ...lies, beginFork(changeBlock, changeReceipt));
          const told = (await ask('eth_getBlockByNumber', encodeQuantity(old), true)) as Members;
          // Requested by hash: two liars of three leave only one node that has the height.
          const named = { kind: 'hash', hash: String(told['hash']), requireCanonical: false } as const;
          const scope = createScope();
          assert.deepEqual(await read(network.chain.blocks.getBlock(named, true, scope)), told);
          assert.equal(scope.trust, 'proven');
          const inner = createScope();
          const receipts = await read(network.chain.blocks.getReceipts(named, inner));
          assert.deepEqual(receipts, await ask('eth_getBlockReceipts', encodeQuantity(old)));
          assert.equal(inner.trust, 'proven');
          const states = network.chain.describe().upstreams.map(({ state }) => state);
          const wanted = Array.from({ length: 3 }, (_, i) => (i < liars ? 'excluded' : 'up'));
          assert.deepEqual(states, wanted);
          // By then no block of the fork is refused.
          await network.chain.blocks.getBlock(at(fork + 1n), true, createScope());
        } finally {
          await network.close();
        }
      });
    }
  }

  it('leaves logs of older blocks verified, also in a range over its first block', async () => {
    const network = await openNetwork(node.answer, 3, 1, {});
    try {
      const honest = beginFork(same, withReceipt);
      await setFault(network, honest);
      await readAround(network);
      assert.equal(fromOf(network, 'receipts'), fork);
      const getLogs = async (from: bigint, to: bigint) => {
        const scope = createScope();
        const blocks = { kind: 'range', from: at(from), to: at(to) } as const;
        const logs = await read(network.chain.logs.getLogs({ blocks, addresses: [], topics: [] }, scope));
        const bounds = { fromBlock: encodeQuantity(from), toBlock: encodeQuantity(to) };
        assert.deepEqual(logs, await ask('eth_getLogs', bounds));
        return { logs: logs as readonly Members[], trust: scope.trust };
      };
      assert.equal((await getLogs(fork - 8n, fork - 1n)).trust, 'proven');
      const { logs, trust } = await getLogs(fork - 8n, fork + 3n);
      assert.equal(trust, 'single');
      assert.ok((numberOf(logs[0] ?? {}) ?? fork) < fork, 'older blocks have logs');
      // The first node omits the first log of older blocks.
      const liar: Fault = {
        concerns: (call) => call.method === 'eth_getLogs' || honest.concerns?.(call) === true,
        answer: async (call, askReal) => {
          if (call.method !== 'eth_getLogs')
            return (honest.answer as NonNullable<Fault['answer']>)(call, askReal);
          const answer = await askReal(call);
          const { fromBlock } = (call.params as readonly Members[])[0] ?? {};
          return 'result' in answer && BigInt(String(fromBlock)) < fork
            ? { result: (answer.result as readonly unknown[]).slice(1) }
            : answer;
        },
      };
      await setFault(network, liar, honest);
      await getLogs(fork - 9n, fork + 2n);
      const states = network.chain.describe().upstreams.map(({ state }) => state);
      assert.deepEqual(states, ['excluded', 'up', 'up']);
    } finally {
      await network.close();
    }
  });

  it('leaves older blocks verified with verify: require', async () => {
    const head = BigInt(String(await ask('eth_blockNumber')));
    const fault = beginFork(withField, same, head);
    const network = await openNetwork(node.answer, 3, 3, fault, { verify: 'require', isFromStart: true });
    try {
      assert.equal(fromOf(network, 'header'), head);
      const blocks = { kind: 'range', from: at(fork), to: at(head) } as const;
      await assert.rejects(
        network.chain.logs.getLogs({ blocks, addresses: [], topics: [] }, createScope()),
        /verify: require demands it: header cannot be verified on this network/,
      );
      await assert.rejects(
        async () => network.chain.blocks.getBlock(at(head), true, createScope()),
        /not verified, but verify: require demands it: header cannot be verified on this network/,
      );
      for (const number of [head - 1n, fork]) {
        const scope = createScope();
        await network.chain.blocks.getBlock(at(number), true, scope);
        await network.chain.blocks.getReceipts(at(number), scope);
        assert.equal(scope.trust, 'proven');
        const { hash } = (await ask('eth_getBlockByNumber', encodeQuantity(number), false)) as Members;
        const named = createScope();
        await network.chain.blocks.getBlock(
          { kind: 'hash', hash: String(hash), requireCanonical: false },
          true,
          named,
        );
        assert.equal(named.trust, 'proven');
      }
    } finally {
      await network.close();
    }
  });

  it('is refused with its reason with verify: require', async () => {
    const network = await openNetwork(node.answer, 3, 0, {}, { verify: 'require' });
    try {
      await setFault(network, beginFork(withField, same));
      await assert.rejects(
        async () => network.chain.blocks.getBlock(at(fork), true, createScope()),
        /the header does not hash to the block hash/,
      );
      assert.deepEqual(listGivenUp(network), []);
    } finally {
      await network.close();
    }
  });
});

it('a lie shared by most nodes is detected while one node has the truth', async () => {
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

describe('a development chain with an unknown fork', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;

  before(async () => {
    anvil = await startAnvil({ args: ['--no-mining'] });
    await anvil.request('anvil_mine', '0x10');
  });
  after(() => anvil.kill());

  const follow = async ({ chain }: LiedNetwork): Promise<void> => {
    const { hash } = (await anvil.request('eth_getBlockByNumber', 'latest', false)) as Members;
    await waitUntil(() => chain.heads.served?.hash === hash);
  };

  it('is served after a reorg that moves the fork down, and verified again after a reset', async () => {
    const network = await openNetwork(
      anvil.httpUrl,
      2,
      0,
      {},
      {
        pool: poolOptionsSchema.parse({
          retries: 0,
          hedgePercent: 0,
          development: true,
          pollInterval: '10ms',
        }),
      },
    );
    const trustOf = async (number: bigint): Promise<string | undefined> => {
      const scope = createScope();
      const block = (await read(network.chain.blocks.getBlock(at(number), true, scope))) as Members;
      const told = (await anvil.request('eth_getBlockByNumber', encodeQuantity(number), true)) as Members;
      assert.equal(block['hash'], told['hash']);
      return scope.trust;
    };
    try {
      await setFault(network, beginFork(withField, same, 16n));
      assert.equal(await trustOf(16n), 'agreed');
      assert.equal(fromOf(network, 'header'), 16n);
      const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
      await anvil.request('anvil_reorg', 3, [[{ from, to: from, value: '0x1' }, 0]]);
      await setFault(network, beginFork(withField, same, 15n));
      await follow(network);
      const trusts = [await trustOf(16n), await trustOf(14n), await trustOf(15n), await trustOf(13n)];
      assert.deepEqual(trusts, ['agreed', 'proven', 'agreed', 'proven']);
      assert.equal(fromOf(network, 'header'), 15n);
      await setFault(network, {});
      await anvil.request('anvil_reset');
      await anvil.request('anvil_mine', '0x12');
      await follow(network);
      await waitUntil(
        async () => fromOf(network, 'header') === undefined && (await trustOf(16n)) === 'proven',
      );
    } finally {
      await network.close();
    }
  });

  it('is distinguished from an unverifiable chain by an older block if the fork precedes the start', async () => {
    await anvil.request('anvil_mine', '0x44c');
    const head = BigInt(String(await anvil.request('eth_blockNumber')));
    const fault = beginFork(withField, same, head - 50n);
    for (const verify of ['auto', 'require'] as const) {
      const network = await openNetwork(anvil.httpUrl, 2, 2, fault, { verify, isFromStart: true });
      try {
        assert.equal(fromOf(network, 'header'), head - 50n);
        const requested = createScope();
        await network.chain.blocks.getBlock(at(head - 60n), true, requested);
        assert.equal(requested.trust, 'proven');
        if (verify === 'require') continue;
        const scope = createScope();
        await network.chain.blocks.getBlock(at(head - 20n), true, scope);
        assert.equal(scope.trust, 'agreed');
        assert.equal(network.chain.describe().verification?.counts.refuted, 0);
      } finally {
        await network.close();
      }
    }
  });
});
