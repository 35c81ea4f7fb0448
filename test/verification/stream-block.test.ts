/** Blocks of which the text outside of the transactions is large. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Findings } from '../../src/verification/findings.ts';
import { RlpWriter } from '../../src/verification/rlp-writer.ts';
import { BlockStream } from '../../src/verification/stream-block.ts';

const MEGABYTE = 1 << 20;

test('a block that is too large without its transactions is not the one, and is not held', () => {
  for (const begin of ['{"transactions":[{}],', '{"number":1,']) {
    const findings = new Findings();
    const stream = new BlockStream({
      hash: `0x${'11'.repeat(32)}`,
      tools: { findings, writer: new RlpWriter() },
      header: undefined,
      maxFacts: 1_000,
      verifySender: () => {},
      isEverySender: false,
    });
    const add = (text: string): void => stream.add(Buffer.from(text));
    add(begin);
    for (let i = 0; i < 6; i++) add(`"${i}":"${'x'.repeat(MEGABYTE)}",`);
    add('"transactions":[{}]}');
    const { block, header, facts } = stream.finish();
    assert.deepEqual([block, header, facts], [{}, undefined, undefined]);
    assert.deepEqual(
      findings.list.map(({ subject, kind, text }) => [subject, kind, text]),
      [['header', 'contradicts', 'the block is too large without its transactions']],
    );
  }
});
