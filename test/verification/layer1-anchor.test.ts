/** A rollup that is anchored in its layer 1: both are chains of real nodes, whose proofs are what the service reads. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { anchorOnce } from '../../src/cli/open-anchors.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../src/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeQuantity } from '../../src/primitives/quantity.ts';
import type { AnchorOptions } from '../../src/rollup/options.ts';
import type { Members } from '../../src/verification/findings.ts';
import { makeGame } from '../rollup/games.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import type { Fault } from '../support/faults/fault.ts';
import { createScope } from '../upstream/support/exchange.ts';
import { forgeBlock } from '../verified/lies.ts';
import { type LiedNetwork, lieAt, openNetwork } from './liars.ts';

const PASSER = '0x4200000000000000000000000000000000000016';
const PORTAL = `0x${'a1'.repeat(20)}`;
const REGISTRY = `0x${'a2'.repeat(20)}`;
const ORACLE = `0x${'a3'.repeat(20)}`;
const GAME = `0x${'a4'.repeat(20)}`;
const OTHER_GAME = `0x${'a5'.repeat(20)}`;
const FINALITY = 2;
const HEAD = 60n;
const POINT = 40n;
const BLOCK_SECONDS = 2n;
const PATIENCE_MS = 60_000;

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** Nodes that prove no state. */
const WITHOUT_PROOFS: Fault = {
  concerns: ({ method }) => method === 'eth_getProof',
  answer: () =>
    Promise.resolve({
      error: { code: -32000, message: 'distance to target block exceeds maximum proof window' },
    }),
};

describe('a rollup anchored in its layer 1', { skip: ANVIL_SKIP }, () => {
  let first: Anvil;
  let second: Anvil;

  before(async () => {
    first = await startAnvil({ args: ['--no-mining', '--slots-in-an-epoch', '1'] });
    second = await startAnvil({ args: ['--no-mining'] });
    await second.request('anvil_setCode', PASSER, '0x00');
    await second.request('anvil_setStorageAt', PASSER, word(1n), word(7n));
    await second.request('anvil_mine', encodeQuantity(HEAD), encodeQuantity(BLOCK_SECONDS));
    await first.request('anvil_mine', encodeQuantity(8n));
  });
  after(async () => {
    await first.kill();
    await second.kill();
  });

  async function readBlock(number: bigint): Promise<Members> {
    return (await second.request('eth_getBlockByNumber', encodeQuantity(number), false)) as Members;
  }

  async function readStorageRoot(number: bigint): Promise<string> {
    const proof = (await second.request('eth_getProof', PASSER, [], encodeQuantity(number))) as Members;
    return String(proof['storageHash']);
  }

  /** The output root of a block, as a proposer computes it. */
  async function findOutputRoot(number: bigint, block?: Members): Promise<string> {
    const { stateRoot, hash } = block ?? (await readBlock(number));
    const parts = [word(0n), String(stateRoot), await readStorageRoot(number), String(hash)];
    return bytesToHex(keccak256(hexToBytes(`0x${parts.map((part) => part.slice(2)).join('')}`)));
  }

  /** Puts what a slot or code is from now on into a finalized block of layer 1. */
  async function finalize(...changes: readonly [method: string, ...params: unknown[]][]): Promise<void> {
    for (const [method, ...params] of changes) await first.request(method, ...params);
    await first.request('anvil_mine', encodeQuantity(BigInt(FINALITY + 2)));
  }

  /** Layer 1 accepts a game about a block. */
  async function resolveGame(number: bigint, root: string, game = GAME): Promise<void> {
    await finalize(
      ['anvil_setStorageAt', PORTAL, word(62n), word(BigInt(REGISTRY))],
      ['anvil_setStorageAt', REGISTRY, word(2n), word(BigInt(game))],
      ['anvil_setCode', game, bytesToHex(makeGame(root, word(number).slice(2)))],
    );
  }

  async function openLayer1(count = 2, liars = 0, fault: Fault = {}): Promise<LiedNetwork> {
    return openNetwork(first.httpUrl, count, liars, fault, { blockTime: '50ms' });
  }

  async function openRollup(count: number, liars: number, fault: Fault): Promise<LiedNetwork> {
    const options = { verify: 'require', isAnchored: true, isFromStart: true } as const;
    return openNetwork(second.httpUrl, count, liars, fault, options);
  }

  /** Reads layer 1 once, when it has been seen up to the block that has what is read. */
  async function anchor(rollup: LiedNetwork, l1: LiedNetwork, options: AnchorOptions): Promise<void> {
    const head = BigInt(String(await first.request('eth_blockNumber')));
    for (const limit = performance.now() + PATIENCE_MS; performance.now() < limit; await sleep(20)) {
      const finalized = await l1.chain.blocks.getHeader({ kind: 'tag', tag: 'finalized' }, createScope());
      if ((finalized?.number ?? 0n) >= head - BigInt(FINALITY)) break;
    }
    await anchorOnce(rollup.chain, l1.chain, options, createScope());
  }

  const describeAnchor = ({ chain }: LiedNetwork) => chain.describe().verification?.anchor;

  async function ask(
    { chain }: LiedNetwork,
    number: bigint,
  ): Promise<{ readonly hash: unknown; readonly trust: unknown }> {
    const scope = createScope();
    const text = await chain.blocks.getBlock({ kind: 'number', number }, false, scope);
    return { hash: (JSON.parse(String(text)) as Members)['hash'], trust: scope.trust };
  }

  async function withNetworks(
    layer1: Promise<LiedNetwork>,
    rollup: Promise<LiedNetwork>,
    run: (l1: LiedNetwork, rollup: LiedNetwork) => Promise<void>,
  ): Promise<void> {
    const networks = await Promise.all([layer1, rollup]);
    try {
      await run(...networks);
    } finally {
      await Promise.all(networks.map((network) => network.close()));
    }
  }

  test('has its older blocks proven by one node, and later ones by two', async () => {
    await resolveGame(POINT, await findOutputRoot(POINT));
    for (const options of [{ portal: PORTAL }, { registry: REGISTRY }]) {
      await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
        await assert.rejects(ask(rollup, POINT), /only one node has the block/);
        await anchor(rollup, l1, options);
        assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
        for (const number of [POINT, POINT - 1n, 3n]) {
          const { hash } = await readBlock(number);
          assert.deepEqual(await ask(rollup, number), { hash, trust: 'proven' });
        }
        await assert.rejects(ask(rollup, POINT + 1n), /only one node has the block/);
      });
    }
  });

  test('moves on with layer 1, and keeps its anchor where that shows nothing newer', async () => {
    await resolveGame(20n, await findOutputRoot(20n));
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      await resolveGame(POINT, await findOutputRoot(POINT), OTHER_GAME);
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      const place = new Uint8Array([
        ...bigIntToFixedBytes(BigInt(OTHER_GAME), 32),
        ...bigIntToFixedBytes(5n, 32),
      ]);
      const slot = bytesToHex(keccak256(place));
      await finalize(['anvil_setStorageAt', REGISTRY, slot, word(1n)]);
      for (let times = 0; times < 2; times++) await anchor(rollup, l1, { portal: PORTAL });
      const reason = `the dispute game ${OTHER_GAME} is blacklisted`;
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT), reason });
      assert.equal(rollup.log.lines.filter((line) => JSON.stringify(line).includes('blacklisted')).length, 1);
      assert.equal((await ask(rollup, 20n)).trust, 'proven');
      await finalize(['anvil_setStorageAt', REGISTRY, slot, word(0n)]);
    });
  });

  test('is anchored by its own header where that has the root of the message passer', async () => {
    const block = await readBlock(POINT);
    const withdrawalsRoot = await readStorageRoot(POINT);
    const isthmus = forgeBlock(block, { withdrawalsRoot });
    assert.ok(isthmus !== undefined);
    await resolveGame(POINT, await findOutputRoot(POINT, { ...block, hash: isthmus.hash }));
    const fault: Fault = {
      answer: (call, ask) =>
        call.method === 'eth_getProof'
          ? (WITHOUT_PROOFS.answer?.(call, ask) as never)
          : isthmus.lie(call, ask),
    };
    await withNetworks(openLayer1(), openRollup(2, 2, fault), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      const { hash } = await readBlock(POINT - 1n);
      assert.deepEqual(await ask(rollup, POINT - 1n), { hash, trust: 'proven' });
    });
  });

  test('is not anchored where nodes have no proof, and says so', async () => {
    await resolveGame(POINT, await findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(2, 2, WITHOUT_PROOFS), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.equal(describeAnchor(rollup)?.state, 'waiting');
      assert.match(String(describeAnchor(rollup)?.reason), /no node proves the message passer at block 40/);
      assert.equal((await ask(rollup, POINT)).trust, 'proven');
    });
  });

  test('quarantines a node that tells another block than layer 1 commits to', async () => {
    const forged = forgeBlock(await readBlock(POINT), { extraData: '0x01' });
    assert.ok(forged !== undefined);
    await resolveGame(POINT, await findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(3, 2, { answer: forged.lie }), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      const { hash } = await readBlock(POINT);
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      assert.deepEqual(await ask(rollup, POINT), { hash, trust: 'proven' });
      const states = rollup.chain.describe().upstreams.map(({ state, reason }) => [state, reason]);
      assert.deepEqual(states[2]?.[0], 'up');
      for (const [state, reason] of states.slice(0, 2)) {
        assert.equal(state, 'excluded');
        assert.match(String(reason), /its block 40 is 0x[0-9a-f]{64}: layer 1 commits to 0x/);
      }
    });
  });

  test('believes no block while all nodes tell another one than layer 1 commits to', async () => {
    const forged = forgeBlock(await readBlock(POINT), { extraData: '0x01' });
    assert.ok(forged !== undefined);
    await resolveGame(POINT, await findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(2, 2, { answer: forged.lie }), async (l1, rollup) => {
      assert.deepEqual(await ask(rollup, POINT), { hash: forged.hash, trust: 'proven' });
      await anchor(rollup, l1, { portal: PORTAL });
      assert.equal(describeAnchor(rollup)?.state, 'contradicted');
      for (const number of [POINT, HEAD])
        await assert.rejects(ask(rollup, number), /no node has the block 40 that layer 1 commits to/);
      for (const node of rollup.nodes) await node.setFault();
      await anchor(rollup, l1, { portal: PORTAL });
      const { hash } = await readBlock(POINT);
      assert.deepEqual(await ask(rollup, POINT), { hash, trust: 'proven' });
      assert.equal((await ask(rollup, HEAD)).trust, 'proven');
    });
  });

  test('is anchored by what layer 1 proves, whatever one of its nodes says', async () => {
    await resolveGame(POINT, await findOutputRoot(POINT));
    const lie = lieAt(({ method }) => method === 'eth_getProof', ['storageProof', 0, 'value']);
    await withNetworks(openLayer1(3, 1, lie), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      assert.equal(l1.chain.describe().upstreams[0]?.state, 'excluded');
    });
    for (const [count, liars, fault] of [
      [1, 0, {}],
      [2, 2, WITHOUT_PROOFS],
    ] as const) {
      await withNetworks(openLayer1(count, liars, fault), openRollup(1, 0, {}), async (l1, rollup) => {
        await anchor(rollup, l1, { portal: PORTAL });
        const reason = 'layer 1 does not prove its state at its finalized block';
        assert.deepEqual(describeAnchor(rollup), { state: 'waiting', reason });
      });
    }
  });

  test('takes nothing from a contract without a game, with a game of another form, or about a block that nodes lack', async () => {
    await resolveGame(POINT, await findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      const expectReason = async (options: AnchorOptions, reason: RegExp): Promise<void> => {
        await anchor(rollup, l1, options);
        assert.equal(describeAnchor(rollup)?.state, 'waiting');
        assert.match(String(describeAnchor(rollup)?.reason), reason);
      };
      await expectReason({ portal: ORACLE }, /names no AnchorStateRegistry/);
      await expectReason({ registry: ORACLE }, /no dispute game is resolved/);
      await finalize(['anvil_setCode', GAME, '0x6080']);
      await expectReason({ registry: REGISTRY }, /a form that is not known/);
      await resolveGame(HEAD + 10n, await findOutputRoot(POINT));
      await expectReason({ registry: REGISTRY }, /no node has block 70 yet/);
    });
  });

  test('is anchored by the last output of an oracle that cannot be deleted', async () => {
    const week = 604_800n;
    const day = 86_400n;
    const { timestamp } = (await first.request('eth_getBlockByNumber', 'latest', false)) as Members;
    const now = BigInt(String(timestamp));
    const base = bytesToBigInt(keccak256(bigIntToFixedBytes(3n, 32)));
    const root = await findOutputRoot(POINT);
    const count = 20n;
    const changes: [string, ...unknown[]][] = [['anvil_setStorageAt', ORACLE, word(3n), word(count)]];
    for (let index = 0n; index < count; index++) {
      const age = (count - index) * day;
      // The last output that is more than a week old is about POINT.
      const number = POINT + (index - (count - week / day));
      changes.push(
        ['anvil_setStorageAt', ORACLE, word(base + 2n * index), number === POINT ? root : word(index + 1n)],
        [
          'anvil_setStorageAt',
          ORACLE,
          word(base + 2n * index + 1n),
          word((number << 128n) | (now - age - 1n)),
        ],
      );
    }
    await finalize(...changes);
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { oracle: ORACLE });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
    });
  });

  test('is anchored by its output root in a super root, at the block of that time', async () => {
    const { timestamp } = await readBlock(POINT);
    const chainId = BigInt(String(await second.request('eth_chainId')));
    const time = BigInt(String(timestamp)) + BLOCK_SECONDS - 1n;
    const preimage = `0x01${time.toString(16).padStart(16, '0')}${word(chainId).slice(2)}${(await findOutputRoot(POINT)).slice(2)}`;
    const root = bytesToHex(keccak256(hexToBytes(preimage)));
    await finalize(
      ['anvil_setStorageAt', REGISTRY, word(2n), word(BigInt(GAME))],
      ['anvil_setCode', GAME, bytesToHex(makeGame(root, `00000009${preimage.slice(2)}`))],
    );
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { registry: REGISTRY });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
    });
  });
});
