/** Values rolled forward by block access lists equal those of the chain. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { Findings } from '../../../../packages/proofs/findings.ts';
import { type VerifiedState, verifyAccountProof } from '../../../../packages/proofs/state-proof.ts';
import type { EngineChain } from '../../../../src/chains/embedded/engine-chain.ts';
import { readBlockChanges } from '../../../../src/chains/local-execution/proven/block-changes.ts';
import { BlockStates } from '../../../../src/chains/local-execution/proven/block-states.ts';
import { Random } from '../../../fuzz/random.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../../../support/embedded.ts';
import { limitTo } from '../../../support/test-chain.ts';
import { type AmsterdamBlocks, openAmsterdamBlocks } from './amsterdam-blocks.ts';

const BLOCKS = 24;
const LIMIT_MS = 60_000;

describe('the state of a block', () => {
  let blocks: AmsterdamBlocks;
  let embedded: EmbeddedChain;
  before(async () => {
    blocks = await openAmsterdamBlocks(BLOCKS);
    embedded = await importEmbeddedChain(blocks.files.genesis, blocks.files.blocks);
  });
  after(async () => {
    await embedded.close();
    blocks.close();
  });

  const stateAt = async (number: number): Promise<{ hash: string; stateRoot: string }> => {
    const reference = { kind: 'number', number: BigInt(number) } as const;
    const block = await embedded.chain.blocks.getBlock(reference, false);
    return JSON.parse(String(block));
  };
  /** Proves and returns the chain's own values. */
  const prove = async (
    chain: EngineChain,
    number: number,
    stateRoot: string,
    address: string,
    slots: readonly string[],
  ): Promise<VerifiedState> => {
    const reference = { kind: 'number', number: BigInt(number) } as const;
    const proof = await chain.state.getProof(address, slots, reference, limitTo(LIMIT_MS));
    const findings = new Findings();
    const proven = verifyAccountProof(JSON.parse(String(proof)), { address, slots }, stateRoot, findings);
    assert.deepEqual(findings.list, []);
    return proven as VerifiedState;
  };

  // Access lists do not contain zeros of storage that was empty.
  const WHOLE = { chance: 0, bytes: 64 << 20, accounts: 1, slots: 0.99 };
  const PARTS = { chance: 12, bytes: 64 << 20, accounts: 0.7, slots: 0.5 };
  for (const [name, { chance, bytes, ...least }] of [
    ['that is known as a whole follows for every block after it', WHOLE],
    ['of which parts are proven now and then is right wherever it is known', PARTS],
    ['is right wherever there is room for it', { ...PARTS, bytes: 200_000, accounts: 0, slots: 0 }],
  ] as const) {
    test(name, async () => {
      const random = new Random(7, chance, 0);
      const states = new BlockStates(bytes);
      const first = blocks.firstAmsterdam - 1;
      let before = await stateAt(first);
      const counts = { accounts: 0, slots: 0, unknownAccounts: 0, unknownSlots: 0 };
      const note = async (number: number, { stateRoot }: typeof before, all: boolean): Promise<void> => {
        for (const [address, known] of blocks.keys) {
          if (!all && !random.oneIn(chance)) continue;
          const slots = [...known].filter(() => all || random.oneIn(3));
          const proven = await prove(embedded.chain, number, stateRoot, address, slots);
          states.proven.note(stateRoot, { address, slots }, proven);
        }
      };
      await note(first, before, chance === 0);
      for (let number = first + 1; number <= blocks.last; number++) {
        const at = await stateAt(number);
        const list = decodeBlockAccessList(blocks.accessLists.get(number) as Uint8Array);
        states.addChanges(at, before, readBlockChanges(list));
        if (chance > 0) await note(number, at, false);
        for (const [address, known] of blocks.keys) {
          const slots = [...known];
          const { account, words } = await prove(embedded.chain, number, at.stateRoot, address, slots);
          const found = states.findAccount(at, address);
          counts.accounts++;
          if (found === undefined) counts.unknownAccounts++;
          else {
            const { nonce, balance, codeHash } = account ?? {};
            const where = `${address} at ${number}`;
            assert.deepEqual(
              found && { nonce: found.nonce, balance: found.balance, codeHash: bytesToHex(found.codeHash) },
              account && { nonce, balance, codeHash: bytesToHex(codeHash as Uint8Array) },
              where,
            );
            if (words.some((word) => word > 0n)) assert.equal(found?.hasStorage, true, where);
          }
          for (const [index, slot] of slots.entries()) {
            const value = states.findSlot(at, address, slot);
            counts.slots++;
            if (value === undefined) counts.unknownSlots++;
            else assert.equal(bytesToBigInt(value), words[index], `${address} ${slot} at ${number}`);
          }
        }
        assert.ok(states.bytes <= bytes);
        before = at;
      }
      const { accounts, slots, unknownAccounts, unknownSlots } = counts;
      assert.ok(
        unknownAccounts <= accounts * (1 - least.accounts),
        `${unknownAccounts} of ${accounts} accounts`,
      );
      assert.ok(unknownSlots <= slots * (1 - least.slots), `${unknownSlots} of ${slots} slots`);
    });
  }
});
