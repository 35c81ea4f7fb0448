/** Lists read as text, whole or as they arrive, yield the same facts as parsed ones, and the same findings for any change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonBytes, SharedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { ListText } from '../../../packages/proofs/list-text.ts';
import { BlockStream, type StreamedBlock } from '../../../packages/proofs/stream-block.ts';
import { ReceiptStream } from '../../../packages/proofs/stream-receipts.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { verifyReceipts } from '../../../packages/proofs/verify-receipts.ts';
import type { VerifiedFacts } from '../../../packages/proofs/verify-transaction.ts';
import { keepUnique } from '../../../src/chains/upstream/keep-unique.ts';
import { countRuns } from '../../support/count-runs.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { changeAt, changeLeaf, listLeaves, type Path } from './liars.ts';
import { readSamples, verifySample } from './samples.ts';

const samples = (readSamples() ?? []).filter(
  ({ block, expected }) => expected.header.startsWith('OK') && Array.isArray(block['transactions']),
);
const skip = samples.length === 0 && SKIP_REASON;
const writer = new RlpWriter();
/** Number of leaves of a transaction, and of a receipt, that are changed per block, in each way. */
const LEAVES = 24;
const MAX_LENGTH = 250_000;

type Read = {
  readonly facts: readonly VerifiedFacts[] | undefined;
  readonly found: Findings['list'];
};

/** Equivalent of `verifySample` on the texts. */
function readTexts(blockText: string, receiptsText: string, isBytes: boolean): Read {
  const tools = { findings: new Findings(), writer };
  const answerOf = (text: string): string | JsonBytes =>
    isBytes ? new JsonBytes(new SharedBytes(new TextEncoder().encode(text))) : text;
  const block = ListText.parseBlock(answerOf(blockText)).block as Members;
  const header = verifyHeader(block, String(block['hash']), tools);
  if (header === undefined) return { facts: undefined, found: tools.findings.list };
  const known = verifyBody(block, header, tools);
  if (known === undefined) return { facts: undefined, found: tools.findings.list };
  const receipts = ListText.load(answerOf(receiptsText)) ?? JSON.parse(receiptsText);
  verifyReceipts(receipts, header, known, tools);
  return { facts: known.facts, found: tools.findings.list };
}

/** Piece sizes, repeated in turn: many and few transactions in one piece, and parts of one. */
const PIECES: readonly number[] = [20_000, 1, 700, 64_000, 3_000];

/** Equivalent of `verifySample` on texts that arrive in pieces. */
function readStreams(blockText: string, receiptsText: string, header: VerifiedHeader): Read {
  const tools = { findings: new Findings(), writer };
  const feed = (text: string, stream: { add(piece: Uint8Array): void }): void => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = PIECES[i % PIECES.length] as number;
      stream.add(bytes.subarray(at, at + size));
      at += size;
    }
  };
  const { hash } = header;
  // Requested where the sample has transactions before number, time or base fee, or may not hash the base fee.
  const options = { hash, tools, header: undefined, maxTransactions: 100_000, isEverySender: false };
  const blockStream = new BlockStream({ ...options, requestHeader: () => header, verifySender: () => {} });
  feed(blockText, blockStream);
  const { transactions } = blockStream.finish() as StreamedBlock;
  if (transactions === undefined) return { facts: undefined, found: tools.findings.list };
  const receiptStream = new ReceiptStream({ header, transactions }, tools);
  feed(receiptsText, receiptStream);
  receiptStream.finish();
  return { facts: transactions.facts, found: tools.findings.list };
}

function sortFindings({ facts, found }: Read): Read {
  return { facts, found: found.toSorted((a, b) => a.subject.localeCompare(b.subject)) };
}

function compare(block: Members, receipts: readonly Members[], where: string): number {
  const [blockText, receiptsText] = [JSON.stringify(block), JSON.stringify(receipts)];
  const { findings, header, facts } = verifySample(block, receipts);
  if (header === undefined || facts === undefined) return 0;
  const parsed = { facts, found: findings.list };
  assert.deepEqual(readTexts(blockText, receiptsText, true), parsed, where);
  const streamed = sortFindings(readStreams(blockText, receiptsText, header));
  // Other errors in the receipts are found before their number is compared.
  if (receipts.length !== facts.length)
    assert.ok(streamed.found.some(({ subject }) => subject === 'receipts'));
  else assert.deepEqual(streamed, sortFindings(parsed), `${where}, in pieces`);
  return facts.length;
}

test('text and bytes yield the same facts and findings as parsed blocks of many chains, with whitespace and without', {
  skip,
}, () => {
  let compared = 0;
  for (const { name, block, receipts = [] } of samples) {
    compared += compare(block, receipts, name);
    const { findings, facts, header } = verifySample(block, receipts);
    if (header === undefined || facts === undefined) continue;
    const spaced = readTexts(JSON.stringify(block, null, 2), JSON.stringify(receipts, null, '\t'), false);
    assert.deepEqual(spaced, { facts, found: findings.list }, name);
  }
  assert.ok(compared > 2_000, `${compared} transactions were compared`);
});

/** Values that nodes might put where others belong. */
const ODD_VALUES: readonly unknown[] = [
  null,
  undefined,
  '',
  '0x',
  '0x0',
  '0x00',
  '0x000000000000000000000000000000000000000000000000000000000000000001',
  '0X1',
  'é"\\',
  12,
  true,
  [],
  {},
];

test('any change in a transaction or a receipt yields the same findings as in the parsed block', {
  skip,
}, () => {
  let changed = 0;
  for (const { name, block, receipts = [] } of samples) {
    if (JSON.stringify(block).length + JSON.stringify(receipts).length > MAX_LENGTH) continue;
    const [transaction] = block['transactions'] as readonly unknown[];
    const [receipt] = receipts;
    const leaves: readonly { readonly isBlock: boolean; readonly path: Path }[] = [
      ...[...listLeaves(transaction, ['transactions', 0])].map(({ path }) => ({ isBlock: true, path })),
      ...(receipt === undefined ? [] : [...listLeaves(receipt, [0])]).map(({ path }) => ({
        isBlock: false,
        path,
      })),
    ];
    for (const [i, { isBlock, path }] of leaves.slice(0, LEAVES).entries()) {
      const odd = ODD_VALUES[i % ODD_VALUES.length];
      for (const change of [changeLeaf, (): unknown => odd]) {
        const where = `${name}: ${path.join('.')}`;
        if (isBlock) compare(changeAt(block, path, change), receipts, where);
        else compare(block, changeAt(receipts, path, change), where);
        changed++;
      }
    }
  }
  assert.ok(changed > 1_000, `${changed} changes`);
});

test('lists that are too short, too long or invalid yield the same findings as in the parsed block', {
  skip,
}, () => {
  const [sample] = samples.filter(({ receipts = [] }) => receipts.length > 2);
  const { block, receipts = [] } = sample as (typeof samples)[number];
  for (const list of [receipts.slice(1), receipts.slice(0, -1), [...receipts, receipts[0] as Members], []])
    compare(block, list, `${list.length} receipts of ${receipts.length}`);
  const transactions = block['transactions'] as readonly Members[];
  for (const list of [transactions.slice(1), [...transactions, transactions[0]], [1], ['0x'], [null], []])
    compare({ ...block, transactions: list }, receipts, `${list.length} transactions`);
});

/** Yields texts of an object with a duplicate of one name, another value first. */
function* repeatNames(value: Members): Generator<{ readonly name: string; readonly text: string }> {
  for (const name of Object.keys(value)) {
    const other = JSON.stringify(changeLeaf(value[name]));
    yield { name, text: `{${JSON.stringify(name)}:${other},${JSON.stringify(value).slice(1)}` };
  }
}

test('a text with a repeated name in an object is parsed, and forwarded without the first value', {
  skip,
}, () => {
  let repeated = 0;
  for (const { name: sample, block, receipts = [] } of samples) {
    const transactions = block['transactions'] as readonly Members[];
    if (transactions.length === 0 || transactions.length > 20) continue;
    const { header, facts, findings } = verifySample(block, receipts);
    if (header === undefined || facts === undefined) continue;
    const expected = { facts, found: findings.list };
    const textOf = (list: readonly unknown[], at: number, item: string): string =>
      `[${list.map((each, i) => (i === at ? item : JSON.stringify(each))).join()}]`;
    const blockTextOf = (list: string): string =>
      JSON.stringify({ ...block, transactions: 'list' }).replace('"list"', () => list);
    const compareText = (
      where: string,
      blockText: string,
      receiptsText: string,
      isOfBlock: boolean,
    ): void => {
      assert.deepEqual(readTexts(blockText, receiptsText, false), expected, where);
      const text = isOfBlock ? blockText : receiptsText;
      assert.equal(keepUnique(text), JSON.stringify(JSON.parse(text)), where);
      const tools = { findings: new Findings(), writer };
      const rightBlock = ListText.parseBlock(JSON.stringify(block)).block as Members;
      const known = isOfBlock ? undefined : verifyBody(rightBlock, header, tools);
      const list = isOfBlock
        ? (ListText.parseBlock(text).block as Members)['transactions']
        : ListText.load(text);
      if (list instanceof ListText) {
        if (known === undefined) verifyBody({ ...block, transactions: list }, header, tools);
        else verifyReceipts(list, header, known, tools);
        assert.ok(!list.isRead, where);
      }
      repeated++;
    };
    const receiptsText = JSON.stringify(receipts);
    for (const { name, text } of repeatNames(block))
      compareText(`${sample}: ${name}`, text, receiptsText, true);
    for (const { name, text } of repeatNames(transactions.at(-1) as Members))
      compareText(
        `${sample}: transaction: ${name}`,
        blockTextOf(textOf(transactions, transactions.length - 1, text)),
        receiptsText,
        true,
      );
    const at = receipts.findIndex(({ logs }) => Array.isArray(logs) && logs.length > 0);
    const receipt = receipts[at];
    if (receipt === undefined) continue;
    for (const { name, text } of repeatNames(receipt))
      compareText(`${sample}: receipt: ${name}`, JSON.stringify(block), textOf(receipts, at, text), false);
    const [log, ...logs] = receipt['logs'] as readonly Members[];
    for (const { name, text } of repeatNames(log as Members)) {
      const item = JSON.stringify({ ...receipt, logs: 'list' }).replace(
        '"list"',
        () => `[${[text, ...logs.map((each) => JSON.stringify(each))].join()}]`,
      );
      compareText(`${sample}: log: ${name}`, JSON.stringify(block), textOf(receipts, at, item), false);
    }
  }
  assert.ok(repeated > 1_000, `${repeated} names`);
});

test('parseBlock yields the value of JSON.parse for any block', () => {
  const names = fc.string().filter((name) => !['transactions', '__proto__'].includes(name));
  // Texts with escapes are parsed instead.
  const text = fc.oneof(
    { arbitrary: fc.stringMatching(/^[\][{},:x]{0,70}$/), weight: 50 },
    { arbitrary: fc.stringMatching(/^["\\\]}x]{0,70}$/), weight: 1 },
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.constantFrom(null, true, false),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const members = fc.dictionary(names, value, { maxKeys: 3 });
  fc.assert(
    fc.property(members, fc.array(value), members, fc.boolean(), (before, list, after, isSpaced) => {
      const block = JSON.stringify({ ...before, transactions: list, ...after }, null, isSpaced ? 1 : 0);
      const read = ListText.parseBlock(block).block as Members;
      const { transactions } = read;
      if (!block.includes('\\'))
        assert.ok(transactions instanceof ListText, 'it has no escapes, and is parsed');
      const whole = transactions instanceof ListText ? transactions.parse() : transactions;
      assert.deepEqual({ ...read, transactions: whole }, JSON.parse(block));
    }),
    { numRuns: countRuns(1_000) },
  );
});
