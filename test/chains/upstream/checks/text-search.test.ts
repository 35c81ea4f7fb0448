import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TextSearch } from '../../../../src/chains/upstream/checks/text-search.ts';
import { makeHash, ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { countRuns } from '../../../support/count-runs.ts';

const NUMBER = 3;
/** More hashes than one search looks for at a time. */
const COUNT = 70;
const chain = new ScriptedChain({ length: 5, transactions: () => COUNT });
const block = chain.block(NUMBER);
const { hash, transactionHashes } = block;
const RECEIPTS = chain.receipts(NUMBER);
const WHOLE_BLOCK = JSON.stringify({
  ...chain.blockObject(NUMBER),
  transactions: transactionHashes.map((_, index) => chain.transactionObject(NUMBER, index)),
});
const HASHED_BLOCK = JSON.stringify(chain.blockObject(NUMBER));
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;

type Found = {
  readonly hasAll: boolean;
  readonly receipts: number;
  readonly hasOwn: boolean;
  readonly hasOther: boolean;
};

/** Reference implementation that searches the whole text. */
function searchPlainly(kind: 'receipts' | 'block', text: string): Found {
  let from = 0;
  const hasAll = transactionHashes.every((sought) => {
    const at = text.indexOf(sought, from);
    from = at + sought.length;
    return at >= 0;
  });
  if (kind === 'block') {
    const hasOwn = new RegExp(`"hash"\\s*:\\s*"${hash}"`, 'i').test(text);
    return { hasAll, receipts: 0, hasOwn, hasOther: false };
  }
  const named = [...text.matchAll(/"blockHash"\s*:\s*"(0x[0-9a-fA-F]{64})"/g)].map(([, digits]) =>
    digits?.toLowerCase(),
  );
  return {
    hasAll,
    receipts: text.split('"cumulativeGasUsed"').length - 1,
    hasOwn: named.includes(hash),
    hasOther: named.some((one) => one !== hash),
  };
}

function searchPieces(kind: 'receipts' | 'block', pieces: readonly Uint8Array[]): Found {
  const search = new TextSearch(kind, block);
  for (const piece of pieces) search.add(piece);
  const { hasAll, receipts, hasOwn, hasOther } = search;
  return { hasAll, receipts, hasOwn, hasOther: kind === 'receipts' && hasOther };
}

function cut(text: string, borders: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const ascending = [...borders].map((border) => border % bytes.length).sort((a, b) => a - b);
  return [0, ...ascending].map((from, i) => bytes.subarray(from, ascending[i] ?? bytes.length));
}

const anyWord = fc.constantFrom(
  ...[hash, hash.toUpperCase(), `0x${hash.slice(2).toUpperCase()}`, makeHash(9, 9, 9), hash.slice(0, -1)],
  ...[`${hash}0`, transactionHashes[0], transactionHashes[1], transactionHashes[69], transactionHashes[63]],
  ...[
    'blockHash',
    'cumulativeGasUsed',
    'hash',
    'HASH',
    'Hash',
    'x',
    '0',
    'kHash',
    'Gas',
    'é',
    '\\"blockHash',
  ],
  ...['\\"hash', 'blockHash\\"', '\\"cumulativeGasUsed', 'cumulativeGasUse', 'blockhash', '\\\\', ''],
  ...[`${transactionHashes[0]}${transactionHashes[1]?.slice(1)}`, `0${transactionHashes[0]}`],
);

type Change = { readonly at: number; readonly kind: string; readonly word: string; readonly blanks: number };

const anyChange: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'remove', 'repeat', 'blank', 'name'),
  word: anyWord.map((word) => `"${word}"`),
  blanks: fc.oneof(fc.nat(3), fc.nat(300)),
});

/** Changes tokens of a text so that its strings stay valid JSON. */
function change(text: string, changes: readonly Change[]): string {
  const tokens = [...(text.match(TOKENS) ?? [])] as string[];
  for (const { at, kind, word, blanks } of changes) {
    const strings = [...tokens.keys()].filter((i) => tokens[i]?.trimStart().startsWith('"') === true);
    const place = strings[at % strings.length] ?? 0;
    const token = tokens[place] as string;
    if (kind === 'replace') tokens[place] = word;
    else if (kind === 'remove') tokens.splice(place, 1);
    else if (kind === 'repeat') tokens.splice(place, 0, token, ',');
    else if (kind === 'name') tokens.splice(place, 0, word, ':');
    else tokens.splice(place + (at % 2), 0, ' \n\t\r'.repeat(blanks).slice(0, blanks));
  }
  return tokens.join('');
}

const anyChanges = fc.array(anyChange, { maxLength: 6 });
const anyBorders = fc.array(fc.nat(), { maxLength: 60 });

describe('TextSearch', () => {
  for (const [kind, texts] of [
    ['receipts', [RECEIPTS]],
    ['block', [WHOLE_BLOCK, HASHED_BLOCK]],
  ] as const) {
    it(`${kind}: finds in chunks what it finds in the whole text`, () => {
      assert.equal(searchPieces(kind, [Buffer.from(texts[0])]).hasAll, true);
      fc.assert(
        fc.property(fc.constantFrom(...texts), anyChanges, anyBorders, (text, changes, borders) => {
          const changed = change(text, changes);
          assert.deepEqual(searchPieces(kind, cut(changed, borders)), searchPlainly(kind, changed));
        }),
        { numRuns: countRuns(2_000) },
      );
    });

    it(`${kind}: finds the same in single bytes, and divided at any position`, () => {
      for (const spaces of [0, 1, 200]) {
        const text = texts[0].replaceAll(':', `${' '.repeat(spaces)}:${' '.repeat(spaces)}`).slice(0, 4_000);
        const plain = searchPlainly(kind, text);
        const bytes = Buffer.from(text);
        assert.deepEqual(
          searchPieces(
            kind,
            [...bytes].map((byte) => Uint8Array.of(byte)),
          ),
          plain,
        );
        for (let at = 0; at < bytes.length; at++) {
          assert.deepEqual(searchPieces(kind, [bytes.subarray(0, at), bytes.subarray(at)]), plain);
        }
      }
    });
  }

  it('accepts chunks that are longer than its buffer', () => {
    const text = RECEIPTS.replaceAll(',', `,${' '.repeat(3_000)}`);
    assert.ok(text.length > 1_000_000);
    assert.deepEqual(searchPieces('receipts', [Buffer.from(text)]), searchPlainly('receipts', text));
  });

  it('detects another block', () => {
    const other = RECEIPTS.replace(`"blockHash":"${hash}"`, `"blockHash" : "${makeHash(9, 9, 9)}"`);
    assert.equal(searchPieces('receipts', [Buffer.from(other)]).hasOther, true);
    assert.equal(searchPieces('receipts', [Buffer.from(RECEIPTS)]).hasOther, false);
  });
});
