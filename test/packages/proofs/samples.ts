import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { ETHEREUM_FORM } from '../../../packages/proofs/header-forms.ts';
import { KnownTransactions } from '../../../packages/proofs/known-transactions.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { verifyReceipts } from '../../../packages/proofs/verify-receipts.ts';
import type { VerifiedFacts, VerifyTools } from '../../../packages/proofs/verify-transaction.ts';
import { findVectors } from '../../support/vectors.ts';

/** A recorded block; receipts are complete where they were recorded. */
export type Sample = {
  readonly family: string;
  readonly name: string;
  readonly block: Members;
  readonly receipts: readonly Members[] | undefined;
  /** Result in the index for header, transactions, receipts and withdrawals: `OK`, `OK (18)`, `FAIL`, `-`, `n/a`. */
  readonly expected: Readonly<Record<'header' | 'transactions' | 'receipts' | 'withdrawals', string>>;
};

/** Reads the samples; undefined where they are not installed. */
export function readSamples(): readonly Sample[] | undefined {
  const folder = findVectors('chain-samples');
  return folder === undefined
    ? undefined
    : readdirSync(folder).flatMap((family) => readFamily(folder, family));
}

function readFamily(folder: string, family: string): readonly Sample[] {
  if (family.includes('.')) return [];
  return readdirSync(join(folder, family)).flatMap((name) => {
    const at = join(folder, family, name);
    const row = findRow(folder, family, name);
    if (row === undefined || !existsSync(join(at, 'block.json'))) return [];
    const block = readJson(join(at, 'block.json')) as Members;
    const receiptsFile = join(at, 'receipts.json');
    const receipts = existsSync(receiptsFile) ? (readJson(receiptsFile) as readonly Members[]) : undefined;
    const [header = '', transactions = '', receiptsRoot = '', withdrawals = ''] = [
      row[7],
      row[9],
      row[10],
      row[13],
    ];
    return [
      {
        family,
        name,
        block,
        receipts,
        expected: { header, transactions, receipts: receiptsRoot, withdrawals },
      },
    ];
  });
}

/** Cells: set, family, sample, number, era, transactions, types, header, its form, three roots and bloom, uncles, withdrawals. */
function findRow(folder: string, family: string, name: string): readonly string[] | undefined {
  const lines = readFileSync(join(folder, 'INDEX.md'), 'utf8').split('\n');
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find((cells) => cells[1] === family && cells[2] === name);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export type Verified = {
  readonly findings: Findings;
  readonly header: VerifiedHeader | undefined;
  readonly facts: readonly VerifiedFacts[] | undefined;
};

/** Verifies everything that is comparable in a block and its receipts. */
export function verifySample(block: Members, receipts: readonly Members[] | undefined): Verified {
  const tools: VerifyTools = { findings: new Findings(), writer: new RlpWriter() };
  const hash = String(block['hash']);
  const header = verifyHeader(block, hash, tools);
  const facts = Array.isArray(block['transactions'])
    ? verifyBody(block, header ?? describe(block), tools)?.facts
    : undefined;
  if (receipts !== undefined) {
    const known = KnownTransactions.of(facts ?? receipts.map(tellFacts));
    verifyReceipts(receipts, header ?? describe(block), known, tools);
  }
  return { findings: tools.findings, header, facts };
}

/** Takes a block's own members for comparisons below a header that does not recompute. */
function describe(block: Members): VerifiedHeader {
  const { hash, number, timestamp, baseFeePerGas, stateRoot, receiptsRoot } = block;
  return {
    form: ETHEREUM_FORM,
    hash: String(hash).toLowerCase(),
    number: BigInt(String(number ?? 0)),
    timestamp: BigInt(String(timestamp ?? 0)),
    baseFeePerGas: baseFeePerGas == null ? undefined : BigInt(String(baseFeePerGas)),
    stateRoot: String(stateRoot),
    receiptsRoot: String(receiptsRoot),
    parentHash: '',
    unclesHash: '',
    logsBloom: '',
    accessListHash: undefined,
  };
}

/** Takes the facts of transactions from their receipts, where the sample lacks the transactions. */
function tellFacts({ transactionHash, type, from, to, blobGasUsed }: Members): VerifiedFacts {
  return {
    hash: String(transactionHash),
    type: Number(type ?? 0),
    from: String(from),
    to: typeof to === 'string' ? to : null,
    nonce: undefined,
    gasPrice: undefined,
    blobs: blobGasUsed == null ? 0 : Number(blobGasUsed) / 131_072,
  };
}
