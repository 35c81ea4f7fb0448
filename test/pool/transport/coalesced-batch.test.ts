import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeReply } from '../../../src/pool/node-call.ts';
import { type BatchHost, CoalescedBatch } from '../../../src/pool/transport/coalesced-batch.ts';
import { SingleCall } from '../../../src/pool/transport/coalesced-call.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';

test('a batch whose calls are all cancelled while one is sent separately ends once', () => {
  const client = new CancelSource();
  const faults: UpstreamFault[] = [];
  let ends = 0;
  let endAlone = (_fault: UpstreamFault): void => {};
  const host: BatchHost = {
    now: () => 0,
    sendSeparately(call, _onReply, onFault = (fault) => fault) {
      endAlone = (fault) => call.reject(onFault(fault));
    },
    noteDone: () => assert.fail('it was not answered'),
    noteRefused: () => assert.fail('nothing was answered alone'),
    forget: () => ends++,
  };
  const calls = ['a', 'b'].map(
    (method) =>
      new SingleCall(
        { method, params: '[]' },
        { deadline: 1_000, signal: client },
        {
          resolve: () => assert.fail('nothing was answered'),
          reject: (fault) => faults.push(fault),
        },
      ),
  );
  const batch = new CoalescedBatch(calls, { callers: 1, apart: undefined }, 100, host);
  batch.fail(new UpstreamFault('rateLimited', 'scripted'));
  client.abort();
  endAlone(new UpstreamFault('aborted', 'scripted'));
  assert.deepEqual(
    faults.map(({ kind }) => kind),
    ['aborted', 'aborted'],
  );
  assert.equal(ends, 1);
});

test('a call that is cancelled while it is sent separately does not end the other calls', () => {
  const [leaving, staying] = [new CancelSource(), new CancelSource()];
  const requested: string[] = [];
  let settleAlone: (outcome: NodeReply | UpstreamFault) => void = () => {};
  const host: BatchHost = {
    now: () => 0,
    sendSeparately(call, onReply, onFault = (fault) => fault) {
      requested.push(call.call.method);
      settleAlone = (outcome) => {
        if (outcome instanceof UpstreamFault) call.reject(onFault(outcome));
        else {
          onReply(outcome);
          call.resolve(outcome);
        }
      };
    },
    noteDone: () => assert.fail('it was not answered'),
    noteRefused: () => {},
    forget: () => {},
  };
  const outcomes: Record<string, string> = {};
  const create = (method: string, signal: CancelSource): SingleCall =>
    new SingleCall(
      { method, params: '[]' },
      { deadline: 1_000, signal },
      {
        resolve: () => {
          outcomes[method] = 'result';
        },
        reject: ({ kind }) => {
          outcomes[method] = kind;
        },
      },
    );
  const calls = [create('a', leaving), create('b', staying), create('c', staying)];
  const batch = new CoalescedBatch(calls, { callers: 2, apart: undefined }, 100, host);
  batch.fail(new UpstreamFault('rateLimited', 'scripted'));
  leaving.abort();
  settleAlone(new UpstreamFault('aborted', 'scripted'));
  assert.deepEqual([requested, outcomes], [['a', 'b'], { a: 'aborted' }]);
  settleAlone({ kind: 'result', result: '1' });
  assert.deepEqual(requested, ['a', 'b', 'c']);
  settleAlone({ kind: 'result', result: '1' });
  assert.deepEqual(outcomes, { a: 'aborted', b: 'result', c: 'result' });
});
