/** Local checks of sent transactions, compared with geth's answers to the same bytes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { type Revision, rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { checkSentTransaction } from '../../src/chain/sending/check-sent-transaction.ts';
import { SENDING_TOOLS } from '../../src/service/sending-tools.ts';
import { BAD_TRANSACTIONS, type BadTransaction, CHAIN_ID, SENDER } from '../support/bad-transactions.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type GethNode, startGeth } from './node/geth-node.ts';
import { GETH_SKIP } from './node/geth-program.ts';

const GAS_LIMIT = 30_000_000n;
/** Errors that only a node with state, a price and a transaction pool can return. */
const NODES_ANSWER =
  /^(?:tx fee \(|insufficient funds for gas \* price \+ value: |nonce too (?:low|high): |transaction gas price below minimum: gas tip cap|already known|replacement transaction underpriced|KZG verification error|blob sidecar conversion failed|address already reserved|future transaction|txpool is full|gapped-nonce)/;

/** Error where a list's header ends with the enclosing list and its payload lies beyond: geth reads on and refuses what follows. */
const CROSSING = 'rlp: element is larger than containing list';
const BATCH = 20;

const HEIGHT_FORKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
];

/** A genesis in which only the forks up to this one are active. */
function makeGenesis(fork: Revision): unknown {
  const config: Record<string, unknown> = {
    chainId: CHAIN_ID,
    terminalTotalDifficulty: 0,
    ...Object.fromEntries([...HEIGHT_FORKS, 'berlinBlock', 'londonBlock'].map((name) => [name, 0])),
  };
  if (fork !== 'london')
    for (const name of ['shanghai', 'cancun', 'prague', 'osaka']) config[`${name}Time`] = 0;
  if (fork === 'amsterdam') config['amsterdamTime'] = 0;
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
  config['blobSchedule'] = { cancun: blobs, prague: blobs, osaka: blobs };
  return {
    config,
    difficulty: '0x0',
    gasLimit: `0x${GAS_LIMIT.toString(16)}`,
    alloc: { [SENDER]: { balance: '0xffffffffffffffffffff' } },
  };
}

function check(bytes: Uint8Array, fork: Revision): string | undefined {
  const bounds = { revision: rulesOf(fork), gasLimit: GAS_LIMIT, measureGas: SENDING_TOOLS.measureGas };
  const rules = { chainId: BigInt(CHAIN_ID), allowsUnprotected: false, bounds };
  try {
    checkSentTransaction(bytes, rules, SENDING_TOOLS.recoverPublicKey);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ChainError, String(error));
    return error.message;
  }
}

for (const fork of ['london', 'osaka', 'amsterdam'] as const) {
  describe(`transactions sent to geth at ${fork}`, { skip: GETH_SKIP }, () => {
    let node: GethNode;
    before(async () => {
      const folder = makeTemporaryFolder();
      const genesis = join(folder.path, 'genesis.json');
      writeFileSync(genesis, JSON.stringify(makeGenesis(fork)));
      node = await startGeth({ genesis, blockGasLimit: GAS_LIMIT });
      folder.remove();
    });
    after(() => node.close());

    /** Sends transactions. @returns geth's error per transaction; undefined where it was accepted */
    const ask = async (rows: readonly BadTransaction[]): Promise<(string | undefined)[]> => {
      const calls = rows.map(({ bytes }, id) => {
        return { jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [bytesToHex(bytes)] };
      });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(node.httpUrl, { method: 'POST', headers, body: JSON.stringify(calls) });
      const answers = (await response.json()) as readonly { error?: { code: number; message: string } }[];
      return answers.map(({ error }) => {
        if (error !== undefined) assert.equal(error.code, -32000);
        return error?.message;
      });
    };

    const compare = ({ name, bytes }: BadTransaction, theirs: string | undefined): string | undefined => {
      // The service appends the name of its limit to geth's message.
      const ours = check(bytes, fork)?.replace(/ \(bound: transaction\.bytes\)$/, '');
      if (ours === theirs) return undefined;
      if (theirs !== undefined && NODES_ANSWER.test(theirs)) return undefined;
      if (ours === CROSSING && theirs?.startsWith('rlp: ') === true) return undefined;
      return `${name}\n  ours: ${ours}\n  geth: ${theirs}\n  ${bytesToHex(bytes.subarray(0, 300))}`;
    };

    test('are refused with the same errors, or accepted here and by geth except for reasons of state', async () => {
      const differences: string[] = [];
      for (let from = 0; from < BAD_TRANSACTIONS.length; from += BATCH) {
        const rows = BAD_TRANSACTIONS.slice(from, from + BATCH);
        const answers = await ask(rows);
        assert.equal(answers.length, rows.length);
        for (const [i, row] of rows.entries())
          differences.push(...[compare(row, answers[i])].flatMap((one) => one ?? []));
      }
      assert.equal(
        differences.slice(0, 30).join('\n'),
        '',
        `${differences.length} of ${BAD_TRANSACTIONS.length} differ`,
      );
    });
  });
}
