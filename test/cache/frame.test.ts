import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundFrameBytes, decodeFrame, encodeFrame } from '../../src/cache/frame.ts';

const ROOM = 1_000_000;
const NAME = '0xab 1:eth_call:[{"to":"0x01"}]';
const SHORT = '"0x1234"';
const LONG = `[${'{"blockHash":"0xabcdef"},'.repeat(200)}1]`;

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc.tuple(fc.string(), fc.nat(500)).map(([text, count]) => text.repeat(count)),
);

test('decodeFrame returns the encoded answer, and the frame is within the size bound', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyText, async (name, answer) => {
      const frame = await encodeFrame(name, answer);
      assert.ok(frame.length <= boundFrameBytes(name.length + answer.length));
      assert.equal(await decodeFrame(frame, name, ROOM), answer);
    }),
  );
});

test('a frame decodes only under its own name', async () => {
  const frame = await encodeFrame('ab', 'cd');
  for (const name of ['', 'a', 'ac', 'abc', 'abcd', 'abcde']) {
    assert.equal(await decodeFrame(frame, name, ROOM), undefined, name);
  }
});

for (const [kind, answer] of [
  ['plain', SHORT],
  ['deflated', LONG],
] as const) {
  test(`${kind}: any changed byte is detected`, async () => {
    const frame = await encodeFrame(NAME, answer);
    for (let i = 0; i < frame.length; i++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(frame);
        changed[i] = (changed[i] as number) ^ flip;
        assert.equal(await decodeFrame(changed, NAME, ROOM), undefined, `byte ${i}`);
      }
    }
  });

  test(`${kind}: truncated and extended frames are refused`, async () => {
    const frame = await encodeFrame(NAME, answer);
    for (let end = 0; end < frame.length; end++) {
      assert.equal(await decodeFrame(frame.subarray(0, end), NAME, ROOM), undefined, `cut at ${end}`);
    }
    assert.equal(await decodeFrame(Buffer.concat([frame, Buffer.of(0)]), NAME, ROOM), undefined);
  });
}

test('long answers are compressed', async () => {
  assert.ok((await encodeFrame(NAME, LONG)).length < LONG.length / 4);
});

test('decompresses no more than the size limit', async () => {
  const bomb = await encodeFrame(NAME, 'x'.repeat(ROOM));
  assert.ok(bomb.length < 20_000);
  assert.equal(await decodeFrame(bomb, NAME, ROOM), undefined);
  const short = await encodeFrame(NAME, SHORT);
  assert.equal(await decodeFrame(short, NAME, NAME.length), undefined);
});

test('arbitrary bytes are not decoded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      assert.equal(await decodeFrame(Buffer.from(bytes), '', ROOM), undefined);
    }),
  );
});
