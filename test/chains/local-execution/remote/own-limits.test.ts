/** Calls that use up their own time or gas on proven state: hints never delay them, and no error describes them as queued. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { WAITED_TOO_LONG } from '../../../../src/chains/embedded/execution/heavy-calls.ts';
import { MissingState } from '../../../../src/chains/embedded/state/missing-state.ts';
import { RoundTrips } from '../../../../src/chains/local-execution/proven/round-trips.ts';
import { StateKeys } from '../../../../src/chains/local-execution/proven/state-keys.ts';
import { createStateCache } from '../../../../src/chains/local-execution/proven/state-requests.ts';
import {
  CallAttempts,
  type CallAttemptsOptions,
} from '../../../../src/chains/local-execution/remote/call-attempts.ts';
import { createRun } from '../../../../src/chains/local-execution/remote/call-run.ts';
import { Collector } from '../../../../src/chains/local-execution/remote/collector.ts';
import type { RemoteBlock } from '../../../../src/chains/local-execution/remote/remote-block.ts';
import type { RemoteStateSource } from '../../../../src/chains/local-execution/remote/state-source.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';

const LIMIT_MS = 60_000;
const TARGET = `0x${'a'.repeat(40)}`;
const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`;
const request: CallRequest = { call: { to: TARGET }, block: { kind: 'tag', tag: 'latest' } };
const at = { number: 1n, hash: word(1), stateRoot: word(2), isCanonical: true, parentHash: word(3) };
const block = { at, stored: { header: { number: 1n } } } as unknown as RemoteBlock;
const onFault = (error: unknown): never => {
  throw error;
};

test('a hint is requested outside of batches, within a quarter of the time that a call has', async () => {
  const requested: RequestScope[] = [];
  const source = {
    requests: { proven: createStateCache({ onFault }), roundTrips: new RoundTrips() },
    isOutage: (error: unknown) => error instanceof ChainError,
    ask(_question: unknown, _place: unknown, _read: unknown, scope: RequestScope) {
      requested.push(scope);
      return Promise.reject(new ChainError('timeout', 'none in time'));
    },
  };
  const scope = new RequestScope(performance.now() + LIMIT_MS);
  const { keys } = await new Collector(source as unknown as RemoteStateSource).requestHint(
    request,
    at,
    scope,
  );
  assert.ok(keys.isEmpty);
  assert.deepEqual(
    requested.map(({ batch }) => batch),
    [undefined],
  );
  assert.ok(Number(requested[0]?.deadline) <= performance.now() + LIMIT_MS / 4);
});

test('a call at its deadline reports its own time limit if nodes were needed, and a queue otherwise', async () => {
  for (const isWarm of [false, true]) {
    const scope = new RequestScope(performance.now() + 20);
    const pastDeadline = async (): Promise<void> => {
      while (performance.now() < scope.deadline) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const pool = {
      runHere() {
        if (isWarm) return undefined;
        throw new MissingState({ kind: 'slot', address: TARGET, slot: word(1) });
      },
      async runOnThread() {
        await pastDeadline();
        throw WAITED_TOO_LONG;
      },
    };
    const attempts = new CallAttempts({
      pool,
      source: { requests: { proven: createStateCache({ onFault }) } },
      chain: { select: () => false },
      collector: { collect: async () => new StateKeys() },
      missedTime: { note: () => undefined },
    } as unknown as CallAttemptsOptions);
    const run = createRun('call', { request, hinted: new StateKeys(), isHinted: false }, block, 30_000_000n);
    run.hereMs = Number.POSITIVE_INFINITY;
    const kind = isWarm ? 'busy' : 'timeout';
    await assert.rejects(
      async () => attempts.run(run, scope),
      (error) => error instanceof ChainError && error.kind === kind,
    );
  }
});
