/** Anchors a rollup in its layer 1; both chains run on anvil, and the service reads their real proofs. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bigIntToFixedBytes, bytesToBigInt } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Members } from '../../../packages/proofs/findings.ts';
import type { AnchorOptions } from '../../../src/rollup/options.ts';
import { anchorOnce } from '../../../src/service/open-anchors.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { makeGame } from '../../rollup/games.ts';
import {
  AnchoredRollup,
  BLOCK_SECONDS,
  FINALITY,
  GAME_TIME,
  PASSER,
  PORTAL,
  REGISTRY,
  word,
} from '../../support/anchored-rollup.ts';
import { ANVIL_SKIP } from '../../support/anvil.ts';
import { FaultUpstream } from '../../support/fault-upstream.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { startService } from '../../support/service.ts';
import { forgeBlock } from '../../verified/lies.ts';
import { type LiedNetwork, lieAt, openNetwork } from './liars.ts';

const ORACLE = `0x${'a3'.repeat(20)}`;
const GAME = `0x${'a4'.repeat(20)}`;
const OTHER_GAME = `0x${'a5'.repeat(20)}`;
/** Game that one test blacklists; the node would store slots that are reset to zero as such, which no proof may contain. */
const BAD_GAME = `0x${'a6'.repeat(20)}`;
const HEAD = 60n;
const POINT = 40n;
const PATIENCE_MS = 60_000;
const AGREEMENT_MS = 2_000;

/** Nodes without state proofs. */
const WITHOUT_PROOFS: Fault = {
  concerns: ({ method }) => method === 'eth_getProof',
  answer: () =>
    Promise.resolve({
      error: { code: -32000, message: 'distance to target block exceeds maximum proof window' },
    }),
};

let chains: AnchoredRollup;

async function openLayer1(count = 2, liars = 0, fault: Fault = {}): Promise<LiedNetwork> {
  return openNetwork(chains.l1.httpUrl, count, liars, fault, { blockTime: '50ms' });
}

async function openRollup(count: number, liars: number, fault: Fault): Promise<LiedNetwork> {
  const options = { verify: 'require', isAnchored: true, isFromStart: true } as const;
  return openNetwork(chains.rollup.httpUrl, count, liars, fault, options);
}

/** Waits until the service has seen the finalized block of layer 1, then reads layer 1 until its state is verified or `AGREEMENT_MS` have passed. */
async function anchor(rollup: LiedNetwork, l1: LiedNetwork, options: AnchorOptions): Promise<void> {
  const head = BigInt(String(await chains.l1.request('eth_blockNumber')));
  for (const limit = performance.now() + PATIENCE_MS; performance.now() < limit; await sleep(20)) {
    const finalized = await l1.chain.blocks.getHeader({ kind: 'tag', tag: 'finalized' }, createScope());
    if ((finalized?.number ?? 0n) >= head - BigInt(FINALITY)) break;
  }
  // Until two nodes of layer 1 have reported the block, its state has trust single.
  for (const limit = performance.now() + AGREEMENT_MS; ; await sleep(50)) {
    await anchorOnce(rollup.chain, l1.chain, options, createScope());
    const { reason } = { reason: undefined, ...describeAnchor(rollup) };
    if (!/its answers about state are (single|agreed)/.test(String(reason)) || performance.now() > limit)
      return;
  }
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

describe('a rollup anchored in its layer 1', { skip: ANVIL_SKIP }, () => {
  before(async () => {
    chains = await AnchoredRollup.start(HEAD);
  });
  after(() => chains.kill());

  test('verifies blocks up to its anchor with one node, and later ones only with two', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    for (const options of [{ portal: PORTAL }, { registry: REGISTRY }]) {
      await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
        await assert.rejects(ask(rollup, POINT), /only one node in service has the block/);
        await anchor(rollup, l1, options);
        assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
        for (const number of [POINT, POINT - 1n, 3n]) {
          const { hash } = await chains.readBlock(number);
          assert.deepEqual(await ask(rollup, number), { hash, trust: 'proven' });
        }
        await assert.rejects(ask(rollup, POINT + 1n), /only one node in service has the block/);
      });
    }
  });

  test('is anchored by the state at the head of layer 1 if nodes prove no older state', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    const onlyHead: Fault = {
      concerns: ({ method }) => method === 'eth_getProof',
      answer: async (call, ask) => {
        const head = await ask({ method: 'eth_getBlockByNumber', params: ['latest', false] });
        const { number, hash } = ('result' in head ? head.result : {}) as Members;
        const block = JSON.stringify(call.params[2]);
        const isHead = [number, hash].some((name) => block.includes(`"${String(name)}"`));
        return isHead ? ask(call) : (WITHOUT_PROOFS.answer?.(call, ask) as never);
      },
    };
    await withNetworks(openLayer1(2, 2, onlyHead), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
    });
  });

  test('moves its anchor with layer 1, and retains it if the newest game is blacklisted', async () => {
    await chains.resolveGame(20n, await chains.findOutputRoot(20n));
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      await chains.resolveGame(POINT, await chains.findOutputRoot(POINT), BAD_GAME);
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      const place = new Uint8Array([
        ...bigIntToFixedBytes(BigInt(BAD_GAME), 32),
        ...bigIntToFixedBytes(5n, 32),
      ]);
      const slot = bytesToHex(keccak256(place));
      await chains.finalize(['anvil_setStorageAt', REGISTRY, slot, word(1n)]);
      for (let times = 0; times < 2; times++) await anchor(rollup, l1, { portal: PORTAL });
      const reason = `the dispute game ${BAD_GAME} is blacklisted`;
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT), reason });
      assert.equal(rollup.log.lines.filter((line) => JSON.stringify(line).includes('blacklisted')).length, 1);
      assert.equal((await ask(rollup, 20n)).trust, 'proven');
    });
  });

  test('is not anchored by a game that is retired by its creation time', async () => {
    const retire = (time: bigint): Promise<void> =>
      chains.finalize(['anvil_setStorageAt', REGISTRY, word(6n), word((time << 32n) | 8n)]);
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    for (const [time, isRetired] of [
      [GAME_TIME, true],
      [GAME_TIME - 1n, false],
    ] as const) {
      await retire(time);
      await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
        await anchor(rollup, l1, { portal: PORTAL });
        const reason = `the dispute game ${GAME} is retired, as are all games created up to ${time}`;
        assert.deepEqual(
          describeAnchor(rollup),
          isRetired ? { state: 'waiting', reason } : { state: 'anchored', number: Number(POINT) },
        );
      });
    }
  });

  test('moves its anchor back with layer 1', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      await chains.resolveGame(20n, await chains.findOutputRoot(20n), OTHER_GAME);
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: 20 });
      assert.equal((await ask(rollup, 20n)).trust, 'proven');
      await assert.rejects(ask(rollup, POINT), /only one node in service has the block/);
    });
  });

  test('is anchored by its own header if that has the storage root of the message passer', async () => {
    const block = await chains.readBlock(POINT);
    const withdrawalsRoot = await chains.readStorageRoot(POINT);
    const isthmus = forgeBlock(block, { withdrawalsRoot });
    assert.ok(isthmus !== undefined);
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT, { ...block, hash: isthmus.hash }));
    const fault: Fault = {
      answer: (call, ask) =>
        call.method === 'eth_getProof'
          ? (WITHOUT_PROOFS.answer?.(call, ask) as never)
          : isthmus.lie(call, ask),
    };
    await withNetworks(openLayer1(), openRollup(2, 2, fault), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      const { hash } = await chains.readBlock(POINT - 1n);
      assert.deepEqual(await ask(rollup, POINT - 1n), { hash, trust: 'proven' });
    });
  });

  test('is not anchored if nodes have no proof of the message passer, and reports this reason', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(2, 2, WITHOUT_PROOFS), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      assert.equal(describeAnchor(rollup)?.state, 'waiting');
      assert.match(String(describeAnchor(rollup)?.reason), /no node proves the message passer at block 40/);
      assert.equal((await ask(rollup, POINT)).trust, 'proven');
    });
  });

  test('quarantines a node with another block than layer 1 commits to', async () => {
    const forged = forgeBlock(await chains.readBlock(POINT), { extraData: '0x01' });
    assert.ok(forged !== undefined);
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(3, 2, { answer: forged.lie }), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      const { hash } = await chains.readBlock(POINT);
      assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      assert.deepEqual(await ask(rollup, POINT), { hash, trust: 'proven' });
      const states = rollup.chain.describe().upstreams.map(({ state, reason }) => [state, reason]);
      assert.deepEqual(states[2]?.[0], 'up');
      for (const [state, reason] of states.slice(0, 2)) {
        assert.equal(state, 'excluded');
        assert.match(String(reason), /about block 40: its hash is 0x[0-9a-f]{64}, but layer 1 commits to 0x/);
      }
    });
  });

  test('quarantines a node with another block at a height below the anchor', async () => {
    const LIED = 30n;
    const forged = forgeBlock(await chains.readBlock(LIED), { extraData: '0x01' });
    assert.ok(forged !== undefined);
    const { lie } = forged;
    const fault: Fault = {
      answer: (call, ask) =>
        call.method === 'eth_getBlockByNumber' && call.params[0] === encodeQuantity(LIED)
          ? lie(call, ask)
          : ask(call),
    };
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    const { hash } = await chains.readBlock(LIED);
    // Lies while the heights below the anchor are being linked, and about a height that is linked already.
    for (const isLinked of [false, true]) {
      await withNetworks(openLayer1(), openRollup(3, 1, isLinked ? {} : fault), async (l1, rollup) => {
        await anchor(rollup, l1, { portal: PORTAL });
        if (isLinked) {
          await ask(rollup, LIED - 1n);
          await rollup.nodes[0]?.setFault(fault);
        }
        assert.deepEqual(await ask(rollup, LIED), { hash, trust: 'proven' });
        const [liar, ...others] = rollup.chain.describe().upstreams;
        assert.deepEqual(
          others.map(({ state }) => state),
          ['up', 'up'],
        );
        assert.equal(liar?.state, 'excluded');
        assert.match(
          String(liar?.reason),
          /the node has another block at height 30, which is below the anchored block/,
        );
      });
    }
  });

  test('accepts no block while all nodes contradict the block that layer 1 commits to', async () => {
    const forged = forgeBlock(await chains.readBlock(POINT), { extraData: '0x01' });
    assert.ok(forged !== undefined);
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(2, 2, { answer: forged.lie }), async (l1, rollup) => {
      assert.deepEqual(await ask(rollup, POINT), { hash: forged.hash, trust: 'proven' });
      await anchor(rollup, l1, { portal: PORTAL });
      assert.equal(describeAnchor(rollup)?.state, 'contradicted');
      for (const number of [POINT, HEAD])
        await assert.rejects(ask(rollup, number), /no node has the block 40 that layer 1 commits to/);
      for (const node of rollup.nodes) await node.setFault();
      await anchor(rollup, l1, { portal: PORTAL });
      const { hash } = await chains.readBlock(POINT);
      assert.deepEqual(await ask(rollup, POINT), { hash, trust: 'proven' });
      assert.equal((await ask(rollup, HEAD)).trust, 'proven');
    });
  });

  test('is anchored by verified state of layer 1 despite a lying node, and not by unverified state', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
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
        const reason = 'layer 1 does not prove its state: its answers about state are single';
        assert.deepEqual(describeAnchor(rollup), { state: 'waiting', reason });
      });
    }
  });

  test('is not anchored without a game, by a game of an unknown form, or at a block that nodes lack', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      const expectReason = async (options: AnchorOptions, reason: RegExp): Promise<void> => {
        await anchor(rollup, l1, options);
        assert.equal(describeAnchor(rollup)?.state, 'waiting');
        assert.match(String(describeAnchor(rollup)?.reason), reason);
      };
      await expectReason({ portal: ORACLE }, /names no AnchorStateRegistry/);
      await expectReason({ registry: ORACLE }, /no dispute game is resolved/);
      await chains.finalize(['anvil_setCode', GAME, '0x6080']);
      await expectReason({ registry: REGISTRY }, /has an unknown form/);
      await chains.resolveGame(HEAD + 10n, await chains.findOutputRoot(POINT));
      await expectReason({ registry: REGISTRY }, /no node has block 70 yet/);
    });
  });

  test('is anchored by the last output of an oracle that cannot be deleted any more', async () => {
    const week = 604_800n;
    const day = 86_400n;
    const { timestamp } = (await chains.l1.request('eth_getBlockByNumber', 'latest', false)) as Members;
    const now = BigInt(String(timestamp));
    const base = bytesToBigInt(keccak256(bigIntToFixedBytes(3n, 32)));
    const root = await chains.findOutputRoot(POINT);
    const count = 20n;
    const changes: [string, ...unknown[]][] = [['anvil_setStorageAt', ORACLE, word(3n), word(count)]];
    for (let index = 0n; index < count; index++) {
      const age = (count - index) * day;
      // The last output that is more than a week old is that of POINT.
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
    await chains.finalize(...changes);
    // The only node, which alone decides what is finalized, reports the right block with a timestamp one month later.
    const later: Fault = {
      concerns: ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'finalized',
      answer: async (call, ask) => {
        const answer = await ask(call);
        const block = ('result' in answer ? answer.result : {}) as Members;
        const time = `0x${(BigInt(String(block['timestamp'])) + 30n * day).toString(16)}`;
        return { result: { ...block, timestamp: time } };
      },
    };
    for (const liars of [0, 1]) {
      await withNetworks(openLayer1(2, liars, later), openRollup(1, 0, {}), async (l1, rollup) => {
        await chains.finalize();
        await anchor(rollup, l1, { oracle: ORACLE });
        assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
      });
    }
  });

  test('is not anchored by a contract with text in the slot of the number of outputs', async () => {
    const text = `0x${'54'.repeat(31)}3e`;
    await chains.finalize(['anvil_setStorageAt', OTHER_GAME, word(3n), text]);
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { oracle: OTHER_GAME });
      assert.match(String(describeAnchor(rollup)?.reason), /output \d+ at 0x(a5)+ is empty/);
    });
  });

  test('is anchored by its output root in a super root, at the block with that timestamp', async () => {
    const chainId = BigInt(String(await chains.rollup.request('eth_chainId')));
    const resolveSuper = async (time: bigint, outputRoot: string): Promise<void> => {
      const preimage = `0x01${time.toString(16).padStart(16, '0')}${word(chainId).slice(2)}${outputRoot.slice(2)}`;
      const root = bytesToHex(keccak256(hexToBytes(preimage)));
      await chains.finalize(
        ['anvil_setStorageAt', REGISTRY, word(2n), word(BigInt(GAME))],
        ['anvil_setCode', GAME, bytesToHex(makeGame(root, `00000009${preimage.slice(2)}`))],
      );
    };
    const time = BigInt(String((await chains.readBlock(POINT))['timestamp'])) + BLOCK_SECONDS - 1n;
    const genesis = BigInt(String((await chains.readBlock(0n))['timestamp']));
    for (const [at, isAnchored] of [
      [time, true],
      [genesis - BLOCK_SECONDS, false],
    ] as const) {
      await resolveSuper(at, await chains.findOutputRoot(POINT));
      await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
        await anchor(rollup, l1, { registry: REGISTRY });
        if (isAnchored)
          assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(POINT) });
        else assert.equal(describeAnchor(rollup)?.state, 'waiting');
      });
    }
  });

  test('is anchored by the service, and reported in status and metrics', async () => {
    await chains.resolveGame(POINT, await chains.findOutputRoot(POINT));
    const other = await FaultUpstream.start(chains.l1.httpUrl);
    const service = await startService({
      networks: {
        one: { hosts: ['one'], upstreams: [chains.l1.httpUrl, other.httpUrl], verify: 'auto' },
        two: {
          hosts: ['two'],
          upstreams: [chains.rollup.httpUrl],
          verify: 'require',
          pool: { chainId: 31_337 },
          rollup: { family: 'op-stack', l1: 'one', anchor: { portal: PORTAL } },
        },
      },
    });
    try {
      const askTrust = async (): Promise<string | null> => {
        const { headers } = await fetch(`http://${service.authority}/two/v3/demo`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'eth_getBlockByNumber',
            params: ['0x27', false],
          }),
        });
        return headers.get('x-portcullis-trust');
      };
      for (const limit = performance.now() + PATIENCE_MS; performance.now() < limit; await sleep(50))
        if ((await askTrust()) === 'proven') break;
      assert.equal(await askTrust(), 'proven');
      const { networks } = await service.service.readStatus();
      assert.deepEqual(networks[1]?.anchor, { state: 'anchored', number: Number(POINT) });
      const metrics = JSON.stringify(await service.service.readMetrics());
      assert.match(metrics, /portcullis_network_anchor_number/);
    } finally {
      await service.close();
      await other.close();
    }
  });
});

describe('a block far below the anchor of a rollup', { skip: ANVIL_SKIP }, () => {
  const TIMED_OUT = 1_150n;
  /** Block too far below the anchor to be linked by headers alone. */
  const OLD = TIMED_OUT - 1_030n;

  before(async () => {
    chains = await AnchoredRollup.start(1_200n);
    await chains.resolveGame(TIMED_OUT, await chains.findOutputRoot(TIMED_OUT));
  });
  after(() => chains.kill());

  test('is linked through older block hashes in the state', async () => {
    await withNetworks(openLayer1(), openRollup(1, 0, {}), async (l1, rollup) => {
      await anchor(rollup, l1, { portal: PORTAL });
      const { hash } = await chains.readBlock(OLD);
      assert.deepEqual(await ask(rollup, OLD), { hash, trust: 'proven' });
    });
  });

  test('needs two nodes if none proves those hashes, and the proof is requested once from each node', async () => {
    let requested = 0;
    const fault: Fault = {
      concerns: ({ method, params }) => method === 'eth_getProof' && params[0] !== PASSER,
      answer: async (call, ask) => {
        requested++;
        return WITHOUT_PROOFS.answer?.(call, ask) as never;
      },
    };
    for (const count of [1, 2]) {
      await withNetworks(openLayer1(), openRollup(count, count, fault), async (l1, rollup) => {
        await anchor(rollup, l1, { portal: PORTAL });
        assert.deepEqual(describeAnchor(rollup), { state: 'anchored', number: Number(TIMED_OUT) });
        requested = 0;
        for (const number of [OLD, OLD - 1n, OLD - 2n]) {
          if (count === 1)
            await assert.rejects(ask(rollup, number), /only one node in service has the block/);
          else assert.equal((await ask(rollup, number)).trust, 'proven');
        }
        assert.equal(requested, count, 'one question of each node');
      });
    }
  });
});
