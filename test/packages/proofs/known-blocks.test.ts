/** A repeated block whose header and transactions are known is checked by its text, with the same outcome as when all of it is parsed and recomputed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { HEADER_FORMS } from '../../../packages/proofs/header-forms.ts';
import type { KnownTransactions } from '../../../packages/proofs/known-transactions.ts';
import { ListText } from '../../../packages/proofs/list-text.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import { hasRepeatedNames } from '../../../packages/proofs/repeated-names.ts';
import {
  type VerifiedHeader,
  verifyBody,
  verifyHeader,
  verifyListed,
} from '../../../packages/proofs/verify-block.ts';
import { STRIDE } from '../../support/count-runs.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { changeAt, changeLeaf, listLeaves, type Path } from './liars.ts';
import { readSamples } from './samples.ts';

const samples = (readSamples() ?? []).filter(
  ({ block, expected }) => expected.header.startsWith('OK') && Array.isArray(block['transactions']),
);
const skip = samples.length === 0 && SKIP_REASON;
const writer = new RlpWriter();
const MAX_LENGTH = 25_000;
/** Number of members of transactions and of the header that are changed, in each way. */
const LEAVES = 24;

type Known = { readonly header: VerifiedHeader; readonly transactions: KnownTransactions };
type Judged = { readonly found: Findings['list']; readonly facts: unknown };

function check(block: unknown, told: VerifiedHeader | undefined, known: Known, isFull: boolean): Judged {
  const tools = { findings: new Findings(), writer };
  const members = isMembers(block) ? block : {};
  const header = told ?? verifyHeader(members, known.header.hash, tools);
  if (header !== undefined) assert.deepEqual(header, known.header);
  const read =
    header === undefined || !isFull
      ? undefined
      : verifyBody(
          members,
          header,
          tools,
          members['transactions'] instanceof ListText ? known.transactions : undefined,
        );
  if (header !== undefined && !isFull) verifyListed(members, known.transactions, tools);
  return { found: tools.findings.list, facts: read?.facts };
}

/** @returns whether the header was found in the text */
function compare(text: string, known: Known, isFull: boolean, where: string): boolean {
  const parsed: unknown = JSON.parse(text);
  const { block, header } = ListText.parseBlock(text, known.header);
  assert.deepEqual(check(block, header, known, isFull), check(parsed, undefined, known, isFull), where);
  const { transactions } = block as Members;
  const passes = transactions instanceof ListText && transactions.isRead;
  if (passes) assert.ok(!hasRepeatedNames(text, parsed), where);
  return header !== undefined;
}

function know(block: Members): Known | undefined {
  const tools = { findings: new Findings(), writer };
  const header = verifyHeader(block, String(block['hash']), tools);
  const read = ListText.parseBlock(JSON.stringify(block)).block as Members;
  const transactions = header && verifyBody(read, header, tools);
  return transactions && { header: header as VerifiedHeader, transactions };
}

const listHashes = (block: Members): Members => ({
  ...block,
  transactions: (block['transactions'] as readonly Members[]).map(({ hash }) => hash),
});

/** Members of later forks and of other chains, and an unknown one. */
const FURTHER: readonly string[] = [
  ...new Set([
    ...HEADER_FORMS.flatMap(({ fields }) => fields.map(({ member }) => member)),
    'further',
    'hash',
  ]),
];
const ODD_VALUES: readonly unknown[] = [
  ...[null, '', '0x', '0x0', '0x00', '0x01', '0X1', 'é"\\', 12, -1, true, [], {}, ['0x'], { a: 1 }],
];

function* changeBlock(block: Members): Generator<{ readonly where: string; readonly text: string }> {
  const paths: readonly Path[] = [...listLeaves(block)].map(({ path }) => path);
  const ofTransactions = paths.filter(([name]) => name === 'transactions').slice(0, LEAVES);
  for (const path of [...paths.filter(([name]) => name !== 'transactions'), ...ofTransactions]) {
    const where = path.join('.');
    yield { where, text: JSON.stringify(changeAt(block, path, changeLeaf)) };
    yield { where: `${where}, absent`, text: JSON.stringify(changeAt(block, path, () => undefined)) };
  }
  for (const name of new Set([...Object.keys(block), ...FURTHER])) {
    for (const odd of ODD_VALUES)
      yield { where: `${name}: ${JSON.stringify(odd)}`, text: JSON.stringify({ ...block, [name]: odd }) };
    for (const inside of ['{"a":1,"a":2}', '[{"a":1,"a":2}]'])
      yield {
        where: `${name}: a name twice inside`,
        text: JSON.stringify({ ...block, [name]: 'inside' }).replace('"inside"', () => inside),
      };
    const other = JSON.stringify(changeLeaf(block[name] ?? '0x1'));
    yield {
      where: `${name}, twice`,
      text: `{${JSON.stringify(name)}:${other},${JSON.stringify(block).slice(1)}`,
    };
  }
  const { withdrawals, transactions } = block;
  for (const [name, list] of Object.entries({ withdrawals, transactions })) {
    if (!Array.isArray(list) || list.length === 0) continue;
    for (const changed of [list.slice(1), list.toReversed(), [...list, list[0]]])
      yield { where: `${name}, other items`, text: JSON.stringify({ ...block, [name]: changed }) };
    const [first, ...rest] = list.map((item: unknown) => JSON.stringify(item));
    if (first?.startsWith('{') !== true) continue;
    const twice = `[${[`{"address":"0x",${first.slice(1)}`, ...rest].join()}]`;
    yield {
      where: `${name}, a name twice`,
      text: JSON.stringify({ ...block, [name]: 'list' }).replace('"list"', () => twice),
    };
  }
}

test('cached blocks of many chains are recognized by their text, with whitespace and without', {
  skip,
}, () => {
  let found = 0;
  let usual = 0;
  for (const { name, block } of samples) {
    const known = know(block);
    if (known?.transactions.rows === undefined) continue;
    const listed = listHashes(block);
    for (const text of [JSON.stringify(block), JSON.stringify(block, null, 1)])
      compare(text, known, true, name);
    found += Number(compare(JSON.stringify(listed), known, false, name));
    usual += Number(compare(JSON.stringify(listed, null, 1), known, false, name));
  }
  assert.ok(found > 20, `${found} were found`);
  assert.ok(usual > 5, `${usual} with blanks`);
});

test('a changed copy of a cached block has the same findings as in a full verification', { skip }, () => {
  let place = 0;
  let changed = 0;
  let confirmed = 0;
  for (const { name, block } of samples) {
    if (JSON.stringify(block).length > MAX_LENGTH) continue;
    const known = know(block);
    if (known?.transactions.rows === undefined) continue;
    for (const [provided, isFull] of [
      [block, true],
      [listHashes(block), false],
    ] as const)
      for (const { where, text } of changeBlock(provided)) {
        if (place++ % STRIDE !== 0) continue;
        confirmed += Number(compare(text, known, isFull, `${name}: ${where}`));
        changed++;
      }
  }
  assert.ok(changed > 5_000 / STRIDE, `${changed} changes`);
  assert.ok(confirmed > 500 / STRIDE, `of ${confirmed} the header was found`);
});
