import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import type { SampleCounts } from '../../../../src/observe/sources.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Fault } from '../../../support/faults/fault.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

/** Returns the slot that the calldata names. */
const READER = `0x${'b'.repeat(40)}`;
/** Returns the remaining gas and the base fee. */
const GAS_READER = `0x${'c'.repeat(40)}`;
const BASE_FEE_READER = `0x${'d'.repeat(40)}`;
const ZERO = `"0x${'0'.repeat(64)}"`;
const NODES = 3;
const PAUSE_MS = 20;
/** Longer than a busy machine stalls. */
const LIMIT_MS = 60_000;
const MAX_CALLS = 1_000;
/** Log line with the evidence against the false node. */
const EVIDENCE = /eth_call of 0xb+ with data 0x0+[0-9a-f]+ is "0x0{64}" on verified state and at .+, not/;

const lie = (answer: unknown): Fault => ({
  concerns: ({ method, params }) => method === 'eth_call' && JSON.stringify(params[0]).includes(READER),
  answer: async () => answer as Awaited<ReturnType<NonNullable<Fault['answer']>>>,
});
const OTHER_DATA = lie({ result: `0x${'0'.repeat(63)}1` });
const REVERT = lie({ error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } });

const request = (to: string, slot: number): CallRequest => ({
  call: { to, data: `0x${slot.toString(16).padStart(64, '0')}` },
  block: { kind: 'tag', tag: 'latest' },
});

describe('sampled calls', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let doors: readonly FaultUpstream[];
  before(async () => {
    anvil = await startAnvil();
    const codes: readonly (readonly [string, string])[] = [
      [READER, '0 CALLDATALOAD SLOAD'],
      [GAS_READER, 'GAS'],
      [BASE_FEE_READER, 'BASEFEE'],
    ];
    for (const [address, code] of codes)
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(`${code} 0 MSTORE 32 0 RETURN`)));
    await anvil.request('anvil_mine', '0x2');
    doors = await Promise.all(Array.from({ length: NODES }, () => FaultUpstream.start(anvil.httpUrl)));
  });
  after(async () => {
    for (const door of doors) await door.close();
    await anvil.kill();
  });

  /** Opens a network of three nodes, used in order. @param faults faults of the nodes, in the same order */
  async function open(
    faults: readonly Fault[],
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<RemoteNetwork> {
    for (const [i, door] of doors.entries()) await door.setFault(faults[i]);
    const rows = doors.map(({ httpUrl }, i) => ({ url: httpUrl, tier: i + 1 }));
    return openRemote(rows, { verify: 'auto', verifyCalls: 100, ...options });
  }

  const countOf = (network: RemoteNetwork, verdict: keyof SampleCounts): number =>
    network.figures().samples?.[verdict] ?? 0;
  const listQuarantined = ({ chain }: RemoteNetwork): readonly number[] =>
    chain.describe().upstreams.flatMap(({ state }, i) => (state === 'excluded' ? [i] : []));

  /** Makes distinct calls of a contract until a condition holds. */
  async function callUntil(network: RemoteNetwork, to: string, isSo: () => boolean): Promise<void> {
    for (let i = 1; i < MAX_CALLS && !isSo(); i++) {
      await network.ask('call', request(to, i));
      await sleep(PAUSE_MS);
    }
    assert.ok(isSo());
  }

  for (const [name, fault] of [
    ['other data', OTHER_DATA],
    ['a revert', REVERT],
  ] as const) {
    test(`one of three nodes that returns ${name} is quarantined, and its cached answers are dropped`, async () => {
      const network = await open([fault]);
      try {
        assert.notEqual(
          (await network.ask('call', request(READER, 1))).result,
          ZERO,
          'the liar is asked first',
        );
        await callUntil(network, READER, () => countOf(network, 'refuted') > 0);
        assert.deepEqual(listQuarantined(network), [0]);
        const [line, ...others] = network.takeErrors();
        assert.match((JSON.parse(line ?? '{}') as { reason: string }).reason, EVIDENCE);
        assert.deepEqual(others, []);
        for (let slot = 1; slot < 5; slot++)
          assert.equal((await network.ask('call', request(READER, slot))).result, ZERO);
      } finally {
        await network.close();
      }
    });
  }

  test('two of three nodes with the same false answer are quarantined', async () => {
    const network = await open([OTHER_DATA, OTHER_DATA]);
    try {
      await callUntil(network, READER, () => listQuarantined(network).length === 2);
      assert.deepEqual(listQuarantined(network), [0, 1]);
      assert.equal(network.takeErrors().length, 2);
    } finally {
      await network.close();
    }
  });

  test('no node is quarantined if all have another outcome than local execution, and sampling pauses', async () => {
    const network = await open([OTHER_DATA, OTHER_DATA, OTHER_DATA]);
    try {
      await callUntil(network, READER, () => countOf(network, 'different') > 0);
      assert.deepEqual(listQuarantined(network), []);
      const before = network.figures();
      for (let slot = 1; slot < 20; slot++) await network.ask('call', request(GAS_READER, slot));
      await sleep(10 * PAUSE_MS);
      assert.deepEqual(network.figures().samples, before.samples);
      assert.equal(network.figures().executed, before.executed);
    } finally {
      await network.close();
    }
  });

  test('no node is quarantined for an outcome that depends on its client’s default gas or base fee', async () => {
    const other = { result: `0x${'0'.repeat(60)}1234` };
    const fault: Fault = { concerns: ({ method }) => method === 'eth_call', answer: async () => other };
    const network = await open([fault]);
    try {
      for (const to of [GAS_READER, BASE_FEE_READER]) {
        const before = countOf(network, 'unknown');
        await callUntil(network, to, () => countOf(network, 'unknown') > before);
      }
      assert.deepEqual(listQuarantined(network), []);
      assert.equal(countOf(network, 'refuted') + countOf(network, 'different'), 0);
    } finally {
      await network.close();
    }
  });

  test('execution: auto reaches local execution in spite of one node that lies', async () => {
    const network = await open([OTHER_DATA], { verify: 'off', execution: 'auto' });
    try {
      assert.equal(network.figures().samples, undefined);
      await callUntil(network, READER, () => network.figures().state !== 'comparing');
      assert.equal(network.figures().state, 'local');
      assert.deepEqual(listQuarantined(network), [0]);
      assert.equal(network.takeErrors().length, 1);
    } finally {
      await network.close();
    }
  });

  test('calls of a batch are requested together, and compared', async () => {
    const network = await open([]);
    const { execution } = network.chain;
    try {
      for (let i = 1; i < MAX_CALLS && countOf(network, 'same') === 0; i += 2) {
        const scope = new RequestScope(performance.now() + LIMIT_MS);
        const outcomes = await execution.callMany?.([request(READER, i), request(READER, i + 1)], scope);
        assert.deepEqual(
          outcomes?.map((outcome) => outcome?.answer),
          [ZERO, ZERO],
        );
        await sleep(PAUSE_MS);
      }
      assert.ok(countOf(network, 'same') > 0);
    } finally {
      await network.close();
    }
  });

  test('verifyCalls: 0 and verify: off compare nothing', async () => {
    for (const options of [{ verifyCalls: 0 }, { verify: 'off' }]) {
      const network = await open([], options);
      assert.equal(network.chain.describe().execution, undefined);
      await network.close();
    }
  });
});
