import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import {
  BLANK_HEADER,
  encodeHeader,
  type Header,
  hashHeader,
} from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { checkRawHeader, checkRawReceipts } from '../../../../src/chains/upstream/checks/check-raw.ts';
import type { ReportedBlock } from '../../../../src/pool/heads/block.ts';
import { createStream, readAll } from '../../../pool/support/scripted-stream.ts';

const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;
const PARTS = ['block', 'header'] as const;

const header: Header = {
  ...BLANK_HEADER,
  number: 3n,
  timestamp: 100n,
  parentHash: new Uint8Array(32).fill(7),
};

/** The block as the block directory stores it. */
const describeBlock = (of: Header, hash = bytesToHex(hashHeader(of))): ReportedBlock => ({
  number: of.number,
  hash,
  parentHash: bytesToHex(of.parentHash),
  timestamp: of.timestamp,
  gasLimit: of.gasLimit,
  baseFeePerGas: of.baseFeePerGas,
  extraData: bytesToHex(of.extraData),
  difficulty: of.difficulty,
  transactionHashes: [],
  uncleHashes: [],
  logsBloom: undefined,
  blockAccessListHash: undefined,
});

const encode = (of: Header, part: (typeof PARTS)[number]): string => {
  const bytes =
    part === 'header' ? encodeHeader(of) : encodeBlock({ header: of, transactions: [], uncles: [] });
  return `"${bytesToHex(bytes)}"`;
};

/** Checks a text as a whole and cut into chunks, and returns the outcome. */
async function forAllCuts(
  check: (result: JsonResult) => JsonResult,
  text: string,
  classify: (run: () => Promise<string>) => Promise<void>,
): Promise<void> {
  await classify(async () => readAll(check(text)));
  for (const pieceBytes of [1, 100, 10_000]) {
    await classify(async () => readAll(check(createStream(text, { pieceBytes }))));
  }
}

describe('checkRawHeader', () => {
  it('accepts data that begins with the header of the block', async () => {
    for (const part of PARTS) {
      const text = encode(header, part);
      await forAllCuts(checkRawHeader(describeBlock(header), part), text, async (run) =>
        assert.equal(await run(), text),
      );
    }
  });

  it('refuses any other header, and invalid data', async () => {
    for (const part of PARTS) {
      const check = checkRawHeader(describeBlock(header), part);
      const others = [encode({ ...header, gasUsed: 1n }, part), `${encode(header, part).slice(0, 100)}"`];
      others.push(`"0xf90200zz${'00'.repeat(600)}"`);
      for (const text of [...others, '"0x"', '"0xc0"', '"0x80"', '"0xff"', '{}', 'null', '7']) {
        await forAllCuts(check, text, (run) => assert.rejects(run(), WRONG));
      }
    }
  });

  it('gives up on a header without an end', async () => {
    const check = checkRawHeader(describeBlock(header), 'header');
    const text = `"0xfb7fffffff${'00'.repeat(100_000)}"`;
    await forAllCuts(check, text, (run) => assert.rejects(run(), WRONG));
  });

  it('compares the fields if the hash may omit seals', async () => {
    const sealed = { ...header, extraData: new Uint8Array(200).fill(1) };
    const hash = `0x${'5e'.repeat(32)}`;
    const block = describeBlock(sealed, hash);
    for (const part of PARTS) {
      const check = checkRawHeader(block, part);
      const text = encode(sealed, part);
      await forAllCuts(check, text, async (run) => assert.equal(await run(), text));
      const others: readonly Partial<Header>[] = [
        { extraData: new Uint8Array(200).fill(2) },
        { timestamp: 101n },
        { parentHash: new Uint8Array(32) },
      ];
      for (const other of others) {
        await forAllCuts(check, encode({ ...sealed, ...other }, part), (run) => assert.rejects(run(), WRONG));
      }
    }
    const plain = checkRawHeader(describeBlock(header, hash), 'header');
    assert.throws(() => plain(encode(header, 'header')), WRONG);
  });
});

describe('checkRawReceipts', () => {
  const hashes = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
  const check = checkRawReceipts({ ...describeBlock(header), transactionHashes: hashes });

  it('requires as many receipts as the block has transactions', async () => {
    const text = '["0xc0","0x02c0"]';
    await forAllCuts(check, text, async (run) => assert.equal(await run(), text));
    for (const lie of ['[]', '["0xc0"]', '["0xc0","0xc0","0xc0"]', '"0xc0"', '{"a":"b"}', 'null']) {
      await forAllCuts(check, lie, (run) => assert.rejects(run(), WRONG));
    }
  });
});
