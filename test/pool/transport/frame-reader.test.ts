/** Short messages are read a few at a time, so that a flood ends with the first message over the limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameReader, type FrameSink } from '../../../src/pool/transport/frame-reader.ts';

const MESSAGES = 1_000;
const MESSAGES_AT_ONCE = 16;
const PAYLOAD = Buffer.from('{"id":0}');
const FRAME = Buffer.concat([Buffer.of(0x81, PAYLOAD.length), PAYLOAD]);
const FLOOD = Buffer.concat(Array.from({ length: MESSAGES }, () => FRAME));

class CountingSink implements FrameSink {
  ended = 0;
  takePayload(): void {}
  beginFrame(): boolean {
    return false;
  }
  endMessage(): void {
    this.ended++;
  }
  takeControl(): void {}
}

test('the reader is at most a few messages ahead of the WebSocket library', () => {
  for (const cut of [1, 7, FRAME.length, 4_000, FLOOD.length]) {
    const sink = new CountingSink();
    const reader = new FrameReader(sink);
    const passed: Buffer[] = [];
    let passedBytes = 0;
    for (let at = 0; at < FLOOD.length; at += cut) {
      reader.push(FLOOD.subarray(at, at + cut), (bytes) => {
        passed.push(Buffer.from(bytes));
        passedBytes += bytes.length;
        assert.ok(sink.ended - Math.floor(passedBytes / FRAME.length) < MESSAGES_AT_ONCE);
      });
    }
    assert.deepEqual(Buffer.concat(passed), FLOOD, `in pieces of ${cut} bytes`);
    assert.equal(sink.ended, MESSAGES);
  }
});

test('an error of the consumer ends the reading of received frames', () => {
  const sink = new CountingSink();
  const fault = new Error('too many');
  const read = (): void =>
    new FrameReader(sink).push(FLOOD, () => {
      throw fault;
    });
  assert.throws(read, fault);
  assert.equal(sink.ended, MESSAGES_AT_ONCE);
});
