/** Network of nodes with block access lists: at each head, state read before is known without proofs and equals the chain's. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VerifiedStateFigures } from '../../../../src/observe/sources.ts';
import { importChain } from '../../../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../../../src/service/import-progress.ts';
import { startGeth } from '../../../geth/node/geth-node.ts';
import { GETH_SKIP } from '../../../geth/node/geth-program.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import { sendToNode } from '../../../support/faults/ask-node.ts';
import type { Answer, AskNode } from '../../../support/faults/fault.ts';
import { type RunningService, startService } from '../../../support/service.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { limitTo } from '../../../support/test-chain.ts';
import { type AmsterdamBlocks, openAmsterdamBlocks } from '../proven/amsterdam-blocks.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

/** Number of heads that are compared; the chain has 280. */
const HEADS = Number(process.env['ROLLED_HEADS'] ?? 8);
/** Gas limit of the blocks. */
const GAS_LIMIT = 200_000_000n;
const LIMIT_MS = 60_000;
const PAUSE_MS = 5;
const LATEST = { kind: 'tag', tag: 'latest' } as const;
const TAGS: ReadonlySet<unknown> = new Set(['latest', 'safe', 'finalized', 'pending']);
const LISTS = ['eth_getBlockAccessList', 'debug_getRawBlockAccessList'];
const ABSENT: Answer = { error: { code: -32601, message: 'the method does not exist' } };

type Lists = readonly object[];

describe('state behind nodes with block access lists', () => {
  const folder = makeTemporaryFolder();
  let blocks: AmsterdamBlocks;
  let service: RunningService;
  let network: RemoteNetwork | undefined;
  let doors: FaultUpstream[] = [];
  /** Head number of the nodes. */
  let top = 0;
  let requested: string[] = [];
  const count = (...methods: string[]): number => requested.filter((one) => methods.includes(one)).length;

  before(async () => {
    blocks = await openAmsterdamBlocks(HEADS);
    const data = join(folder.path, 'chain');
    await importChain({ ...blocks.files, data, seal: 'ethash-format' }, SILENT_PROGRESS);
    service = await startService({ networks: { whole: { hosts: ['localhost'], embedded: { data } } } });
  });
  after(async () => {
    await service.close();
    blocks.close();
    folder.remove();
  });
  afterEach(async () => {
    await network?.close();
    await Promise.all(doors.map((door) => door.close()));
    network = undefined;
    doors = [];
  });

  /** Cached answers of the chain, which does not grow. */
  const known = new Map<string, Promise<Answer>>();
  const ask = (url: string, call: Parameters<AskNode>[0]): Promise<Answer> => {
    const name = `${url} ${JSON.stringify(call)}`;
    const answer = known.get(name) ?? sendToNode(url, call);
    known.set(name, answer);
    return answer;
  };
  const askService: AskNode = (call) => ask(`http://${service.authority}/whole/v3/demo`, call);

  /** Starts a node whose head is `top`. @param change replaces the node's own answer */
  const startNode = async (
    change: (method: string, answer: Answer) => Answer = (_, answer) => answer,
    callChain: AskNode = askService,
  ): Promise<void> => {
    const door = await FaultUpstream.start(async ({ method, params }) => {
      requested.push(method);
      const named = params.map((param) => (TAGS.has(param) ? `0x${top.toString(16)}` : param));
      const answer = await callChain({ method, params: named });
      const { number } = Object('result' in answer ? answer.result : {});
      return change(method, Number(number) > top ? { result: null } : answer);
    });
    doors.push(door);
  };

  /** Opens the network at a head, and waits until state is verified. */
  const open = async (head: number): Promise<RemoteNetwork> => {
    top = head;
    const opened = await openRemote(
      doors.map((door, tier) => ({ url: door.httpUrl, tier: tier + 1 })),
      {
        execution: 'local',
        verify: 'auto',
        chain: blocks.files.genesis,
        pool: { pollInterval: '10ms', blockTime: '20ms', answerTimeout: '30s' },
      },
    );
    network = opened;
    await opened.followTo(BigInt(head));
    const isVerified = (): boolean =>
      opened.chain
        .describe()
        .verification?.rows.some((row) => row.subject === 'state' && row.state === 'verified') === true;
    while (!isVerified()) await sleep(PAUSE_MS);
    requested = [];
    return opened;
  };

  const figuresOf = ({ chain }: RemoteNetwork): VerifiedStateFigures => {
    const { provenState } = chain.describe();
    assert.ok(provenState !== undefined);
    return provenState;
  };

  /** Moves the head, and waits until state read before is known there. */
  const moveTo = async (opened: RemoteNetwork, head: number): Promise<void> => {
    const { warmed } = figuresOf(opened);
    top = head;
    await opened.followTo(BigInt(head));
    while (figuresOf(opened).warmed === warmed) await sleep(PAUSE_MS);
  };

  /** Reads all state that the chain's blocks access, and compares it with the chain's values. */
  const compareAll = async (
    { chain, ask }: RemoteNetwork,
    head: number,
    askTruth: AskNode = askService,
  ): Promise<void> => {
    const block = `0x${head.toString(16)}`;
    const expect = async (method: string, ...params: unknown[]): Promise<unknown> => {
      const answer = await askTruth({ method, params: [...params, block] });
      return 'result' in answer ? answer.result : answer.error;
    };
    const { state } = chain;
    const read = async (answer: PromiseLike<unknown> | unknown): Promise<unknown> =>
      JSON.parse(String(await answer));
    const compare = async ([address, slots]: [string, ReadonlySet<string>]): Promise<void> => {
      const scope = limitTo(LIMIT_MS);
      const where = `${address} at ${head}`;
      const storage = { [address]: [...slots] };
      const pairs: [unknown, unknown][] = [
        [read(state.getBalance(address, LATEST, scope)), expect('eth_getBalance', address)],
        [read(state.getTransactionCount(address, LATEST, scope)), expect('eth_getTransactionCount', address)],
        [read(state.getCode(address, LATEST, scope)), expect('eth_getCode', address)],
      ];
      if (slots.size > 0)
        pairs.push([
          read(state.getStorageValues(new Map(Object.entries(storage)), LATEST, scope)),
          expect('eth_getStorageValues', storage),
        ]);
      for (const [found, expected] of pairs) assert.deepEqual(await found, await expected, where);
      const call = { to: address, gas: '0x10000' };
      const { result, error } = await ask('call', { call, block: LATEST });
      const called = (await expect('eth_call', call)) as { message?: string };
      assert.deepEqual(result === undefined ? error : JSON.parse(result), called.message ?? called, where);
    };
    await Promise.all([...blocks.keys].map(compare));
  };

  /** Compares all values at the head before the fork and at the heads after it. @returns number of proofs requested after the first head */
  const compareHeads = async (opened: RemoteNetwork, heads: number, truth?: AskNode): Promise<number> => {
    const first = blocks.firstAmsterdam - 1;
    await compareAll(opened, first, truth);
    assert.ok(count('eth_getProof') > blocks.keys.size / 2);
    requested = [];
    for (let head = first + 1; head <= first + heads; head++) {
      await moveTo(opened, head);
      await compareAll(opened, head, truth);
    }
    return count('eth_getProof');
  };

  /** A stalled machine may answer a list too late; at the other heads, only zeros in the storage of new contracts need proofs. */
  const expectRolled = (opened: RemoteNetwork, heads: number, proofs: number): void => {
    const { rolled } = figuresOf(opened);
    assert.ok(rolled > heads / 2 && rolled <= heads, `${rolled} of ${heads} heads`);
    assert.ok(proofs <= 3 * heads + blocks.keys.size * (heads - rolled), `${proofs} proofs`);
  };

  test('follows over many blocks, with proofs only of values that were never read', async () => {
    await startNode();
    const opened = await open(blocks.firstAmsterdam - 1);
    const proofs = await compareHeads(opened, HEADS);
    expectRolled(opened, HEADS, proofs);
    assert.ok(count(...LISTS) >= HEADS);
  });

  test('equals that of geth, which proves it, while another node has the lists', {
    skip: GETH_SKIP,
  }, async () => {
    const geth = await startGeth({ ...blocks.files, blockGasLimit: GAS_LIMIT });
    try {
      const askGeth: AskNode = (call) => ask(geth.httpUrl, call);
      await startNode(undefined, askGeth);
      await startNode((method, answer) => (method === 'eth_getProof' ? ABSENT : answer));
      const opened = await open(blocks.firstAmsterdam - 1);
      const proofs = await compareHeads(opened, HEADS, askGeth);
      expectRolled(opened, HEADS, proofs);
    } finally {
      await geth.close();
    }
  });

  test('follows from encoded lists if nodes have only these', async () => {
    await startNode((method, answer) => (method === LISTS[0] ? ABSENT : answer));
    const opened = await open(blocks.firstAmsterdam - 1);
    expectRolled(opened, 5, await compareHeads(opened, 5));
    assert.equal(count(LISTS[0] as string), 1);
  });

  test('is proven at each head if nodes have no lists, and lists are requested once', async () => {
    await startNode((method, answer) => (LISTS.includes(method) ? ABSENT : answer));
    const opened = await open(blocks.firstAmsterdam - 1);
    const proofs = await compareHeads(opened, 5);
    assert.equal(figuresOf(opened).rolled, 0);
    assert.equal(count(...LISTS), 2);
    assert.ok(proofs > 5 * 10, `${proofs} proofs`);
  });

  const lieOfList = (method: string, answer: Answer): Answer => {
    if (method !== LISTS[0] || !('result' in answer)) return answer;
    const [first, ...rest] = answer.result as Lists;
    return { result: [{ ...first, balanceChanges: [{ index: '0x0', value: '0x1' }] }, ...rest] };
  };

  const expectLiarFound = (opened: RemoteNetwork): void => {
    assert.deepEqual(
      opened.chain.describe().upstreams.map(({ state }) => state),
      doors.map((_, i) => (i === 0 ? 'excluded' : 'up')),
    );
    const [line = '', ...others] = opened.takeErrors();
    assert.match(line, /the block access list does not hash to the hash in the header/);
    assert.deepEqual(others, []);
  };

  test('follows despite a node with a false list, which is quarantined', async () => {
    await startNode(lieOfList);
    await startNode();
    const opened = await open(blocks.firstAmsterdam - 1);
    const proofs = await compareHeads(opened, 5);
    expectRolled(opened, 5, proofs);
    expectLiarFound(opened);
  });

  test('a node that returns a false list to a client is quarantined too', async () => {
    await startNode(lieOfList);
    // Two other nodes are needed: a single node does not anchor a hash.
    await startNode();
    await startNode();
    const number = blocks.firstAmsterdam + 1;
    const opened = await open(number + 2);
    for (let trust: unknown; trust !== 'proven'; await sleep(PAUSE_MS)) {
      const requested = limitTo(LIMIT_MS);
      await opened.chain.blocks.getBlock(LATEST, false, requested);
      trust = requested.trust;
    }
    const scope = limitTo(LIMIT_MS);
    const list = await opened.chain.blocks.getAccessList(
      { kind: 'number', number: BigInt(number) },
      'objects',
      scope,
    );
    const call = { method: LISTS[0] as string, params: [`0x${number.toString(16)}`] };
    assert.deepEqual({ result: JSON.parse(String(list)) }, await askService(call));
    assert.equal(scope.trust, 'proven');
    expectLiarFound(opened);
  });

  test('follows over blocks that were never the head', async () => {
    await startNode();
    const first = blocks.firstAmsterdam - 1;
    const opened = await open(first);
    await compareAll(opened, first);
    requested = [];
    await moveTo(opened, first + 4);
    await compareAll(opened, first + 4);
    assert.equal(figuresOf(opened).rolled, 1);
    assert.ok(count(...LISTS) >= 4);
    assert.ok(count('eth_getProof') <= 12, `${count('eth_getProof')} proofs`);
  });
});
