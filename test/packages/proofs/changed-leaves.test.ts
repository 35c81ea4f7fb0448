import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { verifySender } from '../../../packages/proofs/verify-transaction.ts';
import { recoverPublicKey } from '../../../scripts/chains/secp256k1.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples, type Sample, verifySample } from './samples.ts';

/**
 * Members that no root covers and that do not follow from covered ones, or not here: sizes and total difficulties, additions of rollups and
 * of single clients. docs/upstreams.md has the same list.
 */
const UNCOVERED: ReadonlySet<string> = new Set([
  'block.size',
  'block.totalDifficulty',
  'block.author',
  'block.l1BlockNumber',
  'block.sendCount',
  'block.sendRoot',
  'block.blockExtraData',
  'block.timestampMillis',
  'block.auraSeal',
  'block.sealFields',
  'block.signature',
  'block.step',
  'transaction.creates',
  'transaction.condition',
  'transaction.publicKey',
  'transaction.raw',
  'transaction.standardV',
  'transaction.queueOrigin',
  'transaction.l1TxOrigin',
  'transaction.l1BlockNumber',
  'transaction.l1Timestamp',
  'transaction.index',
  'transaction.queueIndex',
  'transaction.rawTransaction',
  'transaction.depositReceiptVersion',
  'transaction.authority',
  'receipt.l1Fee',
  'receipt.l1FeeScalar',
  'receipt.l1GasPrice',
  'receipt.l1GasUsed',
  'receipt.feeToken',
  'receipt.feePayer',
  'receipt.blobGasPrice',
  'log.transactionLogIndex',
  'log.type',
]);
/** Transactions and receipts per block whose leaves are changed. */
const ITEMS = 3;
/** Fee members that are uncovered where the header does not hash the base fee. */
const FEES: ReadonlySet<string> = new Set([
  'block.baseFeePerGas',
  'transaction.gasPrice',
  'receipt.effectiveGasPrice',
]);
const WITHOUT_BASE_FEE = 'bittensor-testnet-6646068';
const MAX_BLOCKS_BYTES = 200_000;

const samples = (readSamples() ?? []).filter(({ expected, block, receipts }) => {
  const told = [expected.header, expected.transactions];
  const isWhole = told.every((cell) => cell.startsWith('OK')) && Array.isArray(block['transactions']);
  const size = JSON.stringify(block).length + JSON.stringify(receipts ?? []).length;
  return isWhole && size < MAX_BLOCKS_BYTES && /^(OK|-)/.test(expected.receipts);
});
const skip = samples.length === 0 && SKIP_REASON;

type Path = readonly (string | number)[];
type Change = { readonly at: string; readonly path: Path; readonly change: (value: unknown) => unknown };

/** Yields every leaf of a value, with its path. */
function* listLeaves(value: unknown, path: Path): Generator<{ path: Path; value: unknown }> {
  if (typeof value !== 'object' || value === null) yield { path, value };
  else for (const [key, item] of Object.entries(value)) yield* listLeaves(item, [...path, key]);
}

/** Returns another value of the same kind. */
function changeLeaf(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (value === null) return `0x${'0'.repeat(39)}1`;
  const text = String(value);
  if (text === '0x') return '0x01';
  const last = text.at(-1)?.toLowerCase();
  return `${text.slice(0, -1)}${last === '1' ? '2' : '1'}`;
}

function changeAt<T>(root: T, [key, ...rest]: Path, change: (value: unknown) => unknown): T {
  if (key === undefined) return change(root) as T;
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string | number, unknown>;
  copy[key] = changeAt(copy[key], rest, change);
  return copy as T;
}

function* listChanges(root: Members | readonly Members[], kind: string, path: Path): Generator<Change> {
  for (const leaf of listLeaves(root, path)) {
    const names = leaf.path.filter((key) => Number.isNaN(Number(key)));
    const at = `${names.includes('logs') ? 'log' : kind}.${names.at(-1)}`;
    if (!UNCOVERED.has(at)) yield { at, path: leaf.path, change: changeLeaf };
  }
}

function isFound(block: Members, receipts: readonly Members[] | undefined, transaction?: Members): boolean {
  const { findings } = verifySample(block, receipts);
  if (findings.list.length > 0) return true;
  if (transaction === undefined) return false;
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  verifySender(transaction, tools, recoverPublicKey);
  return tools.findings.list.length > 0;
}

test('each changed leaf of headers and withdrawals is found', { skip }, () => {
  let changes = 0;
  for (const { name, block } of samples) {
    const { transactions, ...header } = block;
    for (const { at, path, change } of listChanges(header, 'block', [])) {
      if (name === WITHOUT_BASE_FEE && FEES.has(at)) continue;
      assert.ok(isFound({ ...changeAt(header, path, change), transactions }, undefined), `${name}: ${at}`);
      changes++;
    }
  }
  assert.ok(changes > 700, `${changes} changes`);
});

test('each changed leaf of transactions is found', { skip }, () => {
  let changes = 0;
  for (const { name, block } of samples) {
    for (const index of chooseItems(block['transactions'] as readonly Members[])) {
      const transactions = block['transactions'] as readonly Members[];
      const transaction = transactions[index] as Members;
      for (const { at, path, change } of listChanges(transaction, 'transaction', [])) {
        const changed = changeAt(transaction, path, change);
        const list = transactions.with(index, changed);
        if (isUnsigned(transaction) && at === 'transaction.from') continue;
        if (isToldOtherwise(transaction, at) || (name === WITHOUT_BASE_FEE && FEES.has(at))) continue;
        assert.ok(isFound({ ...block, transactions: list }, undefined, changed), `${name} ${index}: ${at}`);
        changes++;
      }
    }
  }
  assert.ok(changes > 1_000, `${changes} changes`);
});

test('each changed leaf of receipts is found', { skip }, () => {
  let changes = 0;
  for (const { name, block, receipts, expected } of samples) {
    if (receipts === undefined || !expected.receipts.startsWith('OK')) continue;
    for (const index of chooseItems(receipts)) {
      for (const { at, path, change } of listChanges(receipts[index] as Members, 'receipt', [])) {
        const { root, status } = receipts[index] as Members;
        // The receipts root covers only the state root before Byzantium, and only the status since.
        const isUnhashed = String(root).length === 66 ? at === 'receipt.status' : at === 'receipt.root';
        if (isUnhashed && status !== undefined) continue;
        const transaction = (block['transactions'] as readonly Members[])[index] as Members;
        if (at === 'receipt.from' && isUnsigned(transaction)) continue;
        if (name === WITHOUT_BASE_FEE && FEES.has(at)) continue;
        const changed = changeAt(receipts[index] as Members, path, change);
        assert.ok(isFound(block, receipts.with(index, changed)), `${name} ${index}: ${at}`);
        changes++;
      }
    }
  }
  assert.ok(changes > 700, `${changes} changes`);
});

test('missing, repeated, reordered and foreign items are found', { skip }, () => {
  let changes = 0;
  for (const [position, { name, block, receipts }] of samples.entries()) {
    const other = samples[(position + 1) % samples.length] as Sample;
    const lists = { transactions: block['transactions'] as readonly Members[], receipts };
    for (const [kind, list] of Object.entries(lists)) {
      if (list === undefined || list.length === 0) continue;
      const rest = list.slice(1);
      const alien = other.block[kind] ?? other.receipts;
      const variants = [
        rest,
        [...list, list[0] as Members],
        Array.isArray(alien) && alien.length > 0 ? alien : rest,
      ];
      if (list.length > 1) variants.push([list[1] as Members, list[0] as Members, ...list.slice(2)]);
      for (const [variant, changed] of variants.entries()) {
        const found =
          kind === 'transactions'
            ? isFound({ ...block, transactions: changed }, undefined)
            : isFound(block, changed);
        assert.ok(found, `${name}: ${kind}, variant ${variant}`);
        changes++;
      }
    }
    for (const field of ['stateRoot', 'number', 'extraData', 'logsBloom']) {
      const { [field]: _, ...cut } = block;
      assert.ok(isFound(cut, undefined), `${name} without ${field}`);
      assert.ok(
        isFound(
          { ...block, [field]: other.block[field] === block[field] ? '0x1234' : other.block[field] },
          undefined,
        ),
      );
      changes += 2;
    }
  }
  assert.ok(changes > 200, `${changes} changes`);
});

/** Chooses the first items, and one of each further type. */
function chooseItems(items: readonly Members[]): readonly number[] {
  const types = new Set<unknown>();
  return items.flatMap(({ type }, index) => {
    const isNew = !types.has(type);
    types.add(type);
    return index < ITEMS || isNew ? [index] : [];
  });
}

/** Whether a transaction has no signature, or a type that does not hash the sender. */
function isUnsigned({ r, s, type }: Members): boolean {
  return type === '0x6a' || (BigInt(String(r ?? '0x1')) === 0n && BigInt(String(s ?? '0x1')) === 0n);
}

/** Whether a member is shown without being hashed: signatures, prices and nonces of rollup types. */
function isToldOtherwise({ type, chainId }: Members, at: string): boolean {
  // Unprotected (EIP-155): nothing commits to the chain that it was signed for.
  if (at === 'transaction.chainId' && chainId == null) return true;
  const shown = ['v', 'r', 's', 'nonce', 'gasPrice', 'gas', 'value', 'to', 'from', 'chainId'];
  if (type === '0x7e')
    return ['v', 'r', 's', 'nonce', 'gasPrice'].some((name) => at === `transaction.${name}`);
  return type === '0x6a' && shown.slice(0, 8).some((name) => at === `transaction.${name}`);
}
