/** Results of each family for a chain's answers: every number here comes from one request and appears in one result. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Transaction } from 'ethers';
import fc from 'fast-check';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference, CallObject, CallRequest } from '../../src/chain/requests.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import { computeFjordFee } from '../../src/rollup/fees/op-stack-fee.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../../src/rollup/rollup-family.ts';
import { countRuns } from '../support/count-runs.ts';
import { countRounds } from './count-rounds.ts';
import {
  type Asked,
  createScriptedChain,
  makeHeader,
  makeSources,
  PINNED_HASH,
  SCOPE,
  type Script,
} from './scripted-chain.ts';

const FAMILIES = await loadFamilies();
const findFamily = (name: string): FamilyRow => FAMILIES.find((row) => row.name === name) as FamilyRow;

const FROM = '0x52908400098527886e0f7030069857d2e4169ee7';
const TO = '0x8617e340b3d01fa5f11f306f4090fd50e238070d';
const CALL: CallObject = { from: FROM, to: TO, value: '0x1', data: '0xa9059cbb' };
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PINNED: BlockReference = { kind: 'hash', hash: PINNED_HASH, requireCanonical: false };
const ORACLE = '0x420000000000000000000000000000000000000f';
const L1_BLOCK = '0x4200000000000000000000000000000000000015';
/** No operator fee: `operatorFeeScalar()`, `operatorFeeConstant()`. */
const FREE = { '0x4d5d9a2a': 0n, '0x16d3bc7f': 0n };
const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002';
const MORPH_ORACLE = '0x530000000000000000000000000000000000000f';

const GAS = 50_000n;
const BASE_FEE = 1_000n;
const TIP = 2_000_000n;

type Contracts = Readonly<Record<string, Readonly<Record<string, bigint>>>>;

/** Answers calls of contracts by address and selector. Others revert as a missing function does, or are absent. */
function answerCalls(contracts: Contracts): (request: CallRequest) => string {
  return ({ call }) => {
    const functions = contracts[call.to ?? ''];
    if (functions === undefined) return '"0x"';
    const value = functions[(call.data ?? '').slice(0, 10)];
    if (value === undefined) throw new ChainError('reverted', 'execution reverted', '0x');
    return `"0x${value.toString(16).padStart(64, '0')}"`;
  };
}

/** Returns the transaction in the pricing call of an oracle. */
function findPriced({ calls }: Asked): string {
  const data = calls.map((each) => each.call.data ?? '').find((each) => each.startsWith('0x49948e0e')) ?? '';
  const [, , length, ...words] = data.slice(2).match(/^.{8}|.{64}/g) ?? [];
  return `0x${words.join('').slice(0, 2 * Number(`0x${length}`))}`;
}

const NODE: Script = {
  headers: {
    latest: makeHeader({ number: 100n, baseFeePerGas: BASE_FEE }),
    safe: makeHeader({ number: 90n }),
    finalized: makeHeader({ number: 80n }),
    '7': makeHeader({ number: 7n, baseFeePerGas: 77n }),
  },
  estimate: () => `"0x${GAS.toString(16)}"`,
};
const REQUESTS = { eth_maxPriorityFeePerGas: `"0x${TIP.toString(16)}"`, eth_getTransactionCount: '"0x5"' };
const L1 = createScriptedChain({
  headers: { latest: makeHeader({ number: 23_800_000n, timestamp: 1_764_000_000n }) },
}).chain;

type Case = Script & { readonly sources?: Partial<RollupSources>; readonly block?: BlockReference };

function open(name: string, { sources, ...script }: Case) {
  const { chain, requested } = createScriptedChain({
    ...NODE,
    ...script,
    headers: { ...NODE.headers, ...script.headers },
    requests: { ...REQUESTS, ...script.requests },
  });
  const distant = countRounds(chain);
  return {
    family: findFamily(name).create(makeSources(distant.chain, sources)),
    requested,
    rounds: distant.rounds,
  };
}

/** Estimates in at most two rounds, and asserts that all calls are at the same block. */
async function estimate(name: string, example: Case): Promise<GasEstimate> {
  const { family, requested, rounds } = open(name, example);
  const { block = LATEST } = example;
  const result = await family.estimateGas({ call: CALL, block }, SCOPE);
  assert.ok(rounds() <= 2, `${rounds()} rounds`);
  // l2geth always estimates at its head.
  const estimates = name === 'l2geth' ? [] : requested.estimates;
  for (const request of [...requested.calls, ...estimates]) {
    assert.deepEqual(request.block, block === LATEST ? PINNED : block);
  }
  return result;
}

const readInfo = (name: string, example: Case): Promise<RollupInfo> => open(name, example).family.info(SCOPE);

const plain: GasEstimate = { gasLimit: GAS, baseFeePerGas: BASE_FEE, priorityFeePerGas: TIP };
const misconfigured = (error: unknown): boolean =>
  error instanceof ChainError && error.kind === 'misconfigured';

describe('op-stack', () => {
  const contracts: Contracts = {
    [ORACLE]: { '0x49948e0e': 123_456_789n, '0x275aedd2': 11n },
    [L1_BLOCK]: { '0x8381f58a': 23_000_000n, '0xb80777ea': 1_763_000_000n },
  };
  const call = answerCalls(contracts);

  test('spreads the data fee and the operator fee over the gas, rounded up', async () => {
    // 123,456,800 / 50,000 = 2,469.136
    assert.deepEqual(await estimate('op-stack', { call }), { ...plain, priorityFeePerGas: TIP + 2_470n });
    const sources = { l1CostMode: 'excluded' } as const;
    assert.deepEqual(await estimate('op-stack', { call, sources }), plain);
  });

  test('prices the unsigned transaction with the oracle', async () => {
    const { family, requested } = open('op-stack', { call });
    await family.estimateGas({ call: CALL, block: LATEST }, SCOPE);
    const expected = Transaction.from({
      type: 2,
      chainId: 59_144n,
      nonce: 5,
      maxPriorityFeePerGas: TIP,
      maxFeePerGas: 2n * BASE_FEE + TIP,
      gasLimit: GAS,
      to: TO,
      value: 1n,
      data: CALL.data as string,
    }).unsignedSerialized.slice(2);
    const length = (expected.length / 2).toString(16).padStart(64, '0');
    const data = requested.calls.map((request) => request.call.data);
    assert.deepEqual(
      data[0],
      `0x49948e0e${'20'.padStart(64, '0')}${length}${expected.padEnd(Math.ceil(expected.length / 64) * 64, '0')}`,
    );
    assert.deepEqual(data[1], `0x275aedd2${GAS.toString(16).padStart(64, '0')}`);
  });

  test('has no operator fee before Isthmus', async () => {
    const before = answerCalls({ [ORACLE]: { '0x49948e0e': 123_456_789n } });
    assert.equal(
      (await estimate('op-stack', { call: before })).priorityFeePerGas,
      TIP + (123_456_789n + GAS - 1n) / GAS,
    );
  });

  test('is refused without its contracts, instead of priced with a free layer 1', async () => {
    await assert.rejects(estimate('op-stack', { call: answerCalls({}) }), misconfigured);
    await assert.rejects(readInfo('op-stack', { call: answerCalls({}) }), misconfigured);
  });

  test('takes the tip from the fee history, then from the gas price, then zero, if none is suggested', async () => {
    const eth_maxPriorityFeePerGas = 'null';
    const eth_feeHistory = '{"oldestBlock":"0x61","reward":[["0x1"],["0x3e8"]],"baseFeePerGas":["0x7"]}';
    const tipOf = async (requests: Readonly<Record<string, string>>): Promise<bigint> => {
      const sources = { l1CostMode: 'excluded' } as const;
      return (await estimate('op-stack', { call, sources, requests })).priorityFeePerGas;
    };
    assert.equal(await tipOf({ eth_maxPriorityFeePerGas, eth_feeHistory, eth_gasPrice: '"0x5000"' }), 1_000n);
    assert.equal(await tipOf({ eth_maxPriorityFeePerGas, eth_gasPrice: '"0x5000"' }), 0x5000n - BASE_FEE);
    assert.equal(await tipOf({ eth_maxPriorityFeePerGas, eth_gasPrice: '"0x1"' }), 0n);
    assert.equal(await tipOf({ eth_maxPriorityFeePerGas }), 0n);
  });

  test('info: has the layer 1 origin of the head', async () => {
    assert.deepEqual(
      await readInfo('op-stack', { call, requests: { eth_syncing: '{"currentBlock":"0x1"}' } }),
      {
        mode: 'verifier',
        syncing: true,
        ethContext: { blockNumber: 23_000_000n, timestamp: 1_763_000_000n },
        rollupContext: { queueIndex: 0n, index: 99n, verifiedIndex: 89n },
      },
    );
  });
});

test('op-stack compresses the transaction itself if the node’s gas limit for calls is too low for the oracle', async () => {
  const prices = {
    l1BaseFee: 9_000_000_000n,
    blobBaseFee: 3n,
    baseFeeScalar: 2_269n,
    blobBaseFeeScalar: 1_055_762n,
  };
  const call = ({ call: { data = '0x' } }: CallRequest): string => {
    const selector = data.slice(0, 10);
    if (selector === '0x49948e0e') throw new ChainError('failed', 'out of gas');
    // Formula of the contract itself.
    const size = 68 + Number(`0x${data.slice(10)}`);
    const fee = computeFjordFee(size + Math.floor(size / 255) + 16, prices);
    return `"0x${(selector === '0xf1c7a58b' ? fee : 0n).toString(16).padStart(64, '0')}"`;
  };
  for (const length of [0, 100, 5_000, 130_000]) {
    const data = bytesToHex(Uint8Array.from({ length }, (_, i) => (i * i) % 251));
    const { chain, requested } = createScriptedChain({ ...NODE, requests: REQUESTS, call });
    const family = findFamily('op-stack').create(makeSources(chain));
    const request = { call: { ...CALL, data }, block: LATEST };
    const { priorityFeePerGas } = await family.estimateGas(request, SCOPE);
    const payload = hexToBytes(findPriced(requested));
    const exact = computeFjordFee(measureFastLz(payload) + 68, prices);
    const byte = computeFjordFee(1_001, prices) - computeFjordFee(1_000, prices);
    const fee = (priorityFeePerGas - TIP) * GAS;
    assert.ok(fee >= exact && fee <= exact + byte + GAS, `${fee}, ${exact} for ${length} bytes`);
  }
});

describe('mantle', () => {
  const l1Fee = { '0x49948e0e': 1_000_000n, '0x275aedd2': 7n };
  const arsia = { ...l1Fee, '0x1e2b6e7b': 1n, '0x06f837d3': 3_000n };

  test('converts the data fee from ETH to MNT since Arsia', async () => {
    const call = answerCalls({ [ORACLE]: arsia, [L1_BLOCK]: { '0x4d5d9a2a': 0n, '0x16d3bc7f': 9n } });
    const { priorityFeePerGas } = await estimate('mantle', { call });
    assert.equal(priorityFeePerGas, TIP + (3_000_000_009n + GAS - 1n) / GAS);
  });

  test('computes the operator fee by Jovian’s formula, whatever the oracle returns', async () => {
    // Mantle's formula since block 95,483,648: 10 gwei per gas.
    const prices = { '0x4d5d9a2a': 100_000_000n, '0x16d3bc7f': 0n };
    const call = answerCalls({ [ORACLE]: { ...arsia, '0x275aedd2': GAS * 100n }, [L1_BLOCK]: prices });
    const { priorityFeePerGas } = await estimate('mantle', { call });
    assert.equal(priorityFeePerGas, TIP + 10_000_000_000n + (3_000_000_000n + GAS - 1n) / GAS);
    const without = answerCalls({ [ORACLE]: arsia });
    await assert.rejects(estimate('mantle', { call: without }), misconfigured);
  });

  test('adds nothing before Arsia, because the gas includes it', async () => {
    for (const isArsia of [{}, { '0x1e2b6e7b': 0n }]) {
      const call = answerCalls({ [ORACLE]: { ...l1Fee, ...isArsia, '0x06f837d3': 3_000n } });
      assert.deepEqual(await estimate('mantle', { call }), plain);
    }
  });

  test('is refused without a token ratio, whatever else the oracle has', async () => {
    for (const words of [l1Fee, { ...l1Fee, '0x1e2b6e7b': 1n }]) {
      await assert.rejects(estimate('mantle', { call: answerCalls({ [ORACLE]: words }) }), misconfigured);
    }
  });
});

describe('arbitrum', () => {
  const header =
    '{"number":"0x64","l1BlockNumber":"0x16b4a31","nonce":"0x00000000000003e9","sendCount":"0x2"}';

  test('has layer 1 in the gas, and drops tips', async () => {
    assert.deepEqual(await estimate('arbitrum', {}), { ...plain, priorityFeePerGas: 0n });
  });

  test('info: reads layer 1 from the header, or from layer 1 itself', async () => {
    const requests = { eth_getBlockByNumber: header };
    const expected: RollupInfo = {
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 0x16b4a31n, timestamp: 1_700_000_000n },
      rollupContext: { queueIndex: 1_000n, index: 99n, verifiedIndex: 89n },
    };
    assert.deepEqual(await readInfo('arbitrum', { requests }), expected);
    const { ethContext } = await readInfo('arbitrum', { requests, sources: { l1: L1.blocks } });
    assert.deepEqual(ethContext, { blockNumber: 23_800_000n, timestamp: 1_764_000_000n });
    const other = { requests: { eth_getBlockByNumber: '{"number":"0x64","nonce":"0x0"}' } };
    await assert.rejects(readInfo('arbitrum', other), misconfigured);
    await assert.rejects(readInfo('arbitrum', {}), new ChainError('failed', 'header not found'));
  });
});

describe('scroll', () => {
  test('takes the data fee from the method of the node', async () => {
    const requests = { scroll_estimateL1DataFee: '"0x186a1"' };
    const { priorityFeePerGas } = await estimate('scroll', { requests, call: answerCalls({}) });
    assert.equal(priorityFeePerGas, TIP + 3n);
  });

  test('takes the data fee otherwise from the contract, for a signed transaction', async () => {
    const call = answerCalls({ [SCROLL_ORACLE]: { '0x49948e0e': 100_000n } });
    assert.equal((await estimate('scroll', { call })).priorityFeePerGas, TIP + 2n);
    const { family, requested } = open('scroll', { call });
    await family.estimateGas({ call: CALL, block: LATEST }, SCOPE);
    const { type, nonce, gasLimit, signature } = Transaction.from(findPriced(requested));
    assert.deepEqual({ type, nonce, gasLimit }, { type: 2, nonce: 5, gasLimit: GAS });
    assert.doesNotMatch(`${signature?.r}${signature?.s}`, /00/);
    await assert.rejects(estimate('scroll', { call: answerCalls({}) }), misconfigured);
  });

  test('passes as many bytes as the compressed transaction has to the contract since Galileo', async () => {
    const call = answerCalls({ [SCROLL_ORACLE]: { '0x49948e0e': 100_000n, '0x0f337f6d': 1n } });
    const measure = async (data: string): Promise<number> => {
      const { family, requested } = open('scroll', { call });
      await family.estimateGas({ call: { ...CALL, data }, block: LATEST }, SCOPE);
      return (findPriced(requested).length - 2) / 2;
    };
    // The signature and the fields are incompressible.
    const plain = await measure('0x');
    const long = await measure(`0x${'00'.repeat(20_000)}`);
    assert.ok(plain > 100 && long > plain && long < plain + 20, `${plain}, ${long}`);
  });

  test('info: reports how far the node has read layer 1', async () => {
    const requests = {
      scroll_getL1SyncHeight: '23000000',
      scroll_getLatestRelayedQueueIndex: '976543',
      scroll_syncStatus: '{"l2BlockSyncHeight":100,"l2FinalizedBlockHeight":85}',
    };
    assert.deepEqual(await readInfo('scroll', { requests }), {
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 23_000_000n, timestamp: 0n },
      rollupContext: { queueIndex: 976_543n, index: 99n, verifiedIndex: 89n },
    });
    const status = {
      l1: { status: 'Synced', latest: 23_000_007, finalized: 22_999_900 },
      l2: {
        status: 'Synced',
        fcs: { head: { number: 100 }, safe: { number: 94 }, finalized: { number: 80 } },
      },
    };
    const newer = await readInfo('scroll', { requests: { rollupNode_status: JSON.stringify(status) } });
    assert.deepEqual(newer.ethContext, { blockNumber: 23_000_007n, timestamp: 0n });
    assert.equal(newer.rollupContext.verifiedIndex, 93n);
    assert.deepEqual(await readInfo('scroll', { sources: { l1: L1.blocks } }), {
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 23_800_000n, timestamp: 1_764_000_000n },
      rollupContext: { queueIndex: 0n, index: 99n, verifiedIndex: 89n },
    });
  });
});

describe('zksync', () => {
  const zks_estimateFee =
    '{"gas_limit":"0x2dc6c0","max_fee_per_gas":"0x2b275d0","max_priority_fee_per_gas":"0x0","gas_per_pubdata_limit":"0xc350"}';

  test('takes the gas from the method of Era, which includes layer 1', async () => {
    const expected = { gasLimit: 3_000_000n, baseFeePerGas: BASE_FEE, priorityFeePerGas: 0n };
    assert.deepEqual(await estimate('zksync', { requests: { zks_estimateFee } }), expected);
  });

  test('takes the gas from eth_estimateGas at other blocks, and on ZKsync OS', async () => {
    assert.deepEqual(await estimate('zksync', {}), { ...plain, priorityFeePerGas: 0n });
    const block: BlockReference = { kind: 'number', number: 7n };
    const expected = { gasLimit: GAS, baseFeePerGas: 77n, priorityFeePerGas: 0n };
    assert.deepEqual(await estimate('zksync', { block, requests: { zks_estimateFee } }), expected);
  });
});

describe('polygon-zkevm', () => {
  const without = { ...NODE.headers, latest: makeHeader({ number: 100n }) };

  test('has the total price that the node reports', async () => {
    const requests = { zkevm_estimateGasPrice: '"0x3b9aca00"' };
    const expected = { gasLimit: GAS, baseFeePerGas: 0n, priorityFeePerGas: 1_000_000_000n };
    assert.deepEqual(await estimate('polygon-zkevm', { headers: without, requests }), expected);
  });

  test('takes the price otherwise from the fee that the node reports, or from its gas price', async () => {
    const priceOf = async (requests: Readonly<Record<string, string>>): Promise<bigint> =>
      (await estimate('polygon-zkevm', { requests })).priorityFeePerGas;
    assert.equal(await priceOf({ zkevm_estimateFee: '"0x5f5e100"', eth_gasPrice: '"0x5"' }), 2_000n);
    assert.equal(await priceOf({ eth_gasPrice: '"0x5"' }), 5n);
    for (const requests of [{}, { eth_gasPrice: '"0x"' }]) {
      await assert.rejects(estimate('polygon-zkevm', { requests }), misconfigured);
    }
  });

  test('info: the verified index is the block consolidated on layer 1', async () => {
    const { rollupContext } = await readInfo('polygon-zkevm', {
      requests: { zkevm_consolidatedBlockNumber: '"0x5f"' },
    });
    assert.deepEqual(rollupContext, { queueIndex: 0n, index: 99n, verifiedIndex: 94n });
  });
});

describe('taiko', () => {
  test('adds nothing for layer 1, which the proposer of the block pays', async () => {
    assert.deepEqual(await estimate('taiko', {}), plain);
  });

  test('info: has the layer 1 origin of the head', async () => {
    const requests = { taiko_headL1Origin: '{"blockID":"0x64","l1BlockHeight":"0x15ef3c0"}' };
    const { ethContext } = await readInfo('taiko', { requests });
    assert.deepEqual(ethContext, { blockNumber: 23_000_000n, timestamp: 0n });
    const beside = await readInfo('taiko', { requests, sources: { l1: L1.blocks } });
    assert.deepEqual(beside.ethContext, { blockNumber: 23_800_000n, timestamp: 1_764_000_000n });
  });
});

describe('l2geth', () => {
  test('has layer 1 in the gas, and the gas price above the base fee as its tip', async () => {
    const { latest } = NODE.headers ?? {};
    const { baseFeePerGas: _, ...legacy } = latest ?? makeHeader();
    const requests = { eth_gasPrice: '"0x3e9"' };
    assert.equal((await estimate('l2geth', { requests })).priorityFeePerGas, 1n);
    const headers = { latest: legacy };
    const expected = { gasLimit: GAS, baseFeePerGas: 0n, priorityFeePerGas: 1_001n };
    assert.deepEqual(await estimate('l2geth', { headers, requests }), expected);
  });

  test('info: is that of the node, recorded in December 2022', async () => {
    const rollup_getInfo =
      '{"mode":"verifier","syncing":false,"ethContext":{"blockNumber":16131692,"timestamp":1670402841},' +
      '"rollupContext":{"index":46308439,"queueIndex":227091,"verifiedIndex":0}}';
    assert.deepEqual(await readInfo('l2geth', { requests: { rollup_getInfo } }), {
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 16_131_692n, timestamp: 1_670_402_841n },
      rollupContext: { queueIndex: 227_091n, index: 46_308_439n, verifiedIndex: 0n },
    });
    await assert.rejects(readInfo('l2geth', {}), misconfigured);
    const { rollupContext } = await readInfo('l2geth', {
      requests: { rollup_getInfo: rollup_getInfo.replace('"verifiedIndex":0', '"verifiedIndex":50000000') },
    });
    assert.equal(rollupContext.verifiedIndex, rollupContext.index);
  });

  test('is refused without a gas price', async () => {
    await assert.rejects(estimate('l2geth', {}), misconfigured);
  });
});

describe('ethereum', () => {
  test('adds nothing to gas and fees', async () => {
    assert.deepEqual(await estimate('ethereum', {}), plain);
    const block: BlockReference = { kind: 'number', number: 7n };
    assert.deepEqual(await estimate('ethereum', { block }), { ...plain, baseFeePerGas: 77n });
  });

  test('info: has the blocks that every node reports', async () => {
    assert.deepEqual(await readInfo('ethereum', { sources: { l1: L1.blocks, mode: 'sequencer' } }), {
      mode: 'sequencer',
      syncing: false,
      ethContext: { blockNumber: 23_800_000n, timestamp: 1_764_000_000n },
      rollupContext: { queueIndex: 0n, index: 99n, verifiedIndex: 79n },
    });
  });
});

test('more calldata never costs less, and an oracle that charges by the byte prices every byte', async () => {
  const price = 1_000_000n;
  /** Simulates oracles that charge by the length of their input. */
  const call = (request: CallRequest): string => {
    const { to, data = '0x' } = request.call;
    if (data.startsWith('0x49948e0e'))
      return `"0x${(price * BigInt(`0x${data.slice(74, 138)}`)).toString(16).padStart(64, '0')}"`;
    return answerCalls({ [to ?? '']: { '0x1e2b6e7b': 1n, '0x06f837d3': 1n, '0x275aedd2': 0n, ...FREE } })(
      request,
    );
  };
  const bytes = fc.uint8Array({ maxLength: 400 });
  for (const name of ['op-stack', 'mantle', 'scroll']) {
    const { family } = open(name, { call, sources: { l1CostMode: 'folded' } });
    const costOf = async (data: Uint8Array): Promise<bigint> => {
      const request = { call: { ...CALL, data: bytesToHex(data) }, block: LATEST };
      return (await family.estimateGas(request, SCOPE)).priorityFeePerGas;
    };
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (data, more) => {
        const grown = (await costOf(concatBytes(data, more))) - (await costOf(data));
        const owed = price * BigInt(more.length);
        // The length prefixes of data and list may grow by four bytes, and a lone byte below 0x80 has no prefix.
        const [least, most] = [owed - price, owed + 4n * price];
        assert.ok(
          grown >= 0n && grown >= least / GAS && grown <= most / GAS + 1n,
          `${grown} for ${more.length}`,
        );
      }),
      { numRuns: countRuns(60) },
    );
  }
});

test('an unsupported transaction type is refused before any request', async () => {
  for (const name of ['op-stack', 'mantle', 'scroll']) {
    const { family, requested } = open(name, { call: answerCalls({ [ORACLE]: { '0x06f837d3': 1n } }) });
    await assert.rejects(
      family.estimateGas({ call: { ...CALL, type: '0x5' }, block: LATEST }, SCOPE),
      new ChainError('invalid', 'Unsupported transaction type'),
    );
    assert.deepEqual(requested.estimates, []);
  }
});

describe('every family', () => {
  const contracts: Contracts = {
    [ORACLE]: { '0x49948e0e': 1n, '0x275aedd2': 1n, '0x1e2b6e7b': 1n, '0x06f837d3': 1n },
    [L1_BLOCK]: FREE,
    [SCROLL_ORACLE]: { '0x49948e0e': 1n },
    [MORPH_ORACLE]: { '0x49948e0e': 1n },
  };

  for (const { name } of FAMILIES) {
    test(`${name}: a revert is returned unchanged, and an absent block is refused`, async () => {
      const revert = new ChainError('reverted', 'execution reverted: no', '0x08c379a0');
      const failing = open(name, {
        call: answerCalls(contracts),
        estimate: () => {
          throw revert;
        },
      });
      await assert.rejects(
        failing.family.estimateGas({ call: CALL, block: LATEST }, SCOPE),
        (error) => error === revert,
      );
      const block: BlockReference = { kind: 'number', number: 1_000n };
      const { family } = open(name, { call: answerCalls(contracts) });
      await assert.rejects(
        family.estimateGas({ call: CALL, block }, SCOPE),
        new ChainError('failed', 'header not found'),
      );
    });

    test(`${name}: state overrides reach the estimate`, async () => {
      const { family, requested } = open(name, {
        call: answerCalls(contracts),
        requests: { eth_gasPrice: '"0x9"' },
      });
      const stateOverrides = { [FROM]: { balance: '0x1' } };
      await family.estimateGas({ call: CALL, block: LATEST, stateOverrides }, SCOPE);
      // l2geth always estimates at its head.
      const block = name === 'l2geth' ? LATEST : PINNED;
      assert.deepEqual(requested.estimates, [{ call: CALL, block, stateOverrides }]);
    });
  }
});
