/** The committed development chains equal the generator's output, and all import with every root verified. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { computeAddress } from 'ethers';
import { decodeFunctionResult, type Hex, parseAbi } from 'viem';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { generateChainFiles } from '../../scripts/chains/chain-files.ts';
import type { Facts } from '../../scripts/chains/facts.ts';
import { selectorOf } from '../../scripts/contracts/abi.ts';
import type { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference, CallObject } from '../../src/chain/requests.ts';
import type { BuiltinChain } from '../../src/config/network-options.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../support/embedded.ts';

const CHAINS = new URL('../../../chains/', import.meta.url);
const FACTS = JSON.parse(readFileSync(new URL('facts.json', CHAINS), 'utf8')) as Facts;
const CALL_TIMEOUT_MS = 60_000;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

const importCommitted = (name: BuiltinChain): Promise<EmbeddedChain> => {
  const pathOf = (file: string): string => fileURLToPath(new URL(`${name}/${file}`, CHAINS));
  return importEmbeddedChain(pathOf('genesis.json'), pathOf('blocks.rlp.gz'));
};

/** Result of a call at the head, as hex. */
async function call({ chain }: EmbeddedChain, request: CallObject): Promise<Hex> {
  return JSON.parse(
    (await chain.execution.call({ call: request, block: LATEST }, scopeOfCall())) as string,
  ) as Hex;
}

function scopeOfCall(): RequestScope {
  return new RequestScope(performance.now() + CALL_TIMEOUT_MS);
}

/** Unpacks .gz files: their compressed bytes depend on the zlib version, the content does not. */
function unpack(path: string, content: Uint8Array): Uint8Array {
  return path.endsWith('.gz') ? gunzipSync(content) : content;
}

describe('the generated files', () => {
  let files: ReadonlyMap<string, Uint8Array>;
  before(async () => {
    files = await generateChainFiles();
  });

  for (const path of ['README.md', 'facts.json']
    .concat('devnet/genesis.json', 'devnet/blocks.rlp.gz')
    .concat('rollup/genesis.json', 'rollup/blocks.rlp.gz')
    .concat('op-rollup/genesis.json', 'op-rollup/blocks.rlp.gz')) {
    test(`chains/${path} is committed as generated`, () => {
      const generated = files.get(path) as Uint8Array;
      const committed = readFileSync(new URL(path, CHAINS));
      assert.equal(bytesToHex(unpack(path, committed)), bytesToHex(unpack(path, generated)));
    });
  }

  test('are all compared', () => assert.equal(files.size, 8));

  test('are small in total', () => {
    const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(size < 200_000, `${size} bytes`);
  });
});

test('the private keys in the facts belong to their addresses', () => {
  for (const { address, privateKey } of FACTS.devnet.accounts) {
    assert.equal(computeAddress(privateKey).toLowerCase(), address);
  }
  assert.deepEqual(FACTS.rollup.accounts, FACTS.devnet.accounts);
  assert.deepEqual(FACTS['op-rollup'].accounts, FACTS.devnet.accounts);
});

/** Tests that apply to all chains. */
function testCommon(facts: Facts[BuiltinChain], get: () => EmbeddedChain): void {
  test('every block is imported, and the head is that of the facts', async () => {
    assert.equal(get().summary.imported, facts.headNumber);
    assert.equal(get().summary.headHash, facts.headHash);
    assert.equal(get().chain.chainId, BigInt(facts.chainId));
    const genesis = await get().chain.blocks.getHeader({ kind: 'number', number: 0n });
    assert.equal(genesis?.hash, facts.genesisHash);
  });

  test('the ERC-20 token answers', async () => {
    const supply = await call(get(), { to: facts.erc20, data: '0x18160ddd' });
    assert.equal(BigInt(supply), 1_000_000n * 10n ** 18n);
    const abi = parseAbi(['function name() view returns (string)']);
    const tokenName = await call(get(), { to: facts.erc20, data: '0x06fdde03' });
    assert.equal(decodeFunctionResult({ abi, data: tokenName }), 'Portcullis Token');
    assert.ok(BigInt(await call(get(), facts.calls.tokenBalance)) > 0n);
    assert.equal(BigInt(await call(get(), facts.calls.tokenTransfer)), 1n);
  });

  test('the reverter reverts with its reason', async () => {
    await assert.rejects(call(get(), facts.calls.revert), (error: ChainError) => {
      assert.equal(error.kind, 'reverted');
      assert.match(Buffer.from(String(error.data).slice(2), 'hex').toString('latin1'), /refused on purpose/);
      return true;
    });
  });

  test('callenv returns the chain id', async () => {
    const chainId = await call(get(), { to: facts.callenv, data: '0x9a8a0592' });
    assert.equal(BigInt(chainId), BigInt(facts.chainId));
  });

  test('the head has few receipts, of different outcomes', async () => {
    const receipts = JSON.parse((await get().chain.blocks.getReceipts(LATEST)) as string) as {
      status: string;
      logs: unknown[];
    }[];
    assert.ok(receipts.length >= 3 && receipts.length <= 5);
    assert.deepEqual(new Set(receipts.map(({ status }) => status)), new Set(['0x0', '0x1']));
    assert.ok(receipts.some(({ logs }) => logs.length > 0));
  });
}

describe('devnet', () => {
  let embedded: EmbeddedChain;
  before(async () => {
    embedded = await importCommitted('devnet');
  });
  after(() => embedded.close());

  testCommon(FACTS.devnet, () => embedded);
});

describe('rollup', () => {
  let embedded: EmbeddedChain;
  before(async () => {
    embedded = await importCommitted('rollup');
  });
  after(() => embedded.close());

  testCommon(FACTS.rollup, () => embedded);

  test('the message service returns its last number', async () => {
    const { messageService, lastAnchoredL1MessageNumber } = FACTS.rollup;
    const answer = await call(embedded, { to: messageService, data: '0x9340a1d1' });
    assert.equal(BigInt(answer), BigInt(lastAnchoredL1MessageNumber));
  });

  test('the head has the prices of a public example, and every header a base fee of 7', async () => {
    const head = await embedded.chain.blocks.getHeader(LATEST);
    assert.equal(head?.extraData, `0x010000753000f54e650000ea60${'00'.repeat(19)}`);
    for (let number = 0n; number <= BigInt(FACTS.rollup.headNumber); number++) {
      const header = await embedded.chain.blocks.getHeader({ kind: 'number', number });
      assert.equal(header?.baseFeePerGas, 7n);
      assert.match(header?.extraData ?? '', /^0x01[0-9a-f]{24}0{38}$/);
    }
  });
});

describe('op-rollup', () => {
  const facts = FACTS['op-rollup'];
  let embedded: EmbeddedChain;
  before(async () => {
    embedded = await importCommitted('op-rollup');
  });
  after(() => embedded.close());

  testCommon(facts, () => embedded);

  test('L1Block has the devnet block of the head’s origin, and the first transaction has the attributes', async () => {
    const ask = async (signature: string): Promise<bigint> =>
      BigInt(await call(embedded, { to: facts.l1Block, data: selectorOf(signature) }));
    assert.equal(await ask('number()'), BigInt(facts.originNumber));
    assert.equal(await ask('timestamp()'), BigInt(facts.originTimestamp));
    const devnet = await importCommitted('devnet');
    const origin = await devnet.chain.blocks.getHeader({
      kind: 'number',
      number: BigInt(facts.originNumber),
    });
    await devnet.close();
    assert.equal(await ask('hash()'), BigInt(origin?.hash as string));
    assert.equal(await ask('basefee()'), origin?.baseFeePerGas);
    assert.equal(origin?.timestamp, BigInt(facts.originTimestamp));
    const first = await embedded.chain.transactions.getTransaction({ block: LATEST, index: 0n });
    assert.match(JSON.parse(first as string).input, /^0x098999be/);
  });
});
