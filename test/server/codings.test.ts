/** Content codings: values that are compressed once are joined with other bytes, and other decoders read the result. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import { BROTLI } from '../../src/server/codings/brotli.ts';
import { acceptsCoding, chooseCoding } from '../../src/server/codings/choose-coding.ts';
import type { Coding } from '../../src/server/codings/coding.ts';
import { GZIP } from '../../src/server/codings/gzip.ts';
import { ZSTD } from '../../src/server/codings/zstd.ts';

type Decode = (bytes: Uint8Array) => Buffer;
const { zstdDecompressSync } = zlib as unknown as { readonly zstdDecompressSync?: Decode };

/** Codings of this runtime, each with Node's decoder and other decoders: a command and its arguments. */
const CODINGS: readonly (readonly [Coding, Decode, readonly (readonly [string, readonly string[]])[]])[] = [
  [
    GZIP,
    zlib.gunzipSync,
    [
      ['gzip', ['-dc']],
      ['python3', ['-c', PYTHON('zlib.decompressobj(31)')]],
    ],
  ],
  [BROTLI, zlib.brotliDecompressSync, [['brotli', ['-dc']]]],
  ...(ZSTD === undefined || zstdDecompressSync === undefined
    ? []
    : [[ZSTD, zstdDecompressSync, [['zstd', ['-dcq']]]] as const]),
];

/** Returns a program that decodes stdin as exactly one compressed object. */
function PYTHON(decoder: string): string {
  return `import sys,zlib;d=${decoder};o=d.decompress(sys.stdin.buffer.read())+d.flush();assert d.eof and not d.unused_data;sys.stdout.buffer.write(o)`;
}

async function join(
  coding: Coding,
  head: Uint8Array,
  value: Uint8Array,
  tail: Uint8Array,
): Promise<Buffer | undefined> {
  const packed = await coding.pack(value);
  assert.equal(packed.coding, coding.name);
  assert.equal(packed.length, value.length);
  const parts = coding.join(new JsonBytes(new SharedBytes(value), head, tail), packed);
  return parts && Buffer.concat(parts);
}

const LISTED = Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, (_, i) => `0x${i.toString(16)}`)));

for (const [coding, decode, decoders] of CODINGS) {
  test(`${coding.name}: a joined answer decodes to head, value and tail`, async () => {
    const part = fc.uint8Array({ maxLength: 300 });
    const value = fc.oneof(
      part,
      fc
        .tuple(part, fc.nat(400))
        .map(([bytes, times]) => Buffer.concat(Array(times).fill(Buffer.from(bytes)))),
    );
    await fc.assert(
      fc.asyncProperty(part, value, part, async (head, bytes, tail) => {
        const joined = (await join(coding, head, bytes, tail)) as Buffer;
        assert.ok(decode(joined).equals(Buffer.concat([head, bytes, tail])));
      }),
    );
  });

  test(`${coding.name}: words of the coding's dictionary decode behind any head`, async () => {
    const words = Buffer.from(
      '<!DOCTYPE html> the time of the language, which is used in the United States '.repeat(50),
    );
    for (const length of [0, 1, 31, 4_096, 65_535]) {
      const head = Buffer.alloc(length, 'h');
      const joined = (await join(coding, head, words, Buffer.from('}'))) as Buffer;
      assert.ok(decode(joined).equals(Buffer.concat([head, words, Buffer.from('}')])), String(length));
    }
  });

  test(`${coding.name}: a head that exceeds an uncompressed block is not joined`, async () => {
    const longest = new Uint8Array(65_535);
    const none = new Uint8Array(0);
    assert.equal(decode((await join(coding, longest, none, longest)) as Buffer).length, 131_070);
    assert.equal(await join(coding, new Uint8Array(65_536), none, none), undefined);
  });

  test(`${coding.name}: other decoders read a joined answer as one object`, async (t) => {
    const joined = await join(coding, Buffer.from('{"id":1,"result":'), LISTED, Buffer.from('}'));
    for (const [command, parameters] of decoders) {
      const { error, stdout, stderr } = spawnSync(command, parameters, { input: joined, maxBuffer: 1e8 });
      if (error !== undefined) t.diagnostic(`${command} is not there`);
      else {
        assert.equal(stderr.toString(), '');
        assert.equal(stdout.toString(), `{"id":1,"result":${LISTED}}`, command);
      }
    }
  });

  test(`${coding.name}: texts and streams decode, and each piece of a stream is emitted at once`, async () => {
    assert.ok(decode(await coding.compress(LISTED.toString())).equals(LISTED));
    const stream = coding.createStream();
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    for (const at of [0, 20_000]) {
      const before = pieces.length;
      stream.write(LISTED.subarray(at, at + 20_000));
      while (pieces.length === before) await new Promise((resolve) => setImmediate(resolve));
    }
    const ended = new Promise((resolve) => stream.once('end', resolve));
    stream.end(LISTED.subarray(40_000));
    await ended;
    assert.ok(decode(Buffer.concat(pieces)).equals(LISTED));
  });
}

test('the coding with the highest quality is chosen, and among equal ones the preferred coding of the server', () => {
  const best = ZSTD === undefined ? 'br' : 'zstd';
  for (const [header, name] of [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q = 0.000', undefined],
    ['gzip;q=0, *', undefined],
    ['*, gzip;q=0', undefined],
    ['*;q=0', undefined],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', best],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.6', 'br'],
    ['zstd', ZSTD === undefined ? undefined : 'zstd'],
    ['gzip;q=bad', 'gzip'],
  ] as const)
    assert.equal(chooseCoding(header)?.name, name, header);
});

test('a coding is accepted as the header names it, or as its wildcard does', () => {
  for (const [header, isAccepted] of [
    [undefined, false],
    ['br', false],
    ['br, gzip', true],
    ['br, gzip;q=0', false],
    ['br, *', true],
    ['br, *;q=0', false],
  ] as const)
    assert.equal(acceptsCoding(header, GZIP), isAccepted, header);
});
