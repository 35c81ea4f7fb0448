import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_TOOL_ANSWER_BYTES, writeBounded } from '../../src/mcp/bounded-text.ts';

type Cut = { readonly cut?: readonly string[]; readonly [name: string]: unknown };

function cutOf(answer: Readonly<Record<string, unknown>>): Cut {
  const text = writeBounded(answer, 'ask for less');
  assert.ok(Buffer.byteLength(text) <= MAX_TOOL_ANSWER_BYTES, `${Buffer.byteLength(text)} bytes`);
  return JSON.parse(text) as Cut;
}

test('an answer within the bound is not changed', () => {
  const rest = JSON.stringify({ text: '', list: [] }).length;
  const answer = { text: 'x'.repeat(MAX_TOOL_ANSWER_BYTES - rest), list: [] };
  assert.ok(writeBounded(answer, '') === JSON.stringify(answer));
  assert.ok(cutOf({ ...answer, text: `${answer.text}x` }).cut !== undefined);
});

test('long lists and texts are cut, and the note says where, and how to request less', () => {
  const rows = Array.from({ length: 5_000 }, (_, i) => ({ i, data: '0x12' }));
  const { rows: shown, note, cut } = cutOf({ note: 'kept', rows });
  assert.equal(note, 'kept');
  assert.deepEqual(shown, rows.slice(0, (shown as unknown[]).length));
  assert.ok((shown as unknown[]).length >= 200);
  assert.equal(cut?.[1], `rows: ${(shown as unknown[]).length} of 5000 shown`);
  assert.equal(cut?.at(-1), 'ask for less');
  const text = cutOf({ code: 'ab'.repeat(50_000) });
  assert.match(String(text.cut?.[1]), /^code: 8192 of 100000 characters shown$/);
});

test('characters of several bytes, nested lists, many cuts and wide objects stay within the bound', () => {
  cutOf({ text: '💥'.repeat(30_000) });
  const nested = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 'y'.repeat(100)));
  assert.ok((cutOf({ nested }).cut?.length ?? 0) <= 12);
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`name${i}`, i]));
  assert.match(String(cutOf(wide).cut?.[0]), /none of it is shown/);
});
