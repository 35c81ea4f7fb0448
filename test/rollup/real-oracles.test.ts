/**
 * Estimates beside the OP Stack's own contracts, fork by fork: the code that op-node deploys runs on anvil, ethers encodes the transactions, and
 * the fees are worked out from both. Prices are those of public blocks.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { id, Transaction, type TransactionLike } from 'ethers';
import { GAS_PRICE_ORACLE_RUNTIME } from '../../scripts/contracts/op-stack/gas-price-oracle.ts';
import { encodeL1Block, L1_BLOCK } from '../../scripts/contracts/op-stack/l1-block.ts';
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import { computeEcotoneFee, computeFjordFee } from '../../src/rollup/fees/op-stack-fee.ts';
import { OP_STACK_ORACLE } from '../../src/rollup/op-stack/marks.ts';
import { listSelectors } from '../../src/rollup/unknown-functions.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { type RunningService, startService } from '../support/service.ts';
import {
  type ForkContracts,
  OP_NODE_SKIP,
  type OpStackFork,
  readOpNodeContracts,
} from './op-node-contracts.ts';

const FORKS: readonly OpStackFork[] = ['ecotone', 'fjord', 'isthmus', 'jovian'];
const CHAIN_ID = 10;
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const TO = `0x${'b0'.repeat(20)}`;
/** What anvil suggests. */
const TIP = 1_000_000_000n;
const SIGNATURE_BYTES = 68;
/** EIP-3860. */
const MAX_INIT_CODE = 49_152;
/** OP Mainnet's scalars at Ecotone and after, and layer 1's prices in one of its blocks. */
const PRICES = {
  l1BaseFee: 9_041_237_113n,
  blobBaseFee: 3_402_823n,
  baseFeeScalar: 5_227n,
  blobBaseFeeScalar: 1_014_213n,
};
const OPERATOR = { operatorFeeScalar: 1_500n, operatorFeeConstant: 77n };

const PLAIN_FUNCTIONS = [
  ...['l1BaseFee', 'blobBaseFee', 'baseFeeScalar', 'blobBaseFeeScalar', 'gasPrice', 'baseFee', 'decimals'],
  ...['isEcotone', 'isFjord', 'isIsthmus'],
];

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

type Kind = 'legacy' | 'accessList' | 'dynamicFee' | 'setCode' | 'creation';
const KINDS: readonly Kind[] = ['legacy', 'accessList', 'dynamicFee', 'setCode', 'creation'];
const LENGTHS = [0, 1, 31, 68, 196, 500, 1_500, 5_000, 20_000, 49_000, 128_000];

/** Bytes that compress well, not at all, and as calldata does. */
const DATA: readonly ((length: number) => string)[] = [
  (length) => '00'.repeat(length),
  (length) =>
    Array.from({ length }, (_, i) => (((i * 7_919) ^ (i >> 3)) & 0xff).toString(16).padStart(2, '0')).join(
      '',
    ),
  (length) =>
    `${'00'.repeat(12)}${'c0ffee11'.repeat(5)}${'00'.repeat(28)}01020304`
      .repeat(length / 64 + 1)
      .slice(0, 2 * length),
];

const ACCESS_LIST = [{ address: TO, storageKeys: [word(1n), word(2n)] }];
const AUTHORIZATION = {
  chainId: quantity(CHAIN_ID),
  address: TO,
  nonce: '0x0',
  yParity: '0x1',
  r: quantity(12_345),
  s: quantity(54_321),
};

/** A call of the kind, with so many bytes of data. */
function makeCall(kind: Kind, data: string): Record<string, unknown> {
  const call = { from: FROM, value: '0x0', data, nonce: '0x7' };
  switch (kind) {
    case 'legacy':
      return { ...call, to: TO, gasPrice: '0x77359400' };
    case 'accessList':
      return { ...call, to: TO, gasPrice: '0x77359400', accessList: ACCESS_LIST };
    case 'setCode':
      return { ...call, to: TO, authorizationList: [AUTHORIZATION] };
    case 'creation':
      return call;
    default:
      return { ...call, to: TO };
  }
}

type Estimate = Readonly<Record<'gasLimit' | 'baseFeePerGas' | 'priorityFeePerGas', string>>;

/** What a wallet would sign, unsigned, by another library. */
function encode(kind: Kind, call: Record<string, unknown>, { gasLimit, baseFeePerGas }: Estimate): string {
  const types = { legacy: 0, accessList: 1, dynamicFee: 2, setCode: 4, creation: 2 };
  const type = types[kind];
  const base = BigInt(baseFeePerGas);
  const fields: TransactionLike = {
    type,
    chainId: CHAIN_ID,
    nonce: 7,
    gasLimit: BigInt(gasLimit),
    to: (call['to'] as string | undefined) ?? null,
    value: 0n,
    data: call['data'] as string,
    ...(type < 2
      ? { gasPrice: BigInt(call['gasPrice'] as string) }
      : { maxFeePerGas: 2n * base + TIP, maxPriorityFeePerGas: TIP }),
    ...(kind === 'accessList' && { accessList: ACCESS_LIST }),
    ...(kind === 'setCode' && {
      authorizationList: [
        {
          address: TO,
          nonce: 0n,
          chainId: BigInt(CHAIN_ID),
          signature: { r: word(12_345n), s: word(54_321n), yParity: 1 },
        },
      ],
    }),
  } as TransactionLike;
  return Transaction.from(fields).unsignedSerialized;
}

/** A node with the contracts of a fork, and the service in front of it. */
class Stage {
  readonly node: Anvil;
  readonly service: RunningService;

  constructor(node: Anvil, service: RunningService) {
    this.node = node;
    this.service = service;
  }

  static async open(fork: OpStackFork, { oracle, l1Block }: ForkContracts): Promise<Stage> {
    const node = await startAnvil({
      args: ['--chain-id', `${CHAIN_ID}`, '--hardfork', 'prague'],
    });
    const slots = encodeL1Block({
      number: 23_800_000n,
      timestamp: 1_764_000_000n,
      basefee: PRICES.l1BaseFee,
      sequenceNumber: 3n,
      baseFeeScalar: PRICES.baseFeeScalar,
      blobBaseFeeScalar: PRICES.blobBaseFeeScalar,
      blobBaseFee: PRICES.blobBaseFee,
      ...OPERATOR,
      hash: 1n,
      batcherHash: 2n,
    });
    for (const [address, creation] of [
      [OP_STACK_ORACLE.address, oracle],
      [L1_BLOCK, l1Block],
    ] as const)
      await node.request(
        'anvil_setCode',
        address,
        await node.request('eth_call', { data: creation }, 'latest'),
      );
    for (const [slot, value] of slots)
      await node.request('anvil_setStorageAt', L1_BLOCK, word(BigInt(slot)), word(value));
    // One byte for each fork that the oracle knows.
    const flags = '01'.repeat(FORKS.indexOf(fork) + 1);
    await node.request(
      'anvil_setStorageAt',
      OP_STACK_ORACLE.address,
      word(0n),
      `0x${flags.padStart(64, '0')}`,
    );
    await node.request('anvil_mine', '0x1');
    const service = await startService({
      networks: {
        op: {
          hosts: ['op.localhost'],
          upstreams: [node.httpUrl],
          verify: 'off',
          rollup: {},
        },
      },
      defaultNetwork: 'op',
    }).catch(async (error: unknown) => {
      await node.kill();
      throw error;
    });
    return new Stage(node, service);
  }

  async estimate(call: Record<string, unknown>): Promise<Estimate> {
    const response = await fetch(`http://${this.service.authority}/v3/demo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'op_estimateGas', params: [call] }),
    });
    const { result, error } = (await response.json()) as { result?: Estimate; error?: { message: string } };
    if (result === undefined) throw new Error(error?.message);
    return result;
  }

  /** What the contract says; undefined where it reverts. */
  async ask(data: string, to: string = OP_STACK_ORACLE.address): Promise<bigint | undefined> {
    const call = { to, data };
    // More gas than the node allows by itself: the oracle takes some 350 a byte.
    const params = [{ ...call, gas: quantity(200_000_000) }, 'latest'];
    return (this.node.request('eth_call', ...params) as Promise<string>).then(BigInt, () => undefined);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.node.kill();
  }
}

/** Every function of Isthmus that the built-in rollup has, with sizes on both sides of the least one that is charged. */
function listOracleCalls(): string[] {
  const selector = (signature: string): string => id(signature).slice(0, 10);
  const sizes = [0, 33, 100, 254, 255, 4_000, 128_000];
  return [
    ...PLAIN_FUNCTIONS.map((name) => selector(`${name}()`)),
    ...['getL1FeeUpperBound(uint256)', 'getOperatorFee(uint256)'].flatMap((signature) =>
      sizes.map((size) => `${selector(signature)}${word(BigInt(size)).slice(2)}`),
    ),
    ...['getL1Fee(bytes)', 'getL1GasUsed(bytes)'].flatMap((signature) =>
      [0, 100, 1_000, 20_000].flatMap((size) =>
        DATA.map((make) => encodeBytes(selector(signature), `0x${make(size)}`)),
      ),
    ),
  ];
}

/** 68 bytes that are not zero for the signature. */
function computeEcotone(unsigned: string): bigint {
  const bytes = hexToBytes(unsigned);
  const zero = bytes.filter((byte) => byte === 0).length;
  return computeEcotoneFee({ zero: BigInt(zero), nonZero: BigInt(bytes.length - zero + 68) }, PRICES);
}

function encodeBytes(selector: string, bytes: string): string {
  const length = (bytes.length - 2) / 2;
  return `${selector}${word(32n).slice(2)}${word(BigInt(length)).slice(2)}${bytes.slice(2).padEnd(Math.ceil(length / 32) * 64, '0')}`;
}

describe('the OP Stack', { skip: OP_NODE_SKIP || ANVIL_SKIP }, () => {
  let contracts: Readonly<Record<OpStackFork, ForkContracts>>;
  before(() => {
    contracts = readOpNodeContracts();
  });

  for (const fork of FORKS) {
    describe(fork, () => {
      let stage: Stage;
      before(async () => {
        stage = await Stage.open(fork, contracts[fork]);
      });
      after(() => stage.close());

      test('every function of its oracle is known', () => {
        const found = listSelectors(hexToBytes(contracts[fork].oracle));
        assert.ok(found.length >= 15);
        assert.deepEqual(
          found.filter((selector) => !OP_STACK_ORACLE.selectors.has(selector)),
          [],
        );
      });

      for (const kind of KINDS) {
        test(`estimates of ${kind} transactions are what the contracts charge, to the wei`, async () => {
          for (const [at, length] of LENGTHS.entries()) {
            if (kind === 'creation' && length > MAX_INIT_CODE) continue;
            const data = `0x${(DATA[at % DATA.length] as (length: number) => string)(length)}`;
            const call = makeCall(kind, kind === 'creation' ? `0x00${data.slice(2)}` : data);
            const estimate = await stage.estimate(call);
            const gas = BigInt(estimate.gasLimit);
            const unsigned = encode(kind, call, estimate);
            const fee = await stage.ask(encodeBytes('0x49948e0e', unsigned));
            const operator = (await stage.ask(`0x275aedd2${word(gas).slice(2)}`)) ?? 0n;
            const share = (cost: bigint): bigint => TIP + (cost + gas - 1n) / gas;
            const got = BigInt(estimate.priorityFeePerGas);
            const size = measureFastLz(hexToBytes(unsigned)) + SIGNATURE_BYTES;
            if (fee !== undefined && fork !== 'ecotone') assert.equal(fee, computeFjordFee(size, PRICES));
            const exact =
              fee ?? (fork === 'ecotone' ? computeEcotone(unsigned) : computeFjordFee(size, PRICES));
            // The node's own bound on gas may be below what the oracle takes: then a byte more may be counted.
            const most =
              length < 60_000
                ? exact
                : exact + computeFjordFee(100_001, PRICES) - computeFjordFee(100_000, PRICES);
            assert.ok(
              got >= share(exact + operator) && got <= share(most + operator),
              `${kind}, ${length} bytes: ${got}, expected ${share(exact + operator)}`,
            );
          }
        });
      }

      if (fork === 'isthmus') {
        test('the oracle of the built-in rollup says the same', async () => {
          const address = `0x${'c0'.repeat(20)}`;
          await stage.node.request('anvil_setCode', address, bytesToHex(GAS_PRICE_ORACLE_RUNTIME));
          for (const data of listOracleCalls()) {
            const expected = await stage.ask(data);
            assert.ok(expected !== undefined, data.slice(0, 10));
            assert.equal(await stage.ask(data, address), expected, data.slice(0, 10));
          }
        });
      }

      test('blob transactions are refused: rollups have none', async () => {
        const call = {
          ...makeCall('dynamicFee', '0x'),
          blobVersionedHashes: [word(1n)],
          maxFeePerBlobGas: '0x1',
        };
        await assert.rejects(stage.estimate(call), /[Uu]nsupported transaction type|blob/);
      });
    });
  }
});
