import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkData, checkQuantity } from '../../../../src/chains/upstream/checks/check-values.ts';
import { createStream, readAll } from '../../../pool/support/scripted-stream.ts';

const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;

describe('checkData', () => {
  it('accepts hex data of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = `"0x${Buffer.from(bytes).toString('hex')}"`;
        return checkData(text) === text;
      }),
    );
    const long = `"0x${'ab'.repeat(4_000_000)}"`;
    assert.equal(checkData(long), long);
    const mixed = ` "0x${'aB'.repeat(4_000_000)}"\n`;
    assert.equal(checkData(mixed), mixed);
  });

  it('refuses anything else', () => {
    for (const text of ['""', '"0x0"', '"abcd"', '"0xzz"', '{}', '[]', '7', 'true', '"0x12" ,']) {
      assert.throws(() => checkData(text), WRONG, text);
    }
    const digits = 'ab'.repeat(40_000);
    for (const text of [
      `"0x${digits}a"`,
      `"0x${digits}zz"`,
      `"0x${digits}\u212a"`,
      `"0x${digits}"" `,
      `"0X${digits}"`,
      `"${digits}"`,
      `["0x${digits}"]`,
      `"0x${digits}`,
    ])
      assert.throws(() => checkData(text), WRONG, text.slice(-10));
  });
});

describe('checkData of a stream', () => {
  const bordersOf = (text: string) => fc.array(fc.integer({ min: 1, max: text.length }), { maxLength: 6 });
  const passThrough = async (text: string, borders: readonly number[]): Promise<string> =>
    readAll(checkData(createStream(text, { borders })));

  it('passes hex data on, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .uint8Array({ maxLength: 40 })
          .map((bytes) => `"0x${Buffer.from(bytes).toString('hex')}"`)
          .chain((text) => fc.tuple(fc.constant(text), bordersOf(text))),
        async ([text, borders]) => assert.equal(await passThrough(text, borders), text),
      ),
    );
  });

  it('ends anything else before its last chunk, and cancels the source', async () => {
    const digits = 'ab'.repeat(20);
    const wrong = fc.constantFrom(
      `"0x${digits}a"`,
      `"0x${digits}zz"`,
      `"0x${digits}`,
      `"${digits}"`,
      `"0X${digits}"`,
      `"0x${digits}""`,
      `"0x${digits}" `,
      `"0x${digits}"${digits}`,
      `["0x${digits}"]`,
      `{"a":"0x${digits}"}`,
      '""',
      '"0',
      '7',
    );
    await fc.assert(
      fc.asyncProperty(
        wrong.chain((text) => fc.tuple(fc.constant(text), bordersOf(text))),
        async ([text, borders]) => {
          const source = createStream(text, { borders });
          const taken: Uint8Array[] = [];
          const checked = checkData(source);
          assert.ok(typeof checked !== 'string');
          await assert.rejects(async () => {
            for await (const piece of checked.pieces) taken.push(piece);
          }, WRONG);
          assert.ok(Buffer.concat(taken).length < text.length);
          assert.equal(source.isCancelled, true);
        },
      ),
    );
  });
});

describe('checkQuantity', () => {
  it('refuses a stream, and cancels it', () => {
    const source = createStream(`"0x${'1'.repeat(100)}"`);
    assert.throws(() => checkQuantity(source), WRONG);
    assert.equal(source.isCancelled, true);
  });

  it('accepts quantities', () => {
    for (const text of ['"0x0"', '"0x5208"', `"0x${'f'.repeat(64)}"`]) {
      assert.equal(checkQuantity(text), text);
    }
  });

  it('returns quantities in normal form', () => {
    const forms: readonly (readonly [said: string, normal: string])[] = [
      ['"0x0000000000006050"', '"0x6050"'],
      ['"0x04"', '"0x4"'],
      ['"0x00"', '"0x0"'],
      [`"0x${'0'.repeat(70)}"`, '"0x0"'],
      [`"0x${'0'.repeat(1_000)}${'f'.repeat(64)}"`, `"0x${'f'.repeat(64)}"`],
      ['"0X1F"', '"0x1f"'],
      ['"0xFF"', '"0xff"'],
      [' "0x1" \n', '"0x1"'],
      ['21000', '"0x5208"'],
      ['0', '"0x0"'],
    ];
    for (const [said, normal] of forms) assert.equal(checkQuantity(said), normal);
  });

  it('refuses anything else', () => {
    for (const text of [
      ...['"0x"', '"21000"', '-1', '1.5', '1e3', '007', '9007199254740993', 'null', '{}', '["0x1"]'],
      `"0x${'f'.repeat(65)}"`,
      `"0x${'0'.repeat(5_000)}1"`,
    ]) {
      assert.throws(() => checkQuantity(text), WRONG, text);
    }
  });
});
