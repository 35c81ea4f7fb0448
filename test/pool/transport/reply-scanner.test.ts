import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { MAX_DEPTH } from '../../../src/pool/transport/answer-shape.ts';
import { ReplyScanner, type ScannedMember } from '../../../src/pool/transport/reply-scanner.ts';
import { countRuns } from '../../support/count-runs.ts';

type Scan = {
  readonly id: string | undefined;
  readonly result: string | undefined;
  readonly error: string | undefined;
};

/** Scan of one response in chunks; undefined when the scanner refuses it. */
function scan(chunks: readonly Buffer[]): Scan | undefined {
  const scanner = new ReplyScanner();
  try {
    for (const [i, chunk] of chunks.entries()) {
      const at = scanner.push(chunk);
      if (!scanner.isDone) {
        assert.equal(at, chunk.length);
        continue;
      }
      const rest = Buffer.concat([chunk.subarray(at), ...chunks.slice(i + 1)]);
      if (!/^[ \t\n\r]*$/.test(rest.toString('latin1'))) return undefined;
      const bytes = Buffer.concat(chunks);
      const read = (member: ScannedMember | undefined): string | undefined =>
        member && bytes.toString('utf8', member.start, member.end ?? assert.fail('a member without an end'));
      return { id: scanner.id, result: read(scanner.result), error: read(scanner.error) };
    }
  } catch (error) {
    assert.ok(error instanceof UpstreamFault);
    assert.equal(error.kind, 'malformed');
  }
  return undefined;
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, i) => Buffer.from(bytes.subarray(places[i], to)));
}

const everyByte = (bytes: Buffer): Buffer[] => Array.from(bytes, (byte) => Buffer.from([byte]));

const IMPORTANT = ['id', 'result', 'error'];
const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 2 });
/** JSON texts with escapes, odd numbers, lone surrogates and white space where it is allowed. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; string: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '-0', '-1.5e+10', '1E5', '12.25', '0e-7'),
    tie('string'),
    fc.integer().map(String),
    fc
      .array(fc.tuple(blank, tie('value'), blank), { maxLength: 4 })
      .map((list) => `[${list.map((parts) => parts.join('')).join(',')}]`),
    fc.json(),
  ),
  string: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 10 }).map((text) => JSON.stringify(text)),
    fc.string({ maxLength: 10 }).map((text) => `"${escapeAll(text)}"`),
    fc.constantFrom('"\\ud800"', '"\\u00e9\\/\\b"', '"é€😀"', '"\\"\\\\"', '""'),
  ),
})).value;

function escapeAll(text: string): string {
  return Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}

const key = fc.oneof(
  fc.constantFrom('id', 'result', 'error', 'jsonrpc', 'i', 'ids', 'resul', 'results', '', 'x'.repeat(64)),
  fc.string(),
);
/** Text behind a value that is long enough to be scanned in WebAssembly. */
const LONG = `,"${'x'.repeat(300)}"`;
const member = fc
  .tuple(
    key,
    fc.boolean(),
    fc.oneof(
      jsonText,
      jsonText.map((value) => `[${value}${LONG}]`),
    ),
    blank,
    blank,
  )
  .map(([name, escaped, value, before, after]) => ({
    name,
    value,
    text: `${before}${escaped ? `"${escapeAll(name)}"` : JSON.stringify(name)}${after}:${before}${value}${after}`,
  }));
const answer = fc
  .uniqueArray(member, { selector: (entry) => entry.name, maxLength: 7 })
  .map((members) => ({ members, bytes: Buffer.from(`{${members.map((entry) => entry.text).join(',')}}`) }));

function isJson(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

/** Reference check by JSON.parse alone: an object without duplicates of the important members. */
function isAnswer(bytes: Buffer): boolean {
  if (!isJson(bytes) || !/^[ \t\n\r]*\{/.test(bytes.toString('latin1'))) return false;
  const names = readTopLevelNames(bytes.toString());
  return IMPORTANT.every((name) => names.filter((other) => other === name).length < 2);
}

/** Keys of the outermost object, repeated ones too. */
function readTopLevelNames(json: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const token of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs)) {
    const text = token[0];
    if (text === '{' || text === '[') depth++;
    else if (text === '}' || text === ']') depth--;
    else if (depth === 1 && token[1] !== undefined) names.push(JSON.parse(text.slice(0, -token[1].length)));
  }
  return names;
}

test('the scanner finds the members of any answer, at any chunk boundary', () => {
  fc.assert(
    fc.property(answer, fc.array(fc.nat(), { maxLength: 5 }), ({ members, bytes }, cuts) => {
      JSON.parse(bytes.toString());
      const find = (name: string): string | undefined => members.find((entry) => entry.name === name)?.value;
      const expected = { id: find('id')?.slice(0, 65), result: find('result'), error: find('error') };
      if (expected.id !== undefined)
        expected.id = Buffer.from(find('id') ?? '')
          .toString('latin1')
          .slice(0, 65);
      assert.deepEqual(scan([bytes]), expected);
      assert.deepEqual(scan(cut(bytes, cuts)), expected);
      assert.deepEqual(scan(everyByte(bytes)), expected);
    }),
    { numRuns: countRuns(500) },
  );
});

test('the scanner accepts exactly what JSON.parse accepts, after bytes are changed, inserted, removed or cut off', () => {
  const bytes = fc.oneof(
    fc.nat(255),
    fc.constantFrom(...Buffer.from(' \t\n\r"\\/{}[]:,-+.0123456789abcdefEntrusl\u001f\u007f')),
  );
  const kind = fc.constantFrom('change', 'insert', 'remove', 'truncate');
  const mutations = fc.array(fc.tuple(kind, fc.nat(), bytes), { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(
      answer,
      mutations,
      fc.array(fc.nat(), { maxLength: 3 }),
      ({ bytes: original }, list, cuts) => {
        let changed = original;
        for (const [kind, place, byte] of list) {
          const at = place % (changed.length + 1);
          const before = changed.subarray(0, at);
          if (kind === 'truncate') changed = before;
          else if (kind === 'remove') changed = Buffer.concat([before, changed.subarray(at + 1)]);
          else {
            const skipped = kind === 'change' ? 1 : 0;
            changed = Buffer.concat([before, Buffer.from([byte]), changed.subarray(at + skipped)]);
          }
        }
        assert.equal(scan(cut(changed, cuts)) !== undefined, isAnswer(changed), changed.toString('latin1'));
      },
    ),
    { numRuns: countRuns(3_000) },
  );
});

test('the scanner treats every byte at every position of a small answer like JSON.parse', () => {
  const text = '{"id":1,"result":[-1.5e+2,"\\u00e9é€😀",true,false,null,{"a":0}';
  const short = Buffer.from(`${text}]}`);
  compareChanged(short, short.length);
  compareChanged(Buffer.from(`${text}${LONG}]}`), Buffer.byteLength(text));
});

/** Replaces each of the first `count` bytes by every other value. */
function compareChanged(original: Buffer, count: number): void {
  for (let at = 0; at < count; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const changed = Buffer.from(original);
      changed[at] = byte;
      assert.equal(scan([changed]) !== undefined, isAnswer(changed), `byte ${byte} at ${at}`);
    }
    assert.equal(scan([original.subarray(0, at)]), undefined, `cut at ${at}`);
  }
}

test('the scanner treats every sequence of one to four bytes above ASCII like the UTF-8 decoder', () => {
  const high = fc.oneof(
    fc.integer({ min: 0x80, max: 0xff }),
    fc.constantFrom(0xe0, 0xed, 0xf0, 0xf4, 0xc1, 0xf5),
  );
  const edge = fc.oneof(high, fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0));
  fc.assert(
    fc.property(fc.array(edge, { minLength: 1, maxLength: 4 }), (sequence) => {
      const bytes = Buffer.concat([Buffer.from('{"result":"'), Buffer.from(sequence), Buffer.from('"}')]);
      assert.equal(scan([bytes]) !== undefined, isUtf8(bytes));
      assert.equal(scan(everyByte(bytes)) !== undefined, isUtf8(bytes));
      const long = Buffer.concat([
        Buffer.from('{"result":["'),
        Buffer.from(sequence),
        Buffer.from(`"${LONG}]}`),
      ]);
      assert.equal(scan([long]) !== undefined, isUtf8(long));
    }),
    { numRuns: countRuns(5_000) },
  );
});

test('the scanner rejects a duplicate id, result or error, but no other duplicate member', () => {
  for (const name of IMPORTANT) {
    assert.equal(scan([Buffer.from(`{"${name}":1,"${name}":1}`)]), undefined);
    assert.equal(scan([Buffer.from(`{"${name}":1,"${escapeAll(name)}":1}`)]), undefined);
  }
  const expected = { id: undefined, result: '{"id":1,"id":2}', error: undefined };
  assert.deepEqual(scan([Buffer.from('{"x":1,"x":2,"result":{"id":1,"id":2}}')]), expected);
});

test('the scanner reports that a result has begun while the rest is outstanding', () => {
  const scanner = new ReplyScanner();
  scanner.push(Buffer.from('{"id":7,"result":["0x'));
  assert.equal(scanner.id, '7');
  assert.deepEqual(scanner.result, { start: 17, end: undefined, isNull: false, values: 4 });
  scanner.push(Buffer.from('00"]'));
  assert.deepEqual(scanner.result, { start: 17, end: 25, isNull: false, values: 2 });
  assert.equal(scanner.isDone, false);
  scanner.push(Buffer.from(',"error":null}'));
  assert.equal(scanner.isDone, true);
  assert.deepEqual(scanner.error, { start: 34, end: 38, isNull: true, values: 1 });
});

test('the scanner stops behind the object, so that a list of answers can be read one by one', () => {
  const list = Buffer.from('[{"id":1,"result":2},{"id":2,"result":"x"}]');
  const first = new ReplyScanner();
  assert.equal(first.push(list, 1), 20);
  const second = new ReplyScanner();
  assert.equal(second.push(list, 21), 42);
  assert.equal(second.id, '2');
  assert.deepEqual(second.result, { start: 38, end: 41, isNull: false, values: 1 });
});

test('the scanner reads a long answer alike at any chunk boundary and any depth', () => {
  const nest = (depth: number): string =>
    `${'[{"a":'.repeat(depth)}"${'x'.repeat(40)}"${',"b":[0]},-1]'.repeat(depth)}`;
  const result = JSON.stringify([0, 10, 15, 16, 40].map((depth) => JSON.parse(nest(depth))));
  const long = `[${Array.from({ length: 60 }, () => result).join()}]`;
  const bytes = Buffer.from(`{"id":7,"result":${long},"jsonrpc":"2.0"}`);
  assert.ok(bytes.length > 100_000);
  const expected = { id: '7', result: long, error: undefined };
  assert.deepEqual(scan([bytes]), expected);
  for (const size of [255, 256, 1_000, 65_535, 65_536, 65_537]) {
    const cuts = Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => (i + 1) * size);
    assert.deepEqual(scan(cut(bytes, cuts)), expected, `pieces of ${size}`);
  }
  for (const [place, other] of [
    ['-1]', ','],
    ['[0]', '}'],
    ['xx', '\u0001'],
    ['xx', '"'],
    ['xx', '\u007f'],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed.write(other, bytes.lastIndexOf(place));
    assert.equal(scan([changed]) !== undefined, isAnswer(changed), `${other} in place of ${place}`);
  }
});

test('the scanner bounds the nesting depth', () => {
  const nest = (levels: number): Buffer =>
    Buffer.from(`{"result":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  const isExcessive = (error: unknown): boolean =>
    error instanceof UpstreamFault && error.kind === 'excessive';
  assert.ok(scan([nest(MAX_DEPTH - 1)]));
  assert.throws(() => new ReplyScanner().push(nest(MAX_DEPTH)), isExcessive);
  const objects = Buffer.from(`{"result":${'{"a":'.repeat(100_000)}`);
  assert.throws(() => new ReplyScanner().push(objects), isExcessive);
});
