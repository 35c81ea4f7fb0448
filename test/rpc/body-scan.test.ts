import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BodyScan,
  MAX_BLANKS,
  MAX_BODY_VALUES,
  MAX_NUMBER_LENGTH,
  type ScanProblem,
} from '../../src/rpc/body-scan.ts';
import { findRawId, findRawIds } from '../../src/rpc/raw-id.ts';

function scan(json: string, pieceBytes = 7, maxItems = 1_000): BodyScan {
  const found = new BodyScan(Buffer.from(json), maxItems);
  while (!found.run(pieceBytes));
  return found;
}
const problemOf = (json: string, maxItems?: number): ScanProblem | undefined =>
  scan(json, 1_000, maxItems).problem;
const check = (json: string): boolean => scan(json).problem === 'tooDeep';
const nest = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

test('nesting depth is counted, not brackets', () => {
  assert.equal(check(nest(64)), false);
  assert.equal(check(nest(65)), true);
  assert.equal(check(`[${Array(500).fill('{"a":[]}').join()}]`), false);
  assert.equal(check('{"a":'.repeat(65)), true);
});

test('brackets inside strings do not count, whatever escapes precede the quote', () => {
  const brackets = '['.repeat(100);
  for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `${brackets}\\`, `\\"${brackets}`]) {
    assert.equal(check(JSON.stringify([text, { [text]: 1 }])), false);
    assert.equal(check(nest(65, JSON.stringify(text))), true);
  }
});

test('an unterminated string is left to the parser', () => {
  assert.equal(check(`"${'['.repeat(100)}`), false);
});

test('elements, members and containers are counted at all depths, but not in strings', () => {
  const count = MAX_BODY_VALUES - 2;
  assert.equal(problemOf(`[[${Array(count).fill('1').join()}]]`), undefined);
  assert.equal(
    problemOf(
      `[[${Array(count + 1)
        .fill('1')
        .join()}]]`,
    ),
    undefined,
  );
  assert.equal(
    problemOf(
      `[[${Array(count + 2)
        .fill('1')
        .join()}]]`,
    ),
    'tooManyValues',
  );
  assert.equal(
    problemOf(
      `{"a":{${Array(count + 2)
        .fill('"k":1')
        .join()}}}`,
    ),
    'tooManyValues',
  );
  assert.equal(
    problemOf(
      `[${Array(MAX_BODY_VALUES / 2 + 1)
        .fill('{"a":[]}')
        .join()}]`,
      1e6,
    ),
    'tooManyValues',
  );
  assert.equal(problemOf(JSON.stringify([',[{'.repeat(MAX_BODY_VALUES)])), undefined);
});

test('only items of a batch count as items', () => {
  assert.equal(problemOf('[1,2,3]', 3), undefined);
  assert.equal(problemOf('[1,2,3,4]', 3), 'tooManyItems');
  assert.equal(problemOf(' [[1,2,3,4],{"a":1,"b":2,"c":3,"d":4},",,,,"]', 3), undefined);
  assert.equal(problemOf('{"a":1,"b":2,"c":3,"d":4}', 3), undefined);
});

test('numbers and runs of whitespace are bounded at any position, in pieces of any size', () => {
  const digits = '9'.repeat(MAX_NUMBER_LENGTH);
  const blanks = ' \n'.repeat(MAX_BLANKS / 2);
  const places: ((text: string) => string)[] = [
    (text) => text,
    (text) => `[${text}]`,
    (text) => `["",${text},{}]`,
    (text) => `{"id":${text},"a":1}`,
    (text) => `{"a":[{"b" :${text}}]}`,
  ];
  for (const place of places) {
    for (const piece of [1, 1_000, 1_000_000]) {
      const problem = (text: string): ScanProblem | undefined => scan(place(text), piece).problem;
      assert.equal(problem(`${digits}`), undefined);
      assert.equal(problem(`${digits}9`), 'longNumber');
      assert.equal(problem(digits.repeat(100)), 'longNumber');
      assert.equal(problem(blanks), undefined);
      assert.equal(problem(`${blanks} `), 'longBlanks');
      assert.equal(problem(`${blanks}  1`), 'longBlanks');
    }
  }
  const text = JSON.stringify([`${digits}9`, `${blanks} `, { [`${blanks} `]: `\\"${digits}9` }]);
  assert.equal(problemOf(text), undefined);
  assert.equal(problemOf(`{"id"${blanks}  :1}`), 'longBlanks');
});

const numberText = fc.constantFrom('0', '-1', '1.50', '1e400', '9007199254740993', '-0');
const idKey = fc.constantFrom('"id"', '"\\u0069d"', '"i\\u0064"', '"Id"', '"xid"');
const escapes = fc.string({ unit: fc.constantFrom('"', '\\', 'i', 'd', ':', ',', '{', '}', 'é', '💡') });
const request = fc
  .array(
    fc.oneof(
      fc.tuple(
        idKey,
        fc.oneof(
          numberText,
          escapes.map((text) => JSON.stringify(text)),
        ),
      ),
      fc.tuple(
        escapes.map((text) => JSON.stringify(text)),
        fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
      ),
    ),
    { maxLength: 5 },
  )
  .map((members) => `{ ${members.map(([key, value]) => `${key} :${value}`).join(' , ')}}`);

test('ids equal those found in the whole text, in pieces of any size', () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (requests, bytes) => {
        const batch = `[${requests.join(',')}]`;
        const expected = findRawIds(batch);
        const { rawIds, problem, members } = scan(batch, bytes);
        assert.equal(problem, undefined);
        assert.deepEqual(
          requests.map((_, i) => rawIds[i]),
          requests.map((_, i) => expected[i]),
        );
        assert.equal(members, scan(batch, 1_000_000).members);
        const [single = '{}'] = requests;
        assert.equal(scan(single, bytes).rawIds[0], findRawId(single));
      },
    ),
  );
});

test('bytes that are not JSON end the scan without an error, in pieces of any size', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('[]{},:"\\id1 \xff', 'latin1')), { maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 9 }), (body, piece) => {
      const found = new BodyScan(Buffer.from(body), 5);
      for (let rounds = 0; !found.run(piece); rounds++) assert.ok(rounds <= body.length);
    }),
  );
});
