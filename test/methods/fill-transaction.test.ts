/** eth_fillTransaction over a fake chain: filled fields, the requests for them, and refusals, in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTransaction, serializeTransaction } from 'viem';
import type { CallRequest } from '../../src/chain/requests.ts';
import { ethFillTransaction } from '../../src/methods/eth_fillTransaction.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const FROM = `0x${'aa'.repeat(20)}`;
const TO = `0x${'bb'.repeat(20)}`;
const HASH = `0x01${'cc'.repeat(31)}`;
const AUTHORIZATION = { chainId: '0x539', address: TO, nonce: '0x1', yParity: '0x1', r: '0x2', s: '0x3' };
const ACCESS_LIST = [{ address: TO, storageKeys: [HASH] }];

type Filled = { readonly raw: `0x${string}`; readonly tx: Readonly<Record<string, unknown>> };

class Scene {
  /** Undefined before London. */
  baseFeePerGas: bigint | undefined = 7n;
  blobBaseFee = '"0x5"';
  readonly requested: string[] = [];
  readonly estimated: CallRequest[] = [];

  async fill(call: object): Promise<Filled> {
    const chain = createFakeChain({
      blocks: {
        getHeader: () => ({
          number: 9n,
          timestamp: 1n,
          gasLimit: 30_000_000n,
          extraData: '0x',
          ...(this.baseFeePerGas !== undefined && { baseFeePerGas: this.baseFeePerGas }),
        }),
      },
      fees: {
        getGasPrice: () => this.#note('gasPrice', '"0x64"'),
        getPriorityFee: async () => this.#note('tip', '"0x3"'),
        getBlobBaseFee: () => this.#note('blobBaseFee', this.blobBaseFee),
      },
      state: {
        getTransactionCount: (address, block) => {
          assert.ok(block.kind === 'tag');
          return this.#note(`nonce ${address.slice(0, 4)} ${block.tag}`, '"0x8"');
        },
      },
      execution: {
        estimateGas: (request) => {
          this.estimated.push(request);
          return this.#note('gas', '"0x5208"');
        },
      },
    });
    const scope = new RequestScope(performance.now() + 60_000);
    const context = { network: createScriptedNetwork(chain), clientVersion: 'v', scope };
    return JSON.parse(String(await ethFillTransaction.invoke([call], context))) as Filled;
  }

  #note(what: string, answer: string): string {
    this.requested.push(what);
    return answer;
  }
}

test('missing fields are filled in, with twice the base fee, and each is requested once', async () => {
  const scene = new Scene();
  const { raw, tx } = await scene.fill({ from: FROM, to: TO, value: '0x1', data: '0x1234' });
  assert.deepEqual(scene.requested, ['tip', 'nonce 0xaa pending', 'gas']);
  assert.deepEqual(scene.estimated, [
    {
      call: {
        from: FROM,
        to: TO,
        value: '0x1',
        data: '0x1234',
        maxFeePerGas: '0x11',
        maxPriorityFeePerGas: '0x3',
      },
      block: { kind: 'tag', tag: 'latest' },
    },
  ]);
  const { hash, ...members } = tx;
  assert.match(String(hash), /^0x[0-9a-f]{64}$/);
  assert.deepEqual(members, {
    type: '0x2',
    chainId: '0x539',
    nonce: '0x8',
    to: TO,
    gas: '0x5208',
    gasPrice: null,
    maxPriorityFeePerGas: '0x3',
    maxFeePerGas: '0x11',
    value: '0x1',
    input: '0x1234',
    accessList: [],
    v: '0x0',
    r: '0x0',
    s: '0x0',
    yParity: '0x0',
  });
  // Signatures of zeros are three more items: viem's transaction has none.
  const unsigned = serializeTransaction({
    type: 'eip1559',
    chainId: 1337,
    nonce: 8,
    to: TO as `0x${string}`,
    gas: 21_000n,
    maxFeePerGas: 17n,
    maxPriorityFeePerGas: 3n,
    value: 1n,
    data: '0x1234',
  });
  assert.equal(raw.slice(6), `${unsigned.slice(6)}808080`);
});

test('provided fields are preserved, and cause no requests', async () => {
  const scene = new Scene();
  const provided = {
    to: TO,
    nonce: '0x1',
    gas: '0x2',
    maxFeePerGas: '0x3',
    maxPriorityFeePerGas: '0x0',
    accessList: ACCESS_LIST,
    input: '0x77',
    chainId: '0x539',
  };
  const { tx } = await scene.fill(provided);
  assert.deepEqual(scene.requested, []);
  for (const [name, value] of Object.entries(provided)) assert.deepEqual(tx[name], value, name);
});

test('the type follows from the provided fields', async () => {
  const scene = new Scene();
  const legacy = await scene.fill({ to: TO, gasPrice: '0x9', accessList: ACCESS_LIST });
  assert.deepEqual(
    [legacy.tx['type'], legacy.tx['gasPrice'], legacy.tx['chainId']],
    ['0x0', '0x9', undefined],
  );
  assert.equal(parseTransaction(legacy.raw).type, 'legacy');
  const blobs = await scene.fill({ to: TO, blobVersionedHashes: [HASH] });
  assert.deepEqual([blobs.tx['type'], blobs.tx['maxFeePerBlobGas']], ['0x3', '0xa']);
  assert.deepEqual(blobs.tx['blobVersionedHashes'], [HASH]);
  const delegating = await scene.fill({ to: TO, authorizationList: [AUTHORIZATION] });
  assert.equal(delegating.tx['type'], '0x4');
  assert.deepEqual(delegating.tx['authorizationList'], [AUTHORIZATION]);
  const creation = await scene.fill({ data: '0x00' });
  assert.equal(creation.tx['to'], null);
  scene.baseFeePerGas = undefined;
  const early = await scene.fill({ to: TO });
  assert.deepEqual([early.tx['type'], early.tx['gasPrice']], ['0x0', '0x64']);
});

/** Transactions that are refused before any estimate. */
const REFUSED: readonly (readonly [object, string])[] = [
  [
    { maxFeePerBlobGas: '0x0', gasPrice: '0x1', maxFeePerGas: '0x1' },
    'maxFeePerBlobGas, if specified, must be non-zero',
  ],
  [
    { gasPrice: '0x1', maxPriorityFeePerGas: '0x1' },
    'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  ],
  [{ to: TO, gasPrice: '0x1', authorizationList: [] }, 'both gasPrice and authorizationList specified'],
  [{ to: TO, gasPrice: '0x0' }, 'gasPrice must be non-zero after london fork'],
  [{ to: TO, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }, 'maxFeePerGas must be non-zero'],
  [{ to: TO, maxFeePerGas: '0x1' }, 'maxFeePerGas (0x1) < maxPriorityFeePerGas (0x3)'],
  [
    { to: TO, maxPriorityFeePerGas: `0x${'f'.repeat(64)}` },
    'maxPriorityFeePerGas is too high: maxFeePerGas would exceed 256 bits',
  ],
  [
    { data: '0x01', input: '0x02' },
    'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
  ],
  [{ to: TO, blobVersionedHashes: [] }, 'need at least 1 blob for a blob transaction'],
  [{ to: TO, blobVersionedHashes: Array(7).fill(HASH) }, 'too many blobs in transaction (have=7, max=6)'],
  [{ blobVersionedHashes: [HASH] }, 'missing "to" in blob transaction'],
  [{}, 'contract creation without any data provided'],
  [
    { data: '0x01', authorizationList: [AUTHORIZATION] },
    'authorizationList provided for contract creation, but "to" field is missing',
  ],
];

for (const [call, message] of REFUSED) {
  test(`eth_fillTransaction refuses a call: ${message}`, async () => {
    const scene = new Scene();
    await assert.rejects(scene.fill(call), { rowName: 'serverError', message });
    assert.deepEqual(scene.estimated, []);
  });
}

test('another chain id is refused after the estimate, as in geth; blobs are refused instead of dropped', async () => {
  const scene = new Scene();
  await assert.rejects(scene.fill({ to: TO, chainId: '0x1' }), {
    message: "chainId does not match node's (have=1, want=1337)",
  });
  assert.equal(scene.estimated.length, 1);
  await assert.rejects(scene.fill({ to: TO, blobs: ['0x00'] }), {
    rowName: 'invalidParams',
    message: /blobs/,
  });
  scene.baseFeePerGas = undefined;
  await assert.rejects(scene.fill({ to: TO, maxFeePerGas: '0x1' }), {
    message: 'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
  });
});
