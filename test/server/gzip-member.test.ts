import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { deflateRawSync, gunzipSync, constants as zlibConstants } from 'node:zlib';
import fc from 'fast-check';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import { describePacked, encodeMember } from '../../src/server/gzip-member.ts';

function zip(head: Uint8Array, value: Uint8Array, tail: Uint8Array): Buffer | undefined {
  const blocks = deflateRawSync(value, { level: 1, finishFlush: zlibConstants.Z_SYNC_FLUSH });
  const parts = encodeMember(
    new JsonBytes(new SharedBytes(value), head, tail),
    describePacked(value, blocks),
  );
  return parts && Buffer.concat(parts);
}

test('an encoded member decompresses to head, value and tail', () => {
  const part = fc.uint8Array({ maxLength: 300 });
  const value = fc.oneof(
    part,
    fc.tuple(part, fc.nat(400)).map(([bytes, times]) => Buffer.concat(Array(times).fill(Buffer.from(bytes)))),
  );
  fc.assert(
    fc.property(part, value, part, (head, bytes, tail) => {
      assert.ok(gunzipSync(zip(head, bytes, tail) as Buffer).equals(Buffer.concat([head, bytes, tail])));
    }),
  );
});

test('a head that exceeds a stored block is not encoded', () => {
  const longest = new Uint8Array(65_535);
  const none = new Uint8Array(0);
  assert.equal(gunzipSync(zip(longest, none, longest) as Buffer).length, 131_070);
  assert.equal(zip(new Uint8Array(65_536), none, none), undefined);
});

test('gzip and zlib read the output as one member', (t) => {
  const value = Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, (_, i) => `0x${i.toString(16)}`)));
  const zipped = zip(Buffer.from('{"id":1,"result":'), value, Buffer.from('}')) as Buffer;
  const expected = `{"id":1,"result":${value}}`;
  const program =
    'import sys,zlib;d=zlib.decompressobj(31);o=d.decompress(sys.stdin.buffer.read())+d.flush();assert d.eof and not d.unused_data;sys.stdout.buffer.write(o)';
  for (const [command, parameters] of [
    ['gzip', ['-dc']],
    ['python3', ['-c', program]],
  ] as const) {
    const { error, stdout, stderr } = spawnSync(command, parameters, { input: zipped, maxBuffer: 1e8 });
    if (error !== undefined) t.diagnostic(`${command} is not there`);
    else {
      assert.equal(stderr.toString(), '');
      assert.equal(stdout.toString(), expected, command);
    }
  }
});
