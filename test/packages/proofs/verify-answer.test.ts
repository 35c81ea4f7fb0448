/** The functions of the package, on answers of the embedded chain, and on answers with one member changed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { textOf } from '../../../packages/ethereum/primitives/json-result.ts';
import {
  type AnswerVerdict,
  verifyBlockAnswer,
  verifyCodeAnswer,
  verifyReceiptsAnswer,
  verifyStateAnswer,
  verifyUnclesAnswer,
} from '../../../packages/proofs/verify-answer.ts';
import { ROOT } from '../../../scripts/program-files.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../../support/embedded.ts';

type Members = Readonly<Record<string, unknown>>;
type Block = Members & {
  readonly hash: string;
  readonly transactions: readonly Members[];
  readonly uncles: string[];
};

const TOKEN = '0xcabe9823112d187ea24d56be8e47ae75ed52a842';

function assertRefuted({ isVerified, findings }: AnswerVerdict, subject: string): void {
  assert.equal(isVerified, false);
  assert.deepEqual(
    findings.map((finding) => [finding.subject, finding.kind]),
    [[subject, 'contradicts']],
  );
}

describe('answers of the development chain', () => {
  let embedded: EmbeddedChain;
  let chain: Chain;
  const blocks: Block[] = [];
  const scope = new RequestScope(performance.now() + 600_000);
  const at = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
  const parse = <T>(answer: unknown): T => JSON.parse(textOf(answer as string)) as T;

  before(async () => {
    const folder = join(ROOT, 'chains/devnet');
    embedded = await importEmbeddedChain(join(folder, 'genesis.json'), join(folder, 'blocks.rlp.gz'));
    chain = embedded.chain;
    for (let number = 0; ; number++) {
      const answer = await chain.blocks.getBlock(at(number), true, scope);
      if (answer === null) break;
      blocks.push(parse<Block>(answer));
    }
    assert.ok(blocks.length > 40);
  });
  after(() => embedded.close());

  test('blocks, receipts and uncles are verified against the block hash alone', async () => {
    const { blocks: reads } = chain;
    for (const [number, block] of blocks.entries()) {
      assert.deepEqual(verifyBlockAnswer(block, block.hash).findings, [], `block ${number}`);
      const receipts = parse(await reads.getReceipts(at(number), scope));
      assert.deepEqual(verifyReceiptsAnswer(receipts, block, block.hash).findings, [], `block ${number}`);
      const uncles = await Promise.all(
        block.uncles.map(async (_, index) =>
          parse<Members>(await reads.getUncle(at(number), BigInt(index), scope)),
        ),
      );
      assert.ok(verifyUnclesAnswer(uncles, String(block['sha3Uncles'])).isVerified, `block ${number}`);
    }
  });

  test('a changed header, transaction, sender, receipt or uncle is refuted', async () => {
    const number = blocks.findIndex(({ transactions }) => transactions.length > 0);
    const block = blocks[number] as Block;
    const [first, ...others] = block.transactions as [Members, ...Members[]];
    assertRefuted(verifyBlockAnswer({ ...block, gasUsed: '0x1' }, block.hash), 'header');
    assertRefuted(
      verifyBlockAnswer({ ...block, transactions: [{ ...first, value: '0x123' }, ...others] }, block.hash),
      'transactions',
    );
    assertRefuted(
      verifyBlockAnswer({ ...block, transactions: [{ ...first, from: TOKEN }, ...others] }, block.hash),
      'from',
    );
    const receipts = parse<Members[]>(await chain.blocks.getReceipts(at(number), scope));
    const forged = receipts.map((receipt, index) =>
      index === 0 ? { ...receipt, logsBloom: `0x${'ff'.repeat(256)}` } : receipt,
    );
    assert.equal(verifyReceiptsAnswer(forged, block, block.hash).isVerified, false);
    assert.equal(verifyReceiptsAnswer([], block, block.hash).isVerified, false);
    assertRefuted(verifyUnclesAnswer([block], String(block['sha3Uncles'])), 'uncles');
    assertRefuted(verifyBlockAnswer('0x', block.hash), 'header');
  });

  test('accounts, slots and code are verified against the state root', async () => {
    const { state } = chain;
    const head = blocks.at(-1) as Block;
    const request = { address: TOKEN, slots: [`0x${'0'.repeat(63)}2`] };
    const answer = parse<Members>(await state.getProof(TOKEN, request.slots, at(blocks.length - 1), scope));
    const { findings, account, words } = verifyStateAnswer(answer, request, String(head['stateRoot']));
    assert.deepEqual(findings, []);
    assert.equal(words.length, 1);
    const code = parse<string>(await state.getCode(TOKEN, at(blocks.length - 1), scope));
    assert.ok(account);
    assert.ok(verifyCodeAnswer(code, account.codeHash).isVerified);
    assertRefuted(verifyCodeAnswer(`${code}00`, account.codeHash), 'state');
    assertRefuted(
      verifyStateAnswer({ ...answer, balance: '0x1' }, request, String(head['stateRoot'])),
      'state',
    );
    assert.equal(
      verifyStateAnswer({ ...answer, balance: '0x1' }, request, String(head['stateRoot'])).account,
      undefined,
    );
  });
});
