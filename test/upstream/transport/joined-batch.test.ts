import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamFault } from '../../../src/upstream/fault.ts';
import { type BatchHost, JoinedBatch } from '../../../src/upstream/transport/joined-batch.ts';
import { SingleCall } from '../../../src/upstream/transport/joined-call.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';

test('a batch of which all calls go while one is asked alone ends once', () => {
  const client = new CancelSource();
  const faults: UpstreamFault[] = [];
  let ends = 0;
  let endAlone = (_fault: UpstreamFault): void => {};
  const host: BatchHost = {
    now: () => 0,
    askAlone(call, _onReply, onFault = (fault) => fault) {
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
  const batch = new JoinedBatch(calls, { callers: 1, apart: undefined }, 100, host);
  batch.fail(new UpstreamFault('rateLimited', 'scripted'));
  client.abort();
  endAlone(new UpstreamFault('aborted', 'scripted'));
  assert.deepEqual(
    faults.map(({ kind }) => kind),
    ['aborted', 'aborted'],
  );
  assert.equal(ends, 1);
});
